import { describe, expect, test } from "vitest";
import { call, serveLoopback } from "../support/loopback.ts";

/** grpc.health.v1.HealthCheckRequest: service = 1 (string). */
const healthCheckRequest = (service: string): Buffer =>
  Buffer.concat([Buffer.from([0x0a, service.length]), Buffer.from(service)]);

/** grpc.health.v1.HealthCheckResponse: status = 1 (enum). */
const SERVING = Buffer.from([0x08, 1]);

describe("health", () => {
  test.each([
    "",
    "apiextensions.fn.proto.v1.FunctionRunnerService",
    "apiextensions.fn.proto.v1beta1.FunctionRunnerService",
  ])("of %j: it is served", async (service) => {
    const { target } = await serveLoopback();
    const answer = await call(target, healthCheckRequest(service), { path: "/grpc.health.v1.Health/Check" });
    expect(answer).toMatchObject({ code: "OK", response: SERVING });
  });

  test("of a service that is not there: not found", async () => {
    const { target } = await serveLoopback();
    const answer = await call(target, healthCheckRequest("a.Service"), { path: "/grpc.health.v1.Health/Check" });
    expect(answer.code).toBe("NOT_FOUND");
  });
});
