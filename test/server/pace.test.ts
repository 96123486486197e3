import { describe, expect, test } from "vitest";
import { trackPace } from "../../src/server/pace.ts";

/** Large requests: the second at which each came, and how many milliseconds it took. */
type Requests = readonly (readonly [second: number, milliseconds: number])[];

const quick = (second: number): readonly [number, number] => [second, 5];

describe("large requests are expected to be quick", () => {
  test.each<{ after: string; requests: Requests; isQuick: boolean }>([
    { after: "the first three of a process", requests: [], isQuick: false },
    { after: "two quick ones", requests: [quick(1), quick(1)], isQuick: false },
    { after: "three quick ones", requests: [quick(1), quick(1), quick(1)], isQuick: true },
    { after: "a slow one among them", requests: [quick(1), quick(1), [1, 51], quick(2)], isQuick: false },
    {
      after: "quick ones within 30 s of a slow one",
      requests: [[1, 51], quick(2), quick(9), quick(31)],
      isQuick: false,
    },
    { after: "quick ones later", requests: [[1, 51], quick(32), quick(32), quick(32)], isQuick: true },
    {
      after: "50 ms each",
      requests: [
        [1, 50],
        [1, 50],
        [1, 50],
      ],
      isQuick: true,
    },
    { after: "quick ones, and then a slow one", requests: [quick(1), quick(1), quick(1), [40, 90]], isQuick: true },
    {
      after: "quick ones, and then a slow one and another one within 30 s",
      requests: [quick(1), quick(1), quick(1), [40, 90], quick(41), [70, 90]],
      isQuick: false,
    },
    {
      after: "quick ones, and then a slow one and another one later",
      requests: [quick(1), quick(1), quick(1), [40, 90], quick(41), [71, 90]],
      isQuick: true,
    },
  ])("after $after: $isQuick", ({ requests, isQuick }) => {
    let seconds = 0;
    const pace = trackPace(() => seconds * 1000);
    for (let cold = 0; cold < 3; cold++) pace.note(500); // the first ones of a process, which say nothing
    for (const [second, milliseconds] of requests) {
      seconds = second;
      pace.note(milliseconds);
    }
    expect(pace.isQuick()).toBe(isQuick);
  });
});
