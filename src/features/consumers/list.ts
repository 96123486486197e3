import type { Grantee } from "../../crossplane/reference-grant.ts";
import type { JsonObject } from "../../model/json.ts";
import { type Consumer, compareConsumers } from "../../ownership/consumer.ts";
import type { KnownAccess } from "./access.ts";

/** A consumer, and whether it is granted: all namespaces that it needs, or its kind by a ReferenceGrant. */
export interface JudgedConsumer extends Consumer {
  readonly isGranted: boolean;
}

export function judge(
  consumers: readonly Consumer[],
  access: KnownAccess,
  grantees: readonly Grantee[],
): readonly JudgedConsumer[] {
  const referred = new Set(grantees.map(formatGrantee));
  return consumers.map((consumer) => ({
    ...consumer,
    isGranted:
      consumer.namespaces.every(access.isGranted) || consumer.grantees.some((one) => referred.has(formatGrantee(one))),
  }));
}

const formatGrantee = ({ namespace, kind }: Grantee): string => `${namespace}/${kind}`;

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
