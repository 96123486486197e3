/** The time for which calls are computed before everything else gets a turn: connections, timers, health, metrics. */
const TURN_MS = 5;

export interface Turns {
  /** Does the work when it is the connection's turn. */
  readonly run: (connection: string, work: () => void) => void;
  /** Does nothing more until it is told to go on. */
  readonly hold: () => () => void;
}

/**
 * Lets connections take turns, one call each, and everything else have its turn in between: a client with a thousand
 * calls then stops the others' for as long as one of its calls takes, and a call that was cancelled meanwhile, or whose deadline
 * has passed, is known to be so before it is computed.
 */
export function createTurns(): Turns {
  /** In the order of their turns. */
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
