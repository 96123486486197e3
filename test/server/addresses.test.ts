import { expect, onTestFinished, test } from "vitest";
import { configFrom } from "../../testing/servers/config.ts";
import { freePort, takePort } from "../../testing/servers/free-port.ts";
import { call, isRefused, serveLoopback, until } from "../../testing/servers/loopback.ts";

test.each([
  { address: ":0", hosts: ["127.0.0.1"] },
  { address: "localhost:0", hosts: ["localhost"] },
])("an address of $address is answered at $hosts", async ({ address, hosts }) => {
  const { port } = await serveLoopback(configFrom(["--insecure", "--metrics-address=", `--address=${address}`]));
  for (const host of hosts) expect(await call(`${host}:${port}`, Buffer.alloc(0))).toMatchObject({ code: "OK" });
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
  await expect(serveLoopback(purpose === "gRPC" ? { address } : { metricsAddress: address })).rejects.toMatchObject({
    code: "CannotServe",
    message: `cannot listen for ${purpose} at ${at}: listen EADDRINUSE: address already in use ${at}`,
  });
});

test("a server that cannot listen leaves the metrics port", async () => {
  const port = await freePort();
  const metricsAddress = { host: "127.0.0.1", port };
  await expect(serveLoopback({ address: await takeAddress(), metricsAddress })).rejects.toMatchObject({
    code: "CannotServe",
  });
  await until(() => isRefused(port));
});
