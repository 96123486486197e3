import { createQueue } from "./queue.ts";

/** The time to compute calls before connections, timers, health and metrics get the event loop. */
const TURN_MS = 5;

export interface Turns {
  /** Does the work once it is the connection's turn. */
  readonly run: (connection: string, work: () => void) => void;
  /** Holds all work back. @returns a function that continues. */
  readonly hold: () => () => void;
}

/**
 * Lets connections take turns, one call each, and gives the event loop to everything else in between. A client with a thousand
 * calls then delays others by one of its calls only, and a call that was cancelled or whose deadline passed meanwhile is
 * recognised before it is computed.
 */
export function createTurns(): Turns {
  const waiting = createQueue<string, () => void>();
  let isScheduled = false;
  let isHeld = false;

  const run = (): void => {
    const end = performance.now() + TURN_MS;
    isScheduled = false;
    if (isHeld) return;
    do waiting.take()?.();
    while (waiting.hasNext() && performance.now() < end);
    schedule();
  };
  const schedule = (): void => {
    if (isScheduled || isHeld || !waiting.hasNext()) return;
    isScheduled = true;
    setImmediate(run);
  };
  return {
    run: (connection, work) => {
      waiting.add(connection, work);
      schedule();
    },
    hold: () => {
      isHeld = true;
      return () => {
        isHeld = false;
        schedule();
      };
    },
  };
}
