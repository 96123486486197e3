import { toApiGroup, toGroupKind } from "../../src/crossplane/api-group.ts";
import { readManagedKind } from "../../src/crossplane/managed-resource.ts";
import { readPolicies } from "../../src/crossplane/management-policies.ts";
import { EXTERNAL_NAME, readAnnotation } from "../../src/crossplane/metadata.ts";
import { findFacts } from "../../src/crossplane/providers/families.ts";
import { toReference } from "../../src/crossplane/references.ts";
import { type Document, documentOf, stringAt } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { toCommand } from "../../src/model/shell.ts";
import { IDENTITY_LABEL, LEAVE_BEHIND, ORIGIN } from "../../src/ownership/annotations.ts";
import { allowsDeletion, type Contender, toContender } from "../../src/ownership/contender.ts";
import { type ApiClient, type Cluster, toCluster } from "../cluster/cluster.ts";
import { inParallel, list } from "../cluster/list.ts";
import type { ResourceQuery } from "../lookup/holding.ts";
import { findKinds } from "../lookup/ownership.ts";
import type { AdmissionRequest, Decision } from "./review.ts";

/** The time after which the installed kinds are read again. */
const KINDS_MS = 300_000;
/** The interval at which an unknown kind, which may have been installed since, is looked for. */
const MISSING_KIND_MS = 10_000;

type ReadCluster = ReturnType<typeof cacheKinds>;

/** Caches the installed kinds, and reads them again after a while or if a wanted one is missing. */
export function cacheKinds(client: ApiClient) {
  let known: Cluster = { ...client, kinds: [] };
  let askedAt = Number.NEGATIVE_INFINITY;
  return async (wanted: readonly Pick<ResourceQuery, "group" | "kind">[]): Promise<Cluster> => {
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

/** Recently admitted deletions by UID. A list may still show them, so that each of two simultaneous ones would find the other. */
export type Departed = Map<string, { readonly leaving: Contender; readonly at: number }>;

/** Decides on a deletion: the last managed resource of a cloud resource must not orphan it. @throws {ClusterError} */
export async function decideDeparture(
  { oldObject, subResource, dryRun }: AdmissionRequest,
  departed: Departed,
  read: ReadCluster,
): Promise<Decision> {
  const leaving = oldObject && subResource === undefined ? toDeparture(oldObject) : undefined;
  if (leaving === undefined) return ALLOWED;
  const now = performance.now();
  for (const [uid, { at }] of departed) if (at < now - DEPARTED_MS) departed.delete(uid);
  // Before the look-up, so that one of two simultaneous deletions sees the other.
  if (!dryRun) departed.set(leaving.uid, { leaving, at: now });
  const contenders = await findContenders(leaving, read);
  const before = [...departed.values()].map((each) => each.leaving);
  if (contenders === undefined || !leavesBehind(leaving, contenders, before)) return ALLOWED;
  departed.delete(leaving.uid);
  return { is: "denied", message: explainDeparture(leaving), warnings: [] };
}

/** Finds the contenders, cluster-scoped and namespaced; undefined if the cluster no longer serves the kind. */
async function findContenders({ document, identity }: Contender, read: ReadCluster) {
  const wanted = readManagedKind(document);
  const cluster = await read([wanted]);
  const kinds = findKinds(wanted, cluster);
  if (kinds.every(({ group }) => group !== toApiGroup(wanted.apiVersion))) return undefined;
  // The managed resources of an association may differ in their external names. Their status tells which one the cloud has.
  const options = { labelSelector: `${IDENTITY_LABEL}=${identity}`, isMetadataOnly: !isAssociation(document) };
  return (await inParallel(kinds, (kind) => list(cluster, kind, options))).flat().map(toContender);
}

/**
 * Reads a managed resource that is to be deleted; undefined if it may be deleted, whatever remains:
 *
 * - it has no identity label, is being deleted already, or deletes the cloud resource with it;
 * - it owns a cloud resource that was created for it or an earlier owner, or that may be deleted, and has no successor: the function then leaves
 *   the policies of its Composition, which lack Delete on purpose;
 * - an operator has annotated it to leave the cloud resource behind.
 */
export function toDeparture(managed: JsonObject): Contender | undefined {
  const leaving = toContender(documentOf(managed));
  const { document, identity, isMarked, acknowledged, isDeleting, mayDelete, isDeletionAllowed } = leaving;
  if (identity === undefined || isDeleting || mayDelete) return undefined;
  const isSettled = isDeletionAllowed || readAnnotation(document, ORIGIN) !== undefined;
  if (isMarked && acknowledged.size === 0 && isSettled) return undefined;
  return readAnnotation(document, LEAVE_BEHIND) === "true" ? undefined : leaving;
}

/**
 * Tells whether a deletion orphans a cloud resource that a managed resource created: no other managed resource remains
 * that can own it. For an association, a remaining one needs the deleted one's external name; with another it counts if its
 * provider finds the cloud resource while the deleted one's cannot tell, or if the deleted one's found none.
 */
export function leavesBehind(leaving: Contender, contenders: readonly Contender[], departed: readonly Contender[]) {
  const before = departed.filter(({ identity }) => identity === leaving.identity);
  const gone = new Set([leaving, ...before].map(({ uid }) => uid));
  const name = isAssociation(leaving.document) ? stringAt(leaving.document, EXTERNAL_NAME) : undefined;
  const hasName = ({ document, observation }: Contender): boolean => {
    const known = stringAt(document, EXTERNAL_NAME);
    if (name === undefined || known === name) return true;
    const isStale =
      leaving.observation === "absent" || (leaving.observation === "unknown" && observation === "present");
    return known !== undefined && isStale;
  };
  const isSucceeded = contenders.some((one) => !one.isDeleting && !gone.has(one.uid) && hasName(one));
  return !isSucceeded && [leaving, ...before, ...contenders].some(allowsDeletion);
}

function explainDeparture({ document, name: qualified }: Contender): string {
  const { apiVersion, kind, namespace, name } = toReference(document);
  const target = toGroupKind(kind.toLowerCase(), toApiGroup(apiVersion));
  const resource = [target, name, ...(namespace === undefined ? [] : ["-n", namespace])];
  const spec = readPolicies(document) === undefined ? { deletionPolicy: "Delete" } : { managementPolicies: ["*"] };
  return (
    `cannot delete ${kind} ${qualified}: it is the last managed resource of a cloud resource that was created for it or for an ` +
    "earlier owner, and its policies do not allow Delete, so the cloud resource would be orphaned. " +
    `To delete both: ${toCommand("kubectl", "patch", ...resource, "--type=merge", "-p", JSON.stringify({ spec }))}, and delete it again. ` +
    `To orphan the cloud resource: ${toCommand("kubectl", "annotate", ...resource, `${LEAVE_BEHIND}=true`)}, and delete it again`
  );
}

/** Tells whether fields identify the cloud resource, such as both ends of an association, and its provider makes up the external name. */
function isAssociation(managed: Document): boolean {
  const { group, kind } = readManagedKind(managed);
  return findFacts(group, kind).identity.name.is === "association";
}
