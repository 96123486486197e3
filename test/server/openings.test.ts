import { expect, test } from "vitest";
import { createOpenings } from "../../src/server/transport/openings.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const [a, b] = [{}, {}];

const streams = { atOnce: 16, turnMs: 5 };

test("the first 16 streams of a turn are opened as they come, the others in the next one, connection by connection", async () => {
  const opened: string[] = [];
  const openInTurns = createOpenings(streams);
  for (let n = 1; n <= 19; n++) openInTurns(a, () => opened.push(`a${n}`));
  openInTurns(b, () => opened.push("b1"));
  expect(opened).toHaveLength(16);
  await nextTurn();
  expect(opened.slice(16)).toEqual(["a17", "b1", "a18", "a19"]);
});

test("streams that come after a turn are opened as they come again", async () => {
  const opened: number[] = [];
  const openInTurns = createOpenings(streams);
  for (let n = 1; n <= 20; n++) openInTurns(a, () => opened.push(n));
  await nextTurn();
  openInTurns(a, () => opened.push(21));
  expect(opened.at(-1)).toBe(21);
});

test("timers run while many streams are opened", async () => {
  const openInTurns = createOpenings(streams);
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

test("without more time the next ones wait for the next turn", async () => {
  const opened: number[] = [];
  const openInTurns = createOpenings({ atOnce: 2, turnMs: 0 });
  for (let n = 1; n <= 5; n++) openInTurns({}, () => opened.push(n));
  const counts = [opened.length];
  for (let turn = 0; turn < 2; turn++) {
    await nextTurn();
    counts.push(opened.length);
  }
  expect(counts).toEqual([2, 4, 5]);
});
