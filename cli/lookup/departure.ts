import { toApiGroup, toGroupKind } from "../../src/crossplane/api-group.ts";
import { readPolicies } from "../../src/crossplane/management-policies.ts";
import { readAnnotation } from "../../src/crossplane/metadata.ts";
import { documentOf, stringAt } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { type Contender, toContender } from "../../src/ownership/contender.ts";
import { IDENTITY, LEAVE_BEHIND, ORIGIN } from "../../src/ownership/marks.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { ResourceKind } from "../cluster/discovery.ts";
import { list } from "../cluster/list.ts";

/** A managed resource that is to be deleted, and does not delete its cloud resource. */
export interface Departure {
  readonly group: string;
  readonly kind: string;
  readonly identity: string;
  readonly leaving: Contender;
}

/**
 * Reads a managed resource that is to be deleted; undefined where its cloud resource needs no successor:
 *
 * - it is no contender, or deletes the cloud resource itself,
 * - it owns a cloud resource that one of ours created, has no successors to leave it to, and was reconciled since, so its policies are
 *   those that its Composition asks for,
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

/** Lists the managed resources of the same cloud resource, as the API server shows them. @throws {ClusterError} */
export async function listContenders(
  cluster: Cluster,
  kind: ResourceKind,
  { identity }: Departure,
): Promise<readonly Contender[]> {
  const found = await list(cluster, kind, { labelSelector: `${IDENTITY}=${identity}`, isMetadataOnly: true });
  return found.map((object) => toContender(documentOf(object)));
}

/**
 * Tells whether the cloud resource would be left without an owner: one of ours created it, and no other managed resource stays that can
 * take it over. What existed before is to stay.
 *
 * @param departed departures that were admitted, which the API server may not show yet, or not any more.
 */
export function leavesBehind(
  { identity, leaving }: Departure,
  contenders: readonly Contender[],
  departed: readonly Departure[],
): boolean {
  const before = departed.filter((other) => other.identity === identity).map((other) => other.leaving);
  const gone = new Set([leaving, ...before].map(({ uid }) => uid));
  const isSucceeded = contenders.some(({ uid, isDeleting }) => !isDeleting && !gone.has(uid));
  return !isSucceeded && [leaving, ...before, ...contenders].some(({ isCreated }) => isCreated);
}

/** The sentence for the person who deletes it, with the commands that go on. */
export function explainDeparture({ group, kind, leaving }: Departure): string {
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
