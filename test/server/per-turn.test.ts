import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { closeInTurns, limitPerTurn } from "../../src/server/transport/per-turn.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const [a, b] = [{}, {}];

test("the first ones of a turn are done as they come, the others in the next turns, connection by connection", async () => {
  const opened: string[] = [];
  const inTurns = limitPerTurn({ atOnce: 3, turnMs: 0 });
  for (let n = 1; n <= 7; n++) inTurns(a, () => opened.push(`a${n}`));
  inTurns(b, () => opened.push("b1"));
  const seen = [opened.join(" ")];
  for (let turn = 0; turn < 2; turn++) {
    opened.length = 0;
    await nextTurn();
    seen.push(opened.join(" "));
  }
  expect(seen).toEqual(["a1 a2 a3", "a4 b1 a5", "a6 a7"]);
});

test("what comes after a turn is done as it comes again", async () => {
  const opened: number[] = [];
  const inTurns = limitPerTurn({ atOnce: 2, turnMs: 0 });
  for (let n = 1; n <= 4; n++) inTurns(a, () => opened.push(n));
  await nextTurn();
  await nextTurn();
  inTurns(a, () => opened.push(5));
  expect(opened.at(-1)).toBe(5);
});

test("a turn ends after 5 ms, so that timers run meanwhile", async () => {
  const inTurns = limitPerTurn({ atOnce: 2, turnMs: 5 });
  let isOpen = false;
  const slowly = (): void => {
    for (const end = performance.now() + 3; performance.now() < end; );
  };
  for (let n = 1; n <= 30; n++) inTurns(a, slowly);
  inTurns(a, () => (isOpen = true));
  const wasOpen = await new Promise<boolean>((resolve) => setTimeout(() => resolve(isOpen), 1));
  expect(wasOpen).toBe(false);
  while (!isOpen) await nextTurn();
});

test("of connections that end at once, listeners hear one in each turn", async () => {
  const ended: number[] = [];
  const inTurns = limitPerTurn({ atOnce: 1, turnMs: 0 });
  for (let n = 1; n <= 3; n++) {
    const connection = new PassThrough();
    closeInTurns(connection, inTurns);
    connection.on("close", () => ended.push(n)).destroy();
  }
  const seen: string[] = [];
  for (let turn = 0; turn < 3; turn++) {
    await nextTurn();
    seen.push(ended.join());
  }
  expect(seen).toEqual(["1", "1,2", "1,2,3"]);
});
