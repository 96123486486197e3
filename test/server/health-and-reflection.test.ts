import { fileURLToPath } from "node:url";
import { loadSync } from "@grpc/proto-loader";
import { service as oracle } from "grpc-health-check";
import { describe, expect, test } from "vitest";
import { functionRunners, serviceNames } from "../../src/server/services.ts";
import { frame } from "../../testing/servers/frames.ts";
import { connectHttp2, endOf, openStream } from "../../testing/servers/http2.ts";
import { call, serveLoopback } from "../../testing/servers/loopback.ts";

/** grpc.health.v1.HealthCheckRequest: service = 1 (string). */
const healthCheckRequest = (service: string): Buffer =>
  Buffer.concat([Buffer.from([0x0a, service.length]), Buffer.from(service)]);

/** grpc.health.v1.HealthCheckResponse: status = 1 (enum). */
const SERVING = Buffer.from([0x08, 1]);
const SERVICE_UNKNOWN = Buffer.from([0x08, 3]);

const names = ["", ...serviceNames];

describe("health", () => {
  test.each(names)("of %j is SERVING", async (service) => {
    const { target } = await serveLoopback();
    const answer = await call(target, healthCheckRequest(service), { path: "/grpc.health.v1.Health/Check" });
    expect(answer).toMatchObject({ code: "OK", response: SERVING });
  });

  test("of a service that is not served is NOT_FOUND", async () => {
    const { target } = await serveLoopback();
    const answer = await call(target, healthCheckRequest("a.Service"), { path: "/grpc.health.v1.Health/Check" });
    expect(answer.code).toBe("NOT_FOUND");
  });

  test("of all services is listed, as grpc-health-check reads it", async () => {
    const { target } = await serveLoopback();
    const { response } = await call(target, Buffer.alloc(0), { path: "/grpc.health.v1.Health/List" });
    expect(oracle["List"]?.responseDeserialize(response)).toEqual({
      statuses: Object.fromEntries(names.map((name) => [name, { status: "SERVING" }])),
    });
  });

  test.each([
    { of: "", is: SERVING },
    { of: "a.Service", is: SERVICE_UNKNOWN },
  ])("of $of is told to a watcher at once", async ({ of, is }) => {
    const { port } = await serveLoopback();
    const watch = openStream(await connectHttp2(`http://localhost:${port}`), "/grpc.health.v1.Health/Watch");
    watch.end(frame(healthCheckRequest(of)));
    const told = await new Promise((resolve) => watch.once("data", resolve));
    expect(told).toEqual(frame(is));
  });
});

test.each([
  { what: "refuses a malformed request", request: [0xff], status: "13" },
  { what: "lists the services", request: [0x3a, 1, 0x2a], status: "0" },
])("reflection $what", async ({ request, status }) => {
  const { port } = await serveLoopback();
  const session = await connectHttp2(`http://localhost:${port}`);
  const stream = openStream(session, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
  stream.end(frame(Buffer.from(request)));
  const answered = await endOf(stream);
  expect(answered.status).toBe(status);
  expect(answered.data.includes(serviceNames[0])).toBe(status === "0");
});

test("the methods that we write down are those of the .proto files", () => {
  const proto = fileURLToPath(new URL("../../proto/", import.meta.url));
  const definitions = loadSync(["v1/run_function.proto", "v1beta1/run_function.proto"], { includeDirs: [proto] });
  const shapesOf = (services: readonly object[]) =>
    services
      .flatMap((service) => Object.entries(service))
      .map(([name, { path, requestStream, responseStream }]) => ({ name, path, requestStream, responseStream }));
  const defined = shapesOf(serviceNames.map((name) => definitions[name] ?? {}));
  expect(defined).toHaveLength(2);
  expect(shapesOf(functionRunners)).toEqual(defined);
});
