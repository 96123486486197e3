import { expect, test, vi } from "vitest";
import { call, serveLoopback } from "../../testing/servers/loopback.ts";

// A grpc-js whose server keeps its HTTP/2 server in another place.
vi.mock("../../src/server/transport/http2.ts", async (original) => {
  const { createTransport } = await original<typeof import("../../src/server/transport/http2.ts")>();
  return {
    createTransport: (...args: Parameters<typeof createTransport>) => ({
      ...createTransport(...args),
      http2: undefined,
    }),
  };
});

test("calls, health and the shutdown work, and the log warns of what does not", async () => {
  const server = await serveLoopback();
  expect(server.lines).toContainEqual({
    level: "warn",
    message: "cannot find grpc-js's HTTP/2 server: large requests are slow, and calls are neither counted nor limited",
  });
  expect(await call(server.target, Buffer.from("hello"))).toMatchObject({ code: "OK" });
  await vi.waitFor(async () => {
    const health = await call(server.target, Buffer.alloc(0), { path: "/grpc.health.v1.Health/Check" });
    expect(health).toMatchObject({ code: "OK", response: Buffer.from([0x08, 1]) });
  }, 10_000);
  await server.shutDown();
});
