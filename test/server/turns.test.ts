import { afterEach, describe, expect, test, vi } from "vitest";
import { createTurns, type Turns } from "../../src/server/turns.ts";

/** Blocks the only thread, as a large request does. */
const busy = (milliseconds: number): void => {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
};

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

afterEach(() => void vi.useRealTimers());

describe("turns", () => {
  test("connections take turns, one call each, in the order in which they came", async () => {
    const done: string[] = [];
    const turns = createTurns().run;
    for (const call of ["a1", "a2", "a3", "b1", "c1", "b2"]) turns(call.charAt(0), () => done.push(call));
    await nextTurn();
    expect(done).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  test("nothing is done at once, so that calls that come together are known before one is chosen", () => {
    const done: string[] = [];
    createTurns().run("a", () => done.push("a1"));
    expect(done).toEqual([]);
  });

  describe("a small call of a connection that has been alone for 50 ms", () => {
    /** Turns that connection `a` has had for itself. */
    async function createAlone() {
      vi.useFakeTimers({ toFake: ["performance"] });
      const turns = createTurns();
      turns.run("a", () => {});
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      vi.advanceTimersByTime(51);
      return turns;
    }

    test("is done at once", async () => {
      const done: string[] = [];
      (await createAlone()).run("a", () => done.push("a1"));
      expect(done).toEqual(["a1"]);
    });

    test.each<{ reason: string; before: (turns: Turns) => unknown; left: string[] }>([
      { reason: "another connection has called", before: ({ run }) => run("b", () => {}), left: ["a1"] },
      {
        reason: "another connection has sent a large one",
        before: ({ runLarge }) => runLarge("b", () => {}),
        left: ["a1"],
      },
      { reason: "one was done in this turn", before: ({ run }) => run("a", () => {}), left: ["a1"] },
      { reason: "a large one waits", before: ({ runLarge }) => runLarge("a", () => {}), left: ["a1"] },
      { reason: "all are held back", before: ({ hold }) => hold(), left: [] },
    ])("waits for its turn if $reason", async ({ before, left }) => {
      const done: string[] = [];
      const turns = await createAlone();
      before(turns);
      turns.run("a", () => done.push("a1"));
      expect(done).toEqual([]);
      await nextTurn();
      expect(done).toEqual(left);
    });

    test("has three turns for its answer to leave before the next one is done at once", async () => {
      const done: string[] = [];
      const { run } = await createAlone();
      run("a", () => done.push("a1"));
      for (let turn = 0; turn < 3; turn++) await nextTurn();
      run("a", () => done.push("a2"));
      expect(done).toEqual(["a1", "a2"]);
    });

    test("may ask for another turn, which comes later", async () => {
      const done: string[] = [];
      const { run } = await createAlone();
      run("a", () => {
        run("a", () => done.push("rest"));
        done.push("a1");
      });
      expect(done).toEqual(["a1"]);
      await nextTurn();
      expect(done).toEqual(["a1", "rest"]);
    });
  });

  test("timers run between two long calls", async () => {
    const done: string[] = [];
    const turns = createTurns().run;
    const ended = new Promise<void>((resolve) => {
      turns("a", () => {
        setTimeout(() => done.push("timer"), 1);
        busy(20);
        done.push("a1");
      });
      turns("a", () => {
        done.push("a2");
        resolve();
      });
    });
    await ended;
    expect(done).toEqual(["a1", "timer", "a2"]);
  });

  test("nothing is done while it is held, and all of it afterwards", async () => {
    const done: string[] = [];
    const { run, hold } = createTurns();
    run("a", () => done.push("a1"));
    const goOn = hold();
    run("b", () => done.push("b1"));
    await nextTurn();
    await nextTurn();
    expect(done).toEqual([]);
    goOn();
    await nextTurn();
    expect(done).toEqual(["a1", "b1"]);
  });

  test("a call that comes while others are computed is done, too", async () => {
    const done: string[] = [];
    const turns = createTurns().run;
    await new Promise<void>((resolve) => {
      turns("a", () => {
        done.push("a1");
        turns("b", () => {
          done.push("b1");
          resolve();
        });
      });
    });
    expect(done).toEqual(["a1", "b1"]);
  });

  test("a small call goes before large ones that came earlier, and its answer has three turns to leave", async () => {
    const done: string[] = [];
    const { run, runLarge } = createTurns();
    const ended = new Promise<void>((resolve) => {
      runLarge("a", () => done.push("large 1"));
      runLarge("a", () => {
        done.push("large 2");
        resolve();
      });
    });
    run("b", () => done.push("small"));
    for (let turn = 0; turn < 4; turn++) await nextTurn();
    expect(done).toEqual(["small"]);
    await ended;
    expect(done).toEqual(["small", "large 1", "large 2"]);
  });

  test("a large call is computed after 50 ms although small ones never end", async () => {
    vi.useFakeTimers({ toFake: ["performance"] }); // a busy machine has no time for ten calls
    const { run, runLarge } = createTurns();
    let isDone = false;
    let small = 0;
    runLarge("a", () => (isDone = true));
    const again = (): void => {
      if (isDone) return;
      small++;
      vi.advanceTimersByTime(1);
      setImmediate(() => run("b", again));
    };
    run("b", again);
    while (!isDone) await nextTurn();
    expect(small).toBeGreaterThan(10);
  });
});
