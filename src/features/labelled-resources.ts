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

/** The prefixes of the requirements for kinds that the pipeline desires, and for kinds that are recorded only. */
export const DESIRED = "adoption/predecessors/";
export const RECORDED = "adoption/recorded/";

/** Tells whether the resource composed under this name is being deleted. Crossplane would write into that one, not create another. */
export function isLeaving(name: string, desired: Document, call: Call): boolean {
  const { uid } = toPossibleComposer(call.composite);
  return askForKinds(DESIRED, [desired], call).some(
    (item) => isBeingDeleted(item) && stringAt(item, COMPOSITION_RESOURCE_NAME) === name && isFreeFor(uid, item),
  );
}

/** Tells whether a resource has no other controller than the XR with this UID. */
export const isFreeFor = (uid: string | undefined, item: Document): boolean =>
  (findController(item)?.uid ?? uid) === uid;

/** Finds all resources with the XR's label, of the kinds of `likes` that Crossplane can list. */
export function askForKinds(prefix: string, likes: readonly Document[], call: Call): readonly Document[] {
  const { root } = toPossibleComposer(call.composite);
  const all = likes.map((like) => requireKind(prefix, like, root, call));
  return [...new Map(all.map((one) => [one.name, one])).values()].flatMap((one) => {
    const answer = isUnreadable(one, prefix, call) ? undefined : call.requirements.ask(one);
    return answer?.is === "resolved" ? answer.items : [];
  });
}

/**
 * Requires all resources of a kind with the label of the XR or, for a record, with the record's own label. A namespaced XR requires those
 * of its own namespace only: other teams could write the label on any number of resources.
 */
function requireKind(prefix: string, desired: Document, root: string, { request, composite }: Call): Requirement {
  const { apiVersion, kind, namespace: wanted } = toReference(desired);
  const record = readLabel(desired, RECORD_LABEL);
  const namespace = canSelectNamespaces(request, composite) ? (composite.namespace ?? wanted) : undefined;
  const labels = record === undefined ? { [COMPOSITE_LABEL]: root } : { [RECORD_LABEL]: record };
  return toRequirement(`${prefix}${kind}`, { apiVersion, kind, namespace, match: { labels } });
}
