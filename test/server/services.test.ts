import { fileURLToPath } from "node:url";
import { loadSync } from "@grpc/proto-loader";
import { describe, expect, test } from "vitest";
import { functionRunners, serviceNames } from "../../src/server/services.ts";
import { frame } from "../../testing/servers/frames.ts";
import { connectHttp2, endOf, openStream } from "../../testing/servers/http2.ts";
import { serveLoopback } from "../../testing/servers/loopback.ts";

const proto = fileURLToPath(new URL("../../proto/", import.meta.url));

test("the methods that we write down are those of the .proto files", () => {
  const definitions = loadSync(["v1/run_function.proto", "v1beta1/run_function.proto"], { includeDirs: [proto] });
  const shapesOf = (services: readonly object[]) =>
    services
      .flatMap((service) => Object.entries(service))
      .map(([name, { path, requestStream, responseStream }]) => ({ name, path, requestStream, responseStream }));
  const defined = shapesOf(serviceNames.map((name) => definitions[name] ?? {}));
  expect(defined).toHaveLength(2);
  expect(shapesOf(functionRunners)).toEqual(defined);
});

describe("reflection", () => {
  test.each([
    { what: "a malformed request is refused", request: [0xff], status: "13" },
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
