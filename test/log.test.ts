import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createLog } from "../src/log.ts";

/** Returns the text that a log writes while `use` runs. */
function written(debug: boolean, use: (log: ReturnType<typeof createLog>) => void): string {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  use(createLog({ debug }, stream));
  return chunks.join("");
}

test("the log has one JSON object a line and no debug lines", () => {
  const text = written(false, (log) => {
    log.debug("not told");
    log.info("serving", { address: ":9443" });
    log.error("failed", { stack: "Error: a\n    at b" });
  });
  const lines = text.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: "info", message: "serving", address: ":9443", timestamp: expect.stringMatching(/^\d{4}-.+Z$/) },
    { level: "error", message: "failed", stack: "Error: a\n    at b", timestamp: expect.any(String) },
  ]);
});

test("the log has lines of text and debug lines under --debug", () => {
  const text = written(true, (log) => {
    log.debug("ran function", { requestBytes: 3 });
    log.warn("alone");
  });
  expect(text.replaceAll(/^\S+Z /gm, "")).toBe('debug ran function {"requestBytes":3}\nwarn  alone\n');
});
