import { once } from "node:events";
import { expect, test } from "vitest";
import { createAuthority, issue, writeCertificates } from "../../testing/servers/certificates.ts";
import { connectHttp2 } from "../../testing/servers/http2.ts";
import { serveLoopback, until } from "../../testing/servers/loopback.ts";
import { temporaryFolder } from "../../testing/tools/temporary-folder.ts";

const WINDOW = 8 * 1024 * 1024;

/** What a client really may send: the stream's window is in the settings, the connection's is raised by a frame after them. */
test.each(["http", "https"] as const)("a client may send 8 MiB before it waits, over %s", async (scheme) => {
  const authority = await createAuthority("ca");
  const certsDir = temporaryFolder();
  writeCertificates(certsDir, authority, await issue(authority, "server"));
  const client = await issue(authority, "client");
  const { port } = await serveLoopback(scheme === "https" ? { transport: { is: "mtls", certsDir } } : {});

  const session = await connectHttp2(`${scheme}://localhost:${port}`, {
    ca: authority.certificate,
    cert: client.certificate,
    key: client.key,
  });

  await until(() => session.state.remoteWindowSize !== 65_535);
  expect(session.remoteSettings.initialWindowSize).toBe(WINDOW);
  expect(session.state.remoteWindowSize).toBe(WINDOW);
});

test("a client is told how many calls it may open, and asked to leave when its connection has its age", async () => {
  const { port } = await serveLoopback({ maxConcurrentStreams: 7, maxConnectionAgeMs: 50 });
  const session = await connectHttp2(`http://localhost:${port}`);
  expect(session.remoteSettings.maxConcurrentStreams).toBe(7);
  await once(session, "goaway");
});
