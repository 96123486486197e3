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
  /** Work by connection, in the order of turns. */
  const waiting = new Map<string, (() => void)[]>();
  let isScheduled = false;
  let isHeld = false;

  const take = (): (() => void) | undefined => {
    for (const [connection, queue] of waiting) {
      const work = queue.shift();
      waiting.delete(connection);
      if (queue.length > 0) waiting.set(connection, queue); // behind the others
      return work;
    }
    return undefined;
  };
  const run = (): void => {
    const end = performance.now() + TURN_MS;
    isScheduled = false;
    if (isHeld) return;
    do take()?.();
    while (waiting.size > 0 && performance.now() < end);
    schedule();
  };
  const schedule = (): void => {
    if (isScheduled || isHeld || waiting.size === 0) return;
    isScheduled = true;
    setImmediate(run);
  };
  return {
    run: (connection, work) => {
      const queue = waiting.get(connection);
      if (queue) queue.push(work);
      else waiting.set(connection, [work]);
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
