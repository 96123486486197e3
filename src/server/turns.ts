import { inNextTurn } from "./next-turn.ts";
import { createQueue } from "./queue.ts";

/** The time to compute small calls before connections, timers, health and metrics get the event loop. */
const TURN_MS = 5;

/** The turns of the event loop until an answer has left: Node writes headers, message and trailers in a turn each. */
const TURNS_OF_AN_ANSWER = 3;

/** The time after which a large call is computed although there are small ones. */
const MAX_WAIT_MS = 50;

/** The time without a call of another connection after which one is alone. */
const ALONE_MS = 50;

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
 *
 * A small call of a connection that is alone, as Crossplane's is, does not wait for its turn while there is nothing else to do.
 */
export function createTurns(): Turns {
  const small = createQueue<string, () => void>();
  const large = createLargeCalls();
  const callers = trackCallers();
  let isHeld = false;
  /** The turns until the answers that were computed last have left. */
  let leaving = 0;

  const compute = (work: () => void): void => {
    leaving = TURNS_OF_AN_ANSWER;
    work();
  };
  const takeSmall = (): void => {
    const end = performance.now() + TURN_MS;
    do small.take()?.();
    while (small.hasNext() && performance.now() < end);
  };
  const takeNext = (): void => {
    if (large.areLate()) compute(large.take);
    else if (small.hasNext()) compute(takeSmall);
    else if (leaving > 0) leaving--;
    else compute(large.take);
  };
  const hasNext = (): boolean => small.hasNext() || large.hasNext();
  const isIdle = (): boolean => !isHeld && leaving === 0 && !hasNext();
  const goOn = inNextTurn(() => {
    if (isHeld) return;
    takeNext();
    if (hasNext() || leaving > 0) goOn();
  });
  return {
    run: (connection, work) => {
      callers.note(connection);
      if (callers.isAlone() && isIdle()) compute(work);
      else small.add(connection, work);
      goOn();
    },
    runLarge: (connection, work) => {
      callers.note(connection);
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

/** The large calls that wait. */
function createLargeCalls() {
  const waiting = createQueue<string, () => void>();
  let since = 0;
  return {
    hasNext: waiting.hasNext,
    add: (connection: string, work: () => void): void => {
      if (!waiting.hasNext()) since = performance.now();
      waiting.add(connection, work);
    },
    take: (): void => {
      waiting.take()?.();
      since = performance.now();
    },
    areLate: (): boolean => waiting.hasNext() && performance.now() - since > MAX_WAIT_MS,
  };
}

/** Remembers whose calls came. */
function trackCallers() {
  let last: string | undefined;
  let since = 0;
  return {
    note: (connection: string): void => {
      if (connection !== last) since = performance.now();
      last = connection;
    },
    /** True if the connection that called last is the only one that has done so for a while. */
    isAlone: (): boolean => performance.now() - since > ALONE_MS,
  };
}
