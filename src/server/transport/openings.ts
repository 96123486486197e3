import { createQueue } from "../queue.ts";

/** How much is opened in one turn of the event loop. */
interface Pace {
  /** That many are opened as they come; an honest client opens no more. */
  readonly atOnce: number;
  /** The time for more of them; without it the next ones wait for the next turn. */
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
    while (waiting.hasNext() && (left > 0 || performance.now() < end)) {
      left--;
      waiting.take()?.();
    }
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
