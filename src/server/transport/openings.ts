import { createQueue } from "../queue.ts";

/** The streams that are opened as they come, in one turn of the event loop. An honest client opens no more than a few. */
const AT_ONCE = 16;

/** The time to open more streams before connections, timers, health and metrics get the event loop. */
const TURN_MS = 5;

/** Opens streams, at once or later. */
export type OpenInTurns = (connection: object, open: () => void) => void;

/**
 * Lets connections take turns to open streams. Thousands of streams that come at once then delay others by a few milliseconds, and
 * cost nothing more if they have been reset meanwhile.
 */
export function createOpenings(): OpenInTurns {
  const waiting = createQueue<object, () => void>();
  let left = AT_ONCE;
  let isScheduled = false;

  const run = (): void => {
    isScheduled = false;
    left = AT_ONCE;
    const end = performance.now() + TURN_MS;
    while (waiting.hasNext() && performance.now() < end) waiting.take()?.();
    if (waiting.hasNext()) schedule();
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
