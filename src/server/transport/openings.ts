import { inNextTurn } from "../next-turn.ts";
import { createQueue } from "../queue.ts";

/** How much is opened in one turn of the event loop: `atOnce` as they come, and as many more as fit into the time. */
interface TurnLimits {
  readonly atOnce: number;
  readonly turnMs: number;
}

/** Opens something of a connection, at once or later. */
export type OpenInTurns = (connection: object, open: () => void) => void;

/**
 * Lets connections take turns to open what they open. Thousands of streams that come at once then delay others by a few
 * milliseconds, and cost nothing more if they have been reset meanwhile.
 */
export function createOpenings({ atOnce, turnMs }: TurnLimits): OpenInTurns {
  const waiting = createQueue<object, () => void>();
  let left = atOnce;

  const goOn = inNextTurn(() => {
    left = atOnce;
    const end = performance.now() + turnMs;
    while (waiting.hasNext() && (left-- > 0 || performance.now() < end)) waiting.take()?.();
    if (waiting.hasNext()) goOn();
    else left = atOnce;
  });
  return (connection, open) => {
    goOn();
    if (left > 0 && !waiting.hasNext()) {
      left--;
      open();
    } else {
      waiting.add(connection, open);
    }
  };
}
