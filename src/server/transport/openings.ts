import { createQueue } from "../queue.ts";

/** How much is opened in one turn of the event loop. */
interface Pace {
  /** That many are opened as they come. */
  readonly atOnce: number;
  /** The time for those that wait; 0 opens `atOnce` of them. */
  readonly turnMs: number;
}

/** Opens something of a connection, at once or later. */
export type OpenInTurns = (connection: object, open: () => void) => void;

/**
 * Lets connections take turns to open what they open. Thousands of streams that come at once then delay others by a few
 * milliseconds, and cost nothing more if they have been reset meanwhile.
 */
export function createOpenings({ atOnce, turnMs }: Pace): OpenInTurns {
  const waiting = createQueue<object, () => void>();
  let left = atOnce;
  let isScheduled = false;

  const run = (): void => {
    isScheduled = false;
    left = atOnce;
    const end = performance.now() + turnMs;
    while (waiting.hasNext() && (turnMs > 0 ? performance.now() < end : left-- > 0)) waiting.take()?.();
    if (waiting.hasNext()) schedule();
    else left = atOnce;
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
