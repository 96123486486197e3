import { withoutScope } from "../../src/crossplane/api-group.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { discover, type ResourceKind } from "../cluster/discovery.ts";
import { type Departure, explainDeparture, leavesBehind, listContenders, toDeparture } from "../lookup/departure.ts";
import { findKinds } from "../lookup/look-up.ts";
import type { ResourceQuery } from "../lookup/query.ts";
import type { AdmissionRequest, Decision } from "./review.ts";

/** The time after which the installed kinds are read again. */
const KINDS_MS = 300_000;
/** The interval at which an unknown kind, which may have been installed since, is looked for. */
const MISSING_KIND_MS = 10_000;

/** A kind of managed resource; the group is without the `.m` of namespaced ones. */
type KindName = Pick<ResourceQuery, "group" | "kind">;

export type Kinds = (wanted: readonly KindName[]) => Promise<readonly ResourceKind[]>;

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

/** The time after which every list shows an admitted deletion. */
const DEPARTED_MS = 60_000;

const ALLOWED: Decision = { is: "allowed", warnings: [] };

/** Decides on deletions of managed resources: the last one of a cloud resource must not leave it without an owner. */
export class Departures {
  readonly #cluster: Cluster;
  readonly #kinds: Kinds;
  /** Admitted deletions by UID: the lists do not show each other's of two simultaneous ones. */
  readonly #departed = new Map<string, { readonly departure: Departure; readonly at: number }>();

  constructor(cluster: Cluster, kinds: Kinds) {
    this.#cluster = cluster;
    this.#kinds = kinds;
  }

  /** @throws {ClusterError} */
  async decide({ oldObject, subResource, dryRun }: AdmissionRequest): Promise<Decision> {
    const departure = oldObject && subResource === "" ? toDeparture(oldObject) : undefined;
    if (departure === undefined) return ALLOWED;
    this.#forget();
    const { uid } = departure.leaving;
    // Before the look-up, so that one of two simultaneous deletions sees the other.
    if (!dryRun) this.#departed.set(uid, { departure, at: performance.now() });
    if (!(await this.#leavesBehind(departure))) return ALLOWED;
    this.#departed.delete(uid);
    return { is: "denied", message: explainDeparture(departure), warnings: [] };
  }

  async #leavesBehind(departure: Departure): Promise<boolean> {
    const wanted = { group: withoutScope(departure.group), kind: departure.kind };
    const kind = findKinds(wanted, await this.#kinds([wanted])).find(({ group }) => group === departure.group);
    if (kind === undefined) return false; // it is not served any more, so its provider is gone
    const contenders = await listContenders(this.#cluster, kind, departure);
    return leavesBehind(
      departure,
      contenders,
      [...this.#departed.values()].map((departed) => departed.departure),
    );
  }

  #forget(): void {
    const before = performance.now() - DEPARTED_MS;
    for (const [uid, { at }] of this.#departed) if (at < before) this.#departed.delete(uid);
  }
}
