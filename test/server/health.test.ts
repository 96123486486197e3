import { service as oracle } from "grpc-health-check";
import { describe, expect, test } from "vitest";
import { frame } from "../../testing/servers/frames.ts";
import { connectHttp2, openStream } from "../../testing/servers/http2.ts";
import { call, serveLoopback } from "../../testing/servers/loopback.ts";

/** grpc.health.v1.HealthCheckRequest: service = 1 (string). */
const healthCheckRequest = (service: string): Buffer =>
  Buffer.concat([Buffer.from([0x0a, service.length]), Buffer.from(service)]);

/** grpc.health.v1.HealthCheckResponse: status = 1 (enum). */
const SERVING = Buffer.from([0x08, 1]);
const SERVICE_UNKNOWN = Buffer.from([0x08, 3]);

const names = [
  "",
  "apiextensions.fn.proto.v1.FunctionRunnerService",
  "apiextensions.fn.proto.v1beta1.FunctionRunnerService",
];

describe("health", () => {
  test.each(names)("of %j: it is served", async (service) => {
    const { target } = await serveLoopback();
    const answer = await call(target, healthCheckRequest(service), { path: "/grpc.health.v1.Health/Check" });
    expect(answer).toMatchObject({ code: "OK", response: SERVING });
  });

  test("of a service that is not there: not found", async () => {
    const { target } = await serveLoopback();
    const answer = await call(target, healthCheckRequest("a.Service"), { path: "/grpc.health.v1.Health/Check" });
    expect(answer.code).toBe("NOT_FOUND");
  });

  test("of all services, as grpc-health-check reads it", async () => {
    const { target } = await serveLoopback();
    const { response } = await call(target, Buffer.alloc(0), { path: "/grpc.health.v1.Health/List" });
    expect(oracle["List"]?.responseDeserialize(response)).toEqual({
      statuses: Object.fromEntries(names.map((name) => [name, { status: "SERVING" }])),
    });
  });

  test.each([
    { of: "", is: SERVING },
    { of: "a.Service", is: SERVICE_UNKNOWN },
  ])("whoever watches $of is told at once", async ({ of, is }) => {
    const { port } = await serveLoopback();
    const watch = openStream(await connectHttp2(`http://localhost:${port}`), "/grpc.health.v1.Health/Watch");
    watch.end(frame(healthCheckRequest(of)));
    const told = await new Promise((resolve) => watch.once("data", resolve));
    expect(told).toEqual(frame(is));
  });

  test("a request that is none is refused, and the next one answered", async () => {
    const { target } = await serveLoopback();
    const path = "/grpc.health.v1.Health/Check";
    expect(await call(target, Buffer.from([0xff]), { path })).toMatchObject({ code: "INTERNAL" });
    expect(await call(target, Buffer.alloc(0), { path })).toMatchObject({ code: "OK" });
  });
});
