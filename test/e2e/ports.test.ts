import { once } from "node:events";
import { createServer } from "node:net";
import { platform } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { assertIsFree, takerOf } from "../../e2e/rig/ports.ts";
import { freePort } from "../../testing/servers/free-port.ts";

const isLinux = platform() === "linux";
const ONESELF = isLinux ? `(process ${process.pid})` : "another program";

const ALL = "all addresses";
/** Elsewhere a program may listen on all addresses beside one that listens on a single address. */
const hosts = isLinux ? ["127.0.0.1", "0.0.0.0", ALL] : [ALL];

/** Listens on a free port until the test ends. */
async function listenOn(host: string): Promise<number> {
  const port = await freePort();
  const server = createServer().listen(port, host === ALL ? undefined : host);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return port;
}

test.each(hosts)("a port on which a program listens at %s is taken by that program", async (host) => {
  const port = await listenOn(host);
  expect(await takerOf(port)).toContain(ONESELF);
  await expect(assertIsFree(port, "the provider")).rejects.toThrow(
    new RegExp(`^cannot start the provider: its metrics need port ${port}, where .+ listens: end that first$`),
  );
});

test("a port on which no program listens is free, and is so again after it was looked at", async () => {
  const port = await freePort();
  expect(await takerOf(port)).toBeUndefined();
  await assertIsFree(port, "the provider");
});
