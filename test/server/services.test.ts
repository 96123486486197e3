import { fileURLToPath } from "node:url";
import { loadSync } from "@grpc/proto-loader";
import { protoPath } from "grpc-health-check";
import { describe, expect, test } from "vitest";
import { unary } from "../../src/grpc/method.ts";
import { createHealth } from "../../src/server/health.ts";
import { functionRunner, serviceNames } from "../../src/server/services.ts";
import { connectHttp2, endOf, frame, openStream } from "../../testing/servers/http2.ts";
import { serveLoopback } from "../../testing/servers/loopback.ts";

const proto = fileURLToPath(new URL("../../proto/", import.meta.url));
const ours = { includeDirs: [proto], files: ["v1/run_function.proto", "v1beta1/run_function.proto"] };

describe("the methods that we write down are those of the .proto files", () => {
  test.each([
    { services: serviceNames, methods: functionRunner(unary((request) => request)), ...ours },
    { services: ["grpc.health.v1.Health"], methods: createHealth().methods, files: [protoPath], includeDirs: [] },
  ])("$services", ({ services, methods, files, includeDirs }) => {
    const definitions = loadSync([...files], { includeDirs });
    const defined = services.flatMap((name) => Object.values(definitions[name] ?? {}));
    const shapes = defined.map(({ path, requestStream, responseStream }) => [path, { requestStream, responseStream }]);
    expect(shapes.length).toBeGreaterThan(0);
    expect(Object.fromEntries(methods)).toMatchObject(Object.fromEntries(shapes));
    expect([...methods.keys()].sort()).toEqual(shapes.map(([path]) => path).sort());
  });
});

describe("reflection", () => {
  test.each([
    { what: "a malformed request is refused", request: [0xff], status: "3" },
    { what: "a list of services is answered", request: [0x3a, 1, 0x2a], status: "0" },
  ])("$what", async ({ request, status }) => {
    const { port } = await serveLoopback();
    const session = await connectHttp2(`http://localhost:${port}`);
    const stream = openStream(session, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
    stream.end(frame(Buffer.from(request)));
    const answered = await endOf(stream);
    expect(answered.status).toBe(status);
    expect(answered.data.includes(serviceNames[0])).toBe(status === "0");
  });
});
