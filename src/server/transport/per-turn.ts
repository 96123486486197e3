import type { Duplex } from "node:stream";
import { inNextTurn } from "../next-turn.ts";
import { createQueue } from "../queue.ts";

/** How much is done in one turn of the event loop: `atOnce` as they come, and as many more as fit into the time. */
interface TurnLimits {
  readonly atOnce: number;
  readonly turnMs: number;
}

/** Does work of a connection, at once or later. */
export type InTurns = (connection: object, work: () => void) => void;

/**
 * Lets connections take turns. Thousands of streams that are opened at once then delay others by a few milliseconds, and cost
 * nothing more if they have been reset meanwhile.
 */
export function limitPerTurn({ atOnce, turnMs }: TurnLimits): InTurns {
  const waiting = createQueue<object, () => void>();
  let left = atOnce;

  const goOn = inNextTurn(() => {
    left = atOnce;
    const end = performance.now() + turnMs;
    while (waiting.hasNext() && (left-- > 0 || performance.now() < end)) waiting.take()?.();
    if (waiting.hasNext()) goOn();
    else left = atOnce;
  });
  return (connection, work) => {
    goOn();
    if (left > 0 && !waiting.hasNext()) {
      left--;
      work();
    } else {
      waiting.add(connection, work);
    }
  };
}

/** Has a connection's listeners hear of its end in turns: a hundred that end at once would close ten thousand streams in one. */
export function closeInTurns(connection: Duplex, inTurns: InTurns): void {
  const emit = connection.emit.bind(connection);
  connection.emit = (event: string, ...args: unknown[]): boolean => {
    if (event !== "close") return emit(event, ...args);
    inTurns(connection, () => emit(event, ...args));
    return true;
  };
}
