import type { JsonObject } from "../../model/json.ts";
import { compareConsumers, type JudgedConsumer } from "../../ownership/consumer.ts";

/** The largest number of consumers that the status lists: an entry may have 1 KB, and Crossplane takes 4 MiB. */
const MAX_LISTED = 1000;

/**
 * Chooses those that are listed where there are too many. A team can write as many as it likes into its own namespace, and they
 * must not take the place of others': what is granted comes first, and then each namespace's first, each one's second, and so on.
 */
function limit(consumers: readonly JudgedConsumer[], max = MAX_LISTED): readonly JudgedConsumer[] {
  if (consumers.length <= max) return consumers;
  const counts = new Map<string, number>();
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
  items: limit(consumers).map(({ namespace, kind, name, secretName, isGranted }) => ({
    namespace,
    kind,
    name,
    secretName,
    granted: isGranted,
  })),
});
