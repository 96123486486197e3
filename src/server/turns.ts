import { createQueue } from "./queue.ts";

/** The least size of a large request: it can take longer than TURN_MS. */
export const LARGE_BYTES = 64 * 1024;

/** The time to compute small calls before connections, timers, health and metrics get the event loop. */
const TURN_MS = 5;

/** The turns of the event loop until an answer has left: Node writes headers, message and trailers in a turn each. */
const TURNS_OF_AN_ANSWER = 3;

/** The time after which a large call is computed although there are small ones. */
const MAX_WAIT_MS = 50;

export interface Turns {
  /** Does the work once it is the connection's turn. `bytes` is the size of the request. */
  readonly run: (connection: string, bytes: number, work: () => void) => void;
  /** Holds all work back. @returns a function that continues. */
  readonly hold: () => () => void;
}

/**
 * Lets connections take turns, one call each, and gives the event loop to everything else in between. A client with a thousand
 * calls then delays others by one of its calls only, and a call that was cancelled or whose deadline passed meanwhile is
 * recognised before it is computed.
 *
 * Small calls go first. A large one waits until their answers have left, too: otherwise a small call that comes while large ones
 * are computed would wait for one of them at each step of its answer.
 */
export function createTurns(): Turns {
  const small = createQueue<string, () => void>();
  const large = createQueue<string, () => void>();
  let isScheduled = false;
  let isHeld = false;
  /** The turns until the answers that were computed last have left. */
  let leaving = 0;
  /** Since when a large call waits. */
  let waitsSince = 0;

  const runSmall = (): void => {
    const end = performance.now() + TURN_MS;
    do small.take()?.();
    while (small.hasNext() && performance.now() < end);
    leaving = TURNS_OF_AN_ANSWER;
  };
  const runLarge = (): void => {
    large.take()?.();
    waitsSince = performance.now();
    leaving = TURNS_OF_AN_ANSWER;
  };
  const run = (): void => {
    isScheduled = false;
    if (isHeld) return;
    if (large.hasNext() && performance.now() - waitsSince > MAX_WAIT_MS) runLarge();
    else if (small.hasNext()) runSmall();
    else if (leaving > 0) leaving--;
    else runLarge();
    schedule();
  };
  const schedule = (): void => {
    if (isScheduled || isHeld || !(small.hasNext() || large.hasNext())) return;
    isScheduled = true;
    setImmediate(run);
  };
  return {
    run: (connection, bytes, work) => {
      if (bytes >= LARGE_BYTES && !large.hasNext()) waitsSince = performance.now();
      (bytes < LARGE_BYTES ? small : large).add(connection, work);
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
