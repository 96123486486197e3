import { describe, expect, test } from "vitest";
import { type HeldCall, RequestMemory } from "../../src/server/transport/request-memory.ts";

const connections = { a: {}, b: {} };

/** Calls by name, the first letter their connection's; who is refused is noted. */
function memoryOf(maxBytes: number) {
  const memory = new RequestMemory(maxBytes);
  const refused: string[] = [];
  const calls = new Map<string, HeldCall>();
  const callOf = (name: string): HeldCall => {
    const known = calls.get(name);
    if (known) return known;
    const call = {
      connection: connections[name.charAt(0) as "a" | "b"],
      bytes: 0,
      refuse: () => void refused.push(name),
    };
    calls.set(name, call);
    return call;
  };
  const add = (name: string, bytes: number): void => memory.add(callOf(name), bytes);
  const release = (name: string): void => memory.release(callOf(name));
  return { add, release, refused, bytes: () => memory.bytes };
}

describe("memory for requests", () => {
  test("as much as the limit is allowed", () => {
    const { add, refused } = memoryOf(10);
    add("a1", 6);
    add("b1", 4);
    expect(refused).toEqual([]);
  });

  test.each([
    {
      reason: "the largest call of the connection that holds most",
      calls: [["a1", 3] as const, ["a2", 4] as const, ["b1", 3] as const, ["b2", 1] as const],
      refused: ["a2"],
    },
    {
      reason: "not the largest call, where its connection holds less",
      calls: [["a1", 3] as const, ["a2", 3] as const, ["b1", 4] as const, ["a3", 1] as const],
      refused: ["a1"],
    },
    {
      reason: "as many as it takes",
      calls: [["a1", 5] as const, ["a2", 5] as const, ["b1", 10] as const],
      refused: ["a1", "b1"],
    },
    { reason: "a call that is larger than all of it", calls: [["a1", 11] as const], refused: ["a1"] },
  ])("is given up by $reason", ({ calls, refused: expected }) => {
    const memory = memoryOf(10);
    for (const [name, bytes] of calls) memory.add(name, bytes);
    expect(memory.refused).toEqual(expected);
    expect(memory.bytes()).toBeLessThanOrEqual(10);
  });

  test("what a call has given back is given back once", () => {
    const { add, release, bytes } = memoryOf(10);
    add("a1", 6);
    release("a1");
    release("a1");
    expect(bytes()).toBe(0);
  });
});
