import { expect, onTestFinished, test } from "vitest";
import { freePort, takePort } from "../../testing/servers/free-port.ts";
import { call, isRefused, serveLoopback, serveMutualTls, until } from "../../testing/servers/loopback.ts";

test.each([
  ["127.0.0.1", { port: 0 }],
  ["localhost", { host: "localhost", port: 0 }],
])("a server is found at %s where its address is %j", async (host, address) => {
  const { port } = await serveLoopback({ address });
  expect(await call(`${host}:${port}`, Buffer.alloc(0))).toMatchObject({ code: "OK" });
});

/** An address on which something listens until the test ends. */
async function takeAddress(): Promise<{ host: string; port: number }> {
  const { server, port } = await takePort();
  onTestFinished(() => void server.close());
  return { host: "127.0.0.1", port };
}

test.each(["gRPC", "metrics"] as const)("a port for %s that is taken is an error", async (purpose) => {
  const address = await takeAddress();
  const at = `127.0.0.1:${address.port}`;
  const serving = purpose === "gRPC" ? serveLoopback({ address }) : serveMutualTls({ metricsAddress: address });
  await expect(serving).rejects.toMatchObject({
    code: "CannotServe",
    message: `cannot listen for ${purpose} at ${at}: listen EADDRINUSE: address already in use ${at}`,
  });
});

test("a port for metrics that is taken, as by another function beside it, is a warning with --insecure", async () => {
  const { port, metricsPort, lines } = await serveLoopback({ metricsAddress: await takeAddress() });
  expect([metricsPort, (await call(`127.0.0.1:${port}`, Buffer.alloc(0))).code]).toEqual([undefined, "OK"]);
  expect(lines).toContainEqual(expect.objectContaining({ level: "warn", message: "serving without metrics" }));
  expect(lines).toContainEqual(expect.objectContaining({ message: "serving", metricsAddress: "off" }));
});

test("a server that cannot listen leaves the metrics port", async () => {
  const port = await freePort();
  const metricsAddress = { host: "127.0.0.1", port };
  await expect(serveLoopback({ address: await takeAddress(), metricsAddress })).rejects.toMatchObject({
    code: "CannotServe",
  });
  await until(() => isRefused(port));
});
