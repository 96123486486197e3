import { describe, expect, onTestFinished, test } from "vitest";
import type { Outcome } from "../../src/run-function.ts";
import { startThread } from "../../src/server/worker-thread.ts";
import { call } from "../../testing/servers/loopback.ts";
import { startServer } from "../../testing/servers/process.ts";
import { largeRequest } from "../../testing/servers/replicas.ts";

const outcomeOf = (text: string): Outcome => ({
  response: Buffer.from(text),
  conditions: [],
  results: [],
  audit: [],
});

/** A thread of a program in JavaScript, which has `port` and `load()`. */
function start(program: string) {
  const lines: string[] = [];
  const note = (message: string): void => void lines.push(message);
  const source = `
    import { parentPort as port } from "node:worker_threads";
    const load = () => port.postMessage({ is: "loaded" });
    ${program}`;
  const thread = startThread(
    new URL(`data:text/javascript,${encodeURIComponent(source)}`),
    () => outcomeOf("by the event loop"),
    { debug: note, info: note, warn: note, error: note },
  );
  onTestFinished(() => thread.stop());
  return { lines, run: async () => String(Buffer.from((await thread.run(Buffer.from("request"))).response)) };
}

const echoes = `port.on("message", (message) => port.postMessage({
  is: "outcome", outcome: { response: message, conditions: [], results: [], audit: [] },
}));`;

describe("the thread for large requests", () => {
  test("runs one request after the other", async () => {
    const { run } = start(`${echoes} load();`);
    expect([await run(), await run()]).toEqual(["request", "request"]);
  });

  test.each([
    ["a bug", undefined, "Error: broken"],
    ["a message that is none", '"InvalidMessage"', "FunctionError: broken"],
  ])("throws what it throws: %s", async (_, code, thrown) => {
    const { run } = start(`port.on("message", () => port.postMessage({
      is: "error", error: { code: ${code}, message: "broken", stack: undefined },
    })); load();`);
    const error: unknown = await run().catch((caught: unknown) => caught);
    expect(String(error)).toBe(thrown);
    expect((error as { code?: string }).code).toBe(code === undefined ? undefined : "InvalidMessage");
  });

  test("fails the request in which it dies, says so, and is there again for the next one", async () => {
    const { run, lines } = start(`
      port.on("message", () => { throw new Error("out of memory"); });
      load();`);
    await expect(run()).rejects.toThrow("the thread for large requests has ended");
    await expect(run()).rejects.toThrow("the thread for large requests has ended");
    expect(lines).toEqual(["the thread for large requests has ended", "the thread for large requests has ended"]);
  });

  test("that ends between two requests is there again for the next one", async () => {
    const { run } = start(`${echoes} port.on("message", () => setTimeout(() => process.exit(0), 10)); load();`);
    expect(await run()).toBe("request");
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await run()).toBe("request");
  });

  test.each([
    ["throws", 'throw new Error("no such module");', ["the thread for large requests cannot be loaded"]],
    ["exits", "process.exit(0);", []],
  ])("whose program %s when it is loaded leaves requests to the event loop", async (_, program, lines) => {
    const started = start(program);
    expect([await started.run(), await started.run()]).toEqual(["by the event loop", "by the event loop"]);
    expect(started.lines).toEqual(lines);
  });
});

describe("the program of the image", () => {
  const beside = async (request: Buffer) => {
    const { port } = await startServer();
    const target = `127.0.0.1:${port}`;
    return { target, answer: await call(target, request) };
  };

  test("answers a large request", async () => {
    const { answer } = await beside(largeRequest);
    expect(answer.code).toBe("OK");
    expect(answer.response?.length).toBeGreaterThan(600_000);
  });

  test("refuses a large request that is no RunFunctionRequest", async () => {
    const { answer } = await beside(Buffer.alloc(200_000, 0xff));
    expect(answer.code).toBe("INVALID_ARGUMENT");
  });
});
