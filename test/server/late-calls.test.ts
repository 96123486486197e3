import { EventEmitter } from "node:events";
import type { ServerHttp2Stream } from "node:http2";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { endLateCalls } from "../../src/server/transport/late-calls.ts";
import { endCall } from "../../src/server/transport/refuse.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** As much of a stream as is needed to end it; how it was ended is noted. */
function streamOf(
  state: { readonly closed?: boolean; readonly destroyed?: boolean; readonly headersSent?: boolean } = {},
) {
  const ends: string[] = [];
  const stream = Object.assign(new EventEmitter(), {
    closed: false,
    destroyed: false,
    headersSent: false,
    respond: (headers: Readonly<Record<string, unknown>>) => void ends.push(`status ${headers["grpc-status"]}`),
    close: (code: number) => void ends.push(`reset ${code}`),
    ...state,
  });
  return { stream: stream as unknown as ServerHttp2Stream, ends };
}

describe("late calls", () => {
  test("a call is ended once its time is over, and not before", () => {
    const [early, later] = [streamOf(), streamOf()];
    const late = endLateCalls(3000);
    late.add(early.stream);
    vi.advanceTimersByTime(2000);
    late.add(later.stream);
    vi.advanceTimersByTime(1000);
    expect([early.ends, later.ends]).toEqual([["status 4", "reset 0"], []]);
    vi.advanceTimersByTime(10_000);
    expect([early.ends, later.ends]).toEqual([
      ["status 4", "reset 0"],
      ["status 4", "reset 0"],
    ]);
    late.stop();
  });

  test("a timeout of less than a second is kept, too", () => {
    const { stream, ends } = streamOf();
    const late = endLateCalls(200);
    late.add(stream);
    vi.advanceTimersByTime(400);
    expect(ends).toEqual(["status 4", "reset 0"]);
    late.stop();
  });

  test("a call that has ended is forgotten", () => {
    const { stream, ends } = streamOf();
    const late = endLateCalls(3000);
    late.add(stream);
    stream.emit("close");
    vi.advanceTimersByTime(10_000);
    expect(ends).toEqual([]);
    late.stop();
  });

  test("nothing is ended once stopped", () => {
    const { stream, ends } = streamOf();
    const late = endLateCalls(3000);
    late.add(stream);
    late.stop();
    vi.advanceTimersByTime(10_000);
    expect(ends).toEqual([]);
  });
});

test.each([
  { state: {}, ends: ["status 8", "reset 0"] },
  { state: { headersSent: true }, ends: ["reset 8"] },
  { state: { closed: true }, ends: [] },
  { state: { destroyed: true }, ends: [] },
])("a call of which is known $state is ended with $ends", ({ state, ends }) => {
  const ended = streamOf(state);
  endCall(ended.stream, { code: 8, details: "too much" });
  expect(ended.ends).toEqual(ends);
});
