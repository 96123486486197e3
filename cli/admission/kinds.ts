import type { Cluster } from "../cluster/cluster.ts";
import { discover, type ResourceKind } from "../cluster/discovery.ts";
import { findKinds } from "../lookup/look-up.ts";
import type { ResourceQuery } from "../lookup/query.ts";

/** The time after which the installed kinds are read again. */
const KINDS_MS = 300_000;
/** The interval at which an unknown kind, which may have been installed since, is looked for. */
const MISSING_KIND_MS = 10_000;

/** A kind of managed resource; the group is without the `.m` of namespaced ones. */
type Named = Pick<ResourceQuery, "group" | "kind">;

export type Kinds = (wanted: readonly Named[]) => Promise<readonly ResourceKind[]>;

/** Caches the installed kinds; reads them again after a while, or if a wanted one is missing. */
export function rememberKinds(cluster: Cluster): Kinds {
  let known: readonly ResourceKind[] = [];
  let askedAt = Number.NEGATIVE_INFINITY;
  return async (wanted) => {
    const age = performance.now() - askedAt;
    const isMissing = wanted.some((named) => findKinds(named, known).length === 0);
    if (age > KINDS_MS || (isMissing && age > MISSING_KIND_MS)) {
      known = await discover(cluster);
      askedAt = performance.now();
    }
    return known;
  };
}
