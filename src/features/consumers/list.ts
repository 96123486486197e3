import type { JsonObject } from "../../model/json.ts";
import { compareConsumers, type JudgedConsumer, toListed } from "../../ownership/consumer.ts";

/** The largest number of consumers that the status lists: each consumer's request contains the whole shared resource. */
const MAX_LISTED = 50;

/**
 * Chooses those that are listed, or named in a condition, where there are too many. A team can write as many as it likes into its own
 * namespace, and they must not take the place of others': what is granted comes first, and then each namespace's first, each one's
 * second, and so on.
 */
export function limit(consumers: readonly JudgedConsumer[], max = MAX_LISTED): readonly JudgedConsumer[] {
  if (consumers.length <= max) return consumers;
  const counts = new Map<string | undefined, number>();
  const ranked = consumers.map((consumer) => {
    const rank = counts.get(consumer.namespace) ?? 0;
    counts.set(consumer.namespace, rank + 1);
    return { consumer, rank };
  });
  ranked.sort((a, b) => Number(b.consumer.isGranted) - Number(a.consumer.isGranted) || a.rank - b.rank);
  return ranked
    .slice(0, max)
    .map(({ consumer }) => consumer)
    .sort(compareConsumers);
}

/** The status, without the credentials. */
export const toStatus = (consumers: readonly JudgedConsumer[]): JsonObject => ({
  count: consumers.length,
  withoutGrant: consumers.filter(({ isGranted }) => !isGranted).length,
  items: limit(consumers).map(toListed),
});
