import { expect, test } from "vitest";
import { createOpenings } from "../../src/server/transport/openings.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const [a, b] = [{}, {}];

test("the first ones of a turn are opened as they come, the others in the next turns, connection by connection", async () => {
  const opened: string[] = [];
  const openInTurns = createOpenings({ atOnce: 3, turnMs: 0 });
  for (let n = 1; n <= 7; n++) openInTurns(a, () => opened.push(`a${n}`));
  openInTurns(b, () => opened.push("b1"));
  const seen = [opened.join(" ")];
  for (let turn = 0; turn < 2; turn++) {
    opened.length = 0;
    await nextTurn();
    seen.push(opened.join(" "));
  }
  expect(seen).toEqual(["a1 a2 a3", "a4 b1 a5", "a6 a7"]);
});

test("what comes after a turn is opened as it comes again", async () => {
  const opened: number[] = [];
  const openInTurns = createOpenings({ atOnce: 2, turnMs: 0 });
  for (let n = 1; n <= 4; n++) openInTurns(a, () => opened.push(n));
  await nextTurn();
  await nextTurn();
  openInTurns(a, () => opened.push(5));
  expect(opened.at(-1)).toBe(5);
});

test("a turn ends after 5 ms, so that timers run meanwhile", async () => {
  const openInTurns = createOpenings({ atOnce: 2, turnMs: 5 });
  let isOpen = false;
  const slowly = (): void => {
    for (const end = performance.now() + 3; performance.now() < end; );
  };
  for (let n = 1; n <= 30; n++) openInTurns(a, slowly);
  openInTurns(a, () => (isOpen = true));
  const wasOpen = await new Promise<boolean>((resolve) => setTimeout(() => resolve(isOpen), 1));
  expect(wasOpen).toBe(false);
  while (!isOpen) await nextTurn();
});
