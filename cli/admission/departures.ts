import { toApiGroup, toGroupKind, withoutScope } from "../../src/crossplane/api-group.ts";
import { readPolicies } from "../../src/crossplane/management-policies.ts";
import { EXTERNAL_NAME, readAnnotation } from "../../src/crossplane/metadata.ts";
import { findFacts } from "../../src/crossplane/providers/families.ts";
import { documentOf, stringAt } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { IDENTITY_LABEL, LEAVE_BEHIND, ORIGIN } from "../../src/ownership/annotations.ts";
import { type Contender, toContender } from "../../src/ownership/contender.ts";
import { type ApiClient, type Cluster, toCluster } from "../cluster/cluster.ts";
import { inParallel, list } from "../cluster/list.ts";
import type { ResourceQuery } from "../lookup/holding.ts";
import { findKinds } from "../lookup/look-up.ts";
import type { AdmissionRequest, Decision } from "./review.ts";

/** The time after which the installed kinds are read again. */
const KINDS_MS = 300_000;
/** The interval at which an unknown kind, which may have been installed since, is looked for. */
const MISSING_KIND_MS = 10_000;

/** A kind of managed resource; the group is without the `.m` of namespaced ones. */
type KindName = Pick<ResourceQuery, "group" | "kind">;

/** Reads a cluster, in which these kinds may have been installed since it was read last. */
export type ReadCluster = (wanted: readonly KindName[]) => Promise<Cluster>;

/** Caches the installed kinds; reads them again after a while, or if a wanted one is missing. */
export function rememberKinds(client: ApiClient): ReadCluster {
  let known: Cluster = { ...client, kinds: [] };
  let askedAt = Number.NEGATIVE_INFINITY;
  return async (wanted) => {
    const age = performance.now() - askedAt;
    const isMissing = wanted.some((named) => findKinds(named, known).length === 0);
    if (age > KINDS_MS || (isMissing && age > MISSING_KIND_MS)) {
      known = await toCluster(client);
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
  readonly #read: ReadCluster;
  /** Admitted deletions by UID: the lists do not show each other's of two simultaneous ones. */
  readonly #departed = new Map<string, { readonly departure: Departure; readonly at: number }>();

  constructor(read: ReadCluster) {
    this.#read = read;
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
    const cluster = await this.#read([wanted]);
    const kinds = findKinds(wanted, cluster); // of both twins
    if (kinds.every(({ group }) => group !== departure.group)) return false; // not served any more: its provider is gone
    const labelSelector = `${IDENTITY_LABEL}=${departure.identity}`;
    const contenders = await inParallel(kinds, (kind) => list(cluster, kind, { labelSelector, isMetadataOnly: true }));
    return leavesBehind(
      departure,
      contenders.flat().map(toContender),
      [...this.#departed.values()].map((departed) => departed.departure),
    );
  }

  #forget(): void {
    const before = performance.now() - DEPARTED_MS;
    for (const [uid, { at }] of this.#departed) if (at < before) this.#departed.delete(uid);
  }
}

/** A managed resource that is to be deleted, and does not delete its cloud resource. */
export interface Departure {
  readonly group: string;
  readonly kind: string;
  readonly identity: string;
  readonly leaving: Contender;
}

/**
 * Reads a managed resource that is to be deleted; undefined if its cloud resource needs no successor:
 *
 * - it is no contender, or deletes the cloud resource itself,
 * - it owns a cloud resource that a contender created, without successors, and was reconciled since, so that its policies are those of
 *   its Composition,
 * - an operator wants the cloud resource to stay.
 */
export function toDeparture(managed: JsonObject): Departure | undefined {
  const document = documentOf(managed);
  const leaving = toContender(document);
  const { identity, isMarked, acknowledged, isDeleting, isDeletingWithIt } = leaving;
  if (identity === undefined || isDeleting || isDeletingWithIt) return undefined;
  if (isMarked && acknowledged.size === 0 && readAnnotation(document, ORIGIN) !== undefined) return undefined;
  if (readAnnotation(document, LEAVE_BEHIND) === "true") return undefined;
  const group = toApiGroup(stringAt(document, ["apiVersion"]) ?? "");
  return { group, kind: stringAt(document, ["kind"]) ?? "", identity, leaving };
}

/**
 * Tells whether a deletion would leave a cloud resource without an owner: a managed resource created it, and no other one remains that
 * can take it over. A cloud resource that existed before is meant to stay. A successor has to know the name that a provider made up for
 * an association, unless nothing has that name.
 *
 * @param departed the admitted deletions, which the API server's lists may not show yet.
 */
export function leavesBehind(
  { identity, leaving, group, kind }: Departure,
  contenders: readonly Contender[],
  departed: readonly Departure[],
): boolean {
  const before = departed.filter((other) => other.identity === identity).map((other) => other.leaving);
  const gone = new Set([leaving, ...before].map(({ uid }) => uid));
  const isAssociation = findFacts(withoutScope(group), kind).identity.name.is === "association";
  const name = isAssociation ? stringAt(leaving.document, EXTERNAL_NAME) : undefined;
  const isStale = leaving.observation === "absent";
  const hasName = ({ document }: Contender): boolean => {
    const known = stringAt(document, EXTERNAL_NAME);
    return name === undefined || known === name || (isStale && known !== undefined);
  };
  const isSucceeded = contenders.some((one) => !one.isDeleting && !gone.has(one.uid) && hasName(one));
  return !isSucceeded && [leaving, ...before, ...contenders].some(({ isCreated }) => isCreated);
}

/** The sentence for the person who deletes it, with the commands that go on. */
function explainDeparture({ group, kind, leaving }: Departure): string {
  const target = toGroupKind(kind.toLowerCase(), group);
  const namespace = stringAt(leaving.document, ["metadata", "namespace"]);
  const name = stringAt(leaving.document, ["metadata", "name"]) ?? "NAME";
  const resource = `${target} ${name}${namespace === undefined ? "" : ` -n ${namespace}`}`;
  const spec =
    readPolicies(leaving.document) === undefined ? { deletionPolicy: "Delete" } : { managementPolicies: ["*"] };
  return (
    `cannot delete ${kind} ${leaving.name}: it is the last managed resource of a cloud resource that was created for it ` +
    "or for an earlier owner, and it has no policy Delete, so the cloud resource would stay without an owner. " +
    `To delete both: kubectl patch ${resource} --type=merge -p '${JSON.stringify({ spec })}', and delete it again. ` +
    `To leave the cloud resource behind: kubectl annotate ${resource} ${LEAVE_BEHIND}=true`
  );
}
