import { once } from "node:events";
import { expect, test } from "vitest";
import { connectHttp2 } from "../../testing/servers/http2.ts";
import { serveLoopback, serveMutualTls, until } from "../../testing/servers/loopback.ts";

const WINDOW = 8 * 1024 * 1024;

/** What a client really may send: the stream's window is in the settings, the connection's is raised by a frame after them. */
test.each(["http", "https"] as const)("a client may send 8 MiB before it waits, over %s", async (scheme) => {
  const secure = scheme === "https" ? await serveMutualTls() : undefined;
  const { port } = secure ?? (await serveLoopback());
  const session = await connectHttp2(`${scheme}://localhost:${port}`, secure?.identity);

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
