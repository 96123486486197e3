import { fileURLToPath } from "node:url";
import { loadSync } from "@grpc/proto-loader";
import { expect, test } from "vitest";
import { functionRunners, serviceNames } from "../../src/server/services.ts";
import { connectHttp2, endOf, frame, openStream } from "../../testing/servers/http2.ts";
import { call, serveLoopback } from "../../testing/servers/loopback.ts";

/** grpc.health.v1.HealthCheckRequest: service = 1 (string). */
const healthCheckRequest = (service: string): Buffer =>
  Buffer.concat([Buffer.from([0x0a, service.length]), Buffer.from(service)]);

/** grpc.health.v1.HealthCheckResponse: status = 1 (enum). */
const SERVING = Buffer.from([0x08, 1]);

test.each(["", ...serviceNames])("the health of %j is SERVING", async (service) => {
  const { target } = await serveLoopback();
  const answer = await call(target, healthCheckRequest(service), { path: "/grpc.health.v1.Health/Check" });
  expect(answer).toMatchObject({ code: "OK", response: SERVING });
});

test("reflection lists the services", async () => {
  const { port } = await serveLoopback();
  const session = await connectHttp2(`http://localhost:${port}`);
  const stream = openStream(session, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
  stream.end(frame(Buffer.from([0x3a, 1, 0x2a])));
  const { data, status } = await endOf(stream);
  expect([status, data.includes(serviceNames[0])]).toEqual(["0", true]);
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
