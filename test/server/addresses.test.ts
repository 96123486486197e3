import { once } from "node:events";
import { connect, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Config } from "../../src/server/config.ts";
import { serve } from "../../src/server/server.ts";
import { createAuthority, issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { configFrom } from "../../testing/servers/config.ts";
import { freePort } from "../../testing/servers/free-port.ts";
import { call, echo, isRefused, serveLoopback, until } from "../../testing/servers/loopback.ts";
import { temporaryFolder } from "../../testing/tools/temporary-folder.ts";

const configOf = (...flags: readonly string[]): Config => configFrom(["--metrics-address=", ...flags]);

const mutualTls = (certsDir: string): Config => configOf(`--tls-certs-dir=${certsDir}`);

test.each([
  { flags: ["--address=:0"], hosts: { "127.0.0.1": "OK" } },
  { flags: ["--address=localhost:0"], hosts: { localhost: "OK" } },
])("$flags is answered at $hosts", async ({ flags, hosts }) => {
  const { port } = await serveLoopback(configOf("--insecure", ...flags));
  const answers = Object.keys(hosts).map(async (host) => [host, (await call(`${host}:${port}`, Buffer.alloc(0))).code]);
  expect(Object.fromEntries(await Promise.all(answers))).toEqual(hosts);
});

/** A server that is on the port that somebody else wants, until the test ends. */
async function takePort(): Promise<{ host: string; port: number }> {
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  const bound = taken.address();
  return { host: "127.0.0.1", port: typeof bound === "object" ? (bound?.port ?? 0) : 0 };
}

test("a server that cannot listen leaves the metrics port", async () => {
  const port = await freePort();
  const address = await takePort();
  await expect(serveLoopback({ address, metricsAddress: { host: "127.0.0.1", port } })).rejects.toMatchObject({
    code: "CannotServe",
  });
  await until(() => isRefused(port));
});

test("a server that cannot listen no longer looks after its certificates", async () => {
  const certsDir = temporaryFolder();
  const authority = await createAuthority("ca");
  writeCertificates(certsDir, authority, await issue(authority, "server"));
  const messages: string[] = [];
  const note = (message: string): void => void messages.push(message);
  const log = { debug: note, info: note, warn: note, error: note };
  const address = await takePort();
  const dependencies = { runFunction: echo, log, refreshMs: 5 };
  await expect(serve({ ...mutualTls(certsDir), address }, dependencies)).rejects.toMatchObject({ code: "CannotServe" });
  writeCertificates(certsDir, authority, await issue(authority, "another server"));
  await new Promise((resolve) => setTimeout(resolve, 50)); // ten readings
  expect(messages).toEqual(["certificates read"]);
});

test("a client that closes the connection before TLS is set up, as a TCP probe does, is a debug line", async () => {
  const certsDir = temporaryFolder();
  const authority = await createAuthority("ca");
  writeCertificates(certsDir, authority, await issue(authority, "server"));
  const lines: string[] = [];
  const note = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  const log = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
  const address = { host: "127.0.0.1", port: 0 };
  const server = await serve({ ...mutualTls(certsDir), address }, { runFunction: echo, log });
  onTestFinished(() => server.destroy());

  const socket = connect(server.port, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();

  await until(() => lines.includes("debug: client closed the connection before TLS was set up"));
  expect(lines.filter((line) => line.startsWith("warn"))).toEqual([]);
});
