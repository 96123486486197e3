import { inNextTurn } from "./next-turn.ts";
import { createQueue } from "./queue.ts";

/** The time to compute small calls before connections, timers, health and metrics get the event loop. */
const TURN_MS = 5;

/** The turns of the event loop until an answer has left: Node writes headers, message and trailers in a turn each. */
const TURNS_OF_AN_ANSWER = 3;

/** The time after which a large call is computed although there are small ones. */
const MAX_WAIT_MS = 50;

export interface Turns {
  /** Does work of at most a few milliseconds once it is the connection's turn. */
  readonly run: (connection: string, work: () => void) => void;
  /** Does work that may take longer. */
  readonly runLarge: (connection: string, work: () => void) => void;
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
  let isHeld = false;
  /** The turns until the answers that were computed last have left. */
  let leaving = 0;
  /** Since when a large call waits. */
  let waitsSince = 0;

  const takeSmall = (): void => {
    const end = performance.now() + TURN_MS;
    do small.take()?.();
    while (small.hasNext() && performance.now() < end);
    leaving = TURNS_OF_AN_ANSWER;
  };
  const takeLarge = (): void => {
    large.take()?.();
    waitsSince = performance.now();
    leaving = TURNS_OF_AN_ANSWER;
  };
  const hasNext = (): boolean => small.hasNext() || large.hasNext();
  const isLate = (): boolean => large.hasNext() && performance.now() - waitsSince > MAX_WAIT_MS;
  const goOn = inNextTurn(() => {
    if (isHeld) return;
    if (isLate()) takeLarge();
    else if (small.hasNext()) takeSmall();
    else if (leaving > 0) leaving--;
    else takeLarge();
    if (hasNext()) goOn();
  });
  return {
    run: (connection, work) => {
      small.add(connection, work);
      goOn();
    },
    runLarge: (connection, work) => {
      if (!large.hasNext()) waitsSince = performance.now();
      large.add(connection, work);
      goOn();
    },
    hold: () => {
      isHeld = true;
      return () => {
        isHeld = false;
        if (hasNext()) goOn();
      };
    },
  };
}
