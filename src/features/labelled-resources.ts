import { canSelectNamespaces } from "../crossplane/generation.ts";
import {
  COMPOSITE_LABEL,
  COMPOSITION_RESOURCE_NAME,
  findController,
  isBeingDeleted,
  readLabel,
} from "../crossplane/metadata.ts";
import { toPossibleComposer } from "../crossplane/proof.ts";
import { toReference } from "../crossplane/references.ts";
import { toRequirement } from "../crossplane/requirement-names.ts";
import { type Document, stringAt } from "../model/document.ts";
import type { Requirement } from "../model/requirement.ts";
import { RECORD_LABEL } from "../records/record.ts";
import { type Call, isUnreadable } from "./feature.ts";

/** Begins the requirement names of kinds that the pipeline desires, and of those that are recorded only. */
export const DESIRED = "adoption/predecessors/";
export const RECORDED = "adoption/recorded/";

/** Finds what a requirement matches. Crossplane may be allowed to compose a kind that it may not list: then nothing is found. */
function findAll(prefix: string, requirement: Requirement, call: Call): readonly Document[] {
  const answer = isUnreadable(requirement, prefix, call) ? undefined : call.requirements.ask(requirement);
  return answer?.is === "resolved" ? answer.items : [];
}

/** Tells whether what this XR composed under a name is still being deleted: Crossplane would write what is desired anew into it. */
export function isLeaving(name: string, desired: Document, call: Call): boolean {
  const { root, uid } = toPossibleComposer(call.composite);
  return findAll(DESIRED, requireKind(DESIRED, desired, root, call), call).some(
    (item) => isBeingDeleted(item) && stringAt(item, COMPOSITION_RESOURCE_NAME) === name && isFreeFor(uid, item),
  );
}

/** Tells whether the XR of this UID controls a resource, or nobody does. */
export const isFreeFor = (uid: string | undefined, item: Document): boolean =>
  (findController(item)?.uid ?? uid) === uid;

/** Asks for all resources of these kinds with the label of the XR. A recorded kind may not be installed any more. */
export function askForKinds(prefix: string, likes: readonly Document[], call: Call): readonly Document[] {
  const { root } = toPossibleComposer(call.composite);
  const all = likes.map((like) => requireKind(prefix, like, root, call));
  return [...new Map(all.map((one) => [one.name, one])).values()].flatMap((one) => findAll(prefix, one, call));
}

/**
 * Requires all resources of a kind that carry the label of the XR, or of its records, for a namespaced one in that
 * namespace alone: other teams could write the label on as many as they like.
 */
function requireKind(prefix: string, desired: Document, root: string, { request, composite }: Call): Requirement {
  const { apiVersion, kind, namespace: wanted } = toReference(desired);
  const record = readLabel(desired, RECORD_LABEL);
  const namespace = canSelectNamespaces(request, composite) ? (composite.namespace ?? wanted) : undefined;
  const labels = record === undefined ? { [COMPOSITE_LABEL]: root } : { [RECORD_LABEL]: record };
  return toRequirement(`${prefix}${kind}`, { apiVersion, kind, namespace, match: { labels } });
}
