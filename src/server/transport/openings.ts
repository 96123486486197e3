import { createQueue } from "../queue.ts";

/** The longest time to open what waits before connections, timers, health and metrics get the event loop. */
const TURN_MS = 5;

/** Opens something of a connection, at once or later. */
export type OpenInTurns = (connection: object, open: () => void) => void;

/**
 * Lets connections take turns to open what they open. Thousands of streams that come at once then delay others by a few
 * milliseconds, and cost nothing more if they have been reset meanwhile.
 *
 * @param perTurn is opened in one turn of the event loop at most, the first of them as they come.
 */
export function createOpenings(perTurn: number): OpenInTurns {
  const waiting = createQueue<object, () => void>();
  let left = perTurn;
  let isScheduled = false;

  const run = (): void => {
    isScheduled = false;
    left = perTurn;
    const end = performance.now() + TURN_MS;
    while (waiting.hasNext() && left > 0 && performance.now() < end) {
      left--;
      waiting.take()?.();
    }
    if (waiting.hasNext()) schedule();
    else left = perTurn;
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(run);
  };
  return (connection, open) => {
    schedule();
    if (left > 0 && !waiting.hasNext()) {
      left--;
      open();
    } else {
      waiting.add(connection, open);
    }
  };
}
