import { readFileSync } from "node:fs";
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { refuseMediaType } from "../../src/server/transport/refuse.ts";
import { generous, serveLoopback } from "../../testing/servers/loopback.ts";
import { run, toolOrSkip } from "../../testing/tools/server-tools.ts";
import { temporaryFolder } from "../../testing/tools/temporary-folder.ts";

const h2spec = toolOrSkip("h2spec") ?? "";

/** What h2spec waits for an answer that does not come, in seconds; here they come in milliseconds. */
const PATIENCE_SECONDS = 1;

/**
 * How often a case has to fail in a row before it is a fault. Some cases fail by chance, on Node's own server, too: what h2spec reads
 * first depends on how fast the server answers.
 */
const TRIES = 5;

/**
 * It keeps streams open by a window of zero, and a refusal has no body: they are closed at once. Whether more are open than may be then
 * depends on how its frames arrive; test/server/limits.test.ts has a test of that limit.
 */
const UNDECIDED =
  "http2/5.1.2: Sends HEADERS frames that causes their advertised concurrent stream limit to be exceeded";

/** The cases that a server fails, as `section: what was sent`; of all sections if none is named. */
async function findFailures(port: number, sections: readonly string[] = []): Promise<readonly string[]> {
  const report = join(temporaryFolder(), "report.xml");
  const args = ["--host=127.0.0.1", `--port=${port}`, `--timeout=${PATIENCE_SECONDS}`, `--junit-report=${report}`];
  const { stdout } = await run(h2spec, [...sections, ...args], "", 60_000);
  if (sections.length === 0) expect(stdout).toContain("145 tests");
  // Not parsed as XML: it has bytes in it that XML does not allow.
  const failed = /<testcase package="([^"]*)" classname="([^"]*)"[^>]*>\s*<(?:error|failure)/g;
  return [...readFileSync(report, "latin1").matchAll(failed)].map(([, section, sent]) => `${section}: ${sent}`);
}

/**
 * Node's own HTTP/2, with the function's limit of streams and its answer to what is not gRPC, which is all that h2spec sends:
 * a refusal before the request has ended leaves some of its cases without the frames that they wait for.
 */
async function servePlain(): Promise<number> {
  const settings = { maxConcurrentStreams: generous.maxConcurrentStreams };
  const server = createServer({ settings }).on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    refuseMediaType(stream);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

describe.skipIf(h2spec === "")("h2spec", () => {
  test("finds no fault of HTTP/2 that Node's own server does not have", { timeout: 240_000 }, async () => {
    const { port } = await serveLoopback();
    const [ours, plain] = await Promise.all([findFailures(port), findFailures(await servePlain())]);
    let faults = ours.filter((failure) => failure !== UNDECIDED && !plain.includes(failure));
    for (let tries = 1; tries < TRIES && faults.length > 0; tries++) {
      const sections = new Set(faults.map((fault) => fault.slice(0, fault.indexOf(":"))));
      const failures = await findFailures(port, [...sections]);
      faults = faults.filter((fault) => failures.includes(fault));
    }
    expect(faults).toEqual([]);
  });
});
