import { canSelectNamespaces } from "../crossplane/generation.ts";
import {
  COMPOSITE_LABEL,
  COMPOSITION_RESOURCE_NAME,
  findController,
  isBeingDeleted,
  readLabel,
  readUid,
} from "../crossplane/metadata.ts";
import { findProof, type Nesting, nestingBy, toPossibleComposer, toRoot } from "../crossplane/proof.ts";
import { formatReference, type Reference, toReference } from "../crossplane/references.ts";
import { couldNotBeRead, toRequirement } from "../crossplane/requirement-names.ts";
import { groupBy } from "../model/collections.ts";
import { type Document, stringAt } from "../model/document.ts";
import { lazy, once } from "../model/once.ts";
import type { Requirement } from "../model/requirement.ts";
import { RECORD_LABEL } from "../records/record.ts";
import { type Call, isUnreadable } from "./feature.ts";

/** The prefixes of the requirements for kinds that the pipeline desires, and for kinds that are recorded only. */
export const DESIRED = "adoption/predecessors/";
export const RECORDED = "adoption/recorded/";

/** Tells whether a resource that was composed under this name is being deleted: Crossplane would write into it, not create one. */
export const isLeaving = (name: string, desired: Document, call: Call): boolean =>
  (leavingIn(findItems(requireKind(DESIRED, desired, call), DESIRED, call)).get(name) ?? []).some((item) =>
    isFree(item, call),
  );

/** Indexes the resources that are being deleted by their names in the Composition, once: a team may write many, and desire many. */
const leavingIn = once((items: readonly Document[]) =>
  groupBy(items.filter(isBeingDeleted), (item) => stringAt(item, COMPOSITION_RESOURCE_NAME)),
);

/** Tells whether a resource has no other controller than this XR. */
export function isFree(item: Document, { composite }: Call): boolean {
  const controller = findController(item);
  return controller === undefined || controller.uid === readUid(composite.document);
}

/** Finds all resources with the XR's label, of the kinds of `likes` that Crossplane can list. */
export function askForKinds(prefix: string, likes: readonly Document[], call: Call): readonly Document[] {
  const all = likes.map((like) => requireKind(prefix, like, call));
  return [...new Map(all.map((one) => [one.name, one])).values()].flatMap((one) => findItems(one, prefix, call));
}

/** Returns the list of the answer itself, by which `leavingIn` caches. */
function findItems(requirement: Requirement, prefix: string, call: Call): readonly Document[] {
  if (isUnreadable(requirement, prefix, call)) return NONE;
  // A recorded kind may have left the cluster since. A desired one that is not served fails the XR anyway.
  const isDoubtful = prefix === RECORDED && call.request.capabilities.has("RequiredSchemas");
  const answer = isDoubtful ? call.requirements.askIfServed(requirement) : call.requirements.ask(requirement);
  return answer.is === "resolved" ? answer.items : NONE;
}

const NONE: readonly Document[] = [];

/**
 * Requires all resources of a kind with the label of the XR or, for a record, with the record's own label. A namespaced XR requires those
 * of its own namespace only: other teams could write the label on any number of resources.
 */
function requireKind(prefix: string, desired: Document, { request, composite }: Call): Requirement {
  const { apiVersion, kind, namespace: wanted } = toReference(desired);
  const record = readLabel(desired, RECORD_LABEL);
  const namespace = canSelectNamespaces(request, composite) ? (composite.namespace ?? wanted) : undefined;
  const labels = record === undefined ? { [COMPOSITE_LABEL]: toRoot(composite.document) } : { [RECORD_LABEL]: record };
  return toRequirement(`${prefix}${kind}`, { apiVersion, kind, namespace, match: { labels } });
}

export function requireAs(prefix: string, reference: Reference): Requirement {
  const { apiVersion, kind, namespace, name } = reference;
  return toRequirement(`${prefix}${formatReference(reference)}`, { apiVersion, kind, namespace, match: { name } });
}

const CONTROLLER = "adoption/controller/";

/** This XR, and a function that looks for proof that the XR composed a resource: `unconfirmed` or `pending` only if it is nested. */
export type Prover = ReturnType<typeof proverFor>;

export function proverFor({ composite, requirements }: Call) {
  const composer = toPossibleComposer(composite);
  const { root, document } = composer;
  // Confirms that the XR is nested, as far as Crossplane has looked up the XRs above it.
  const nesting = lazy(
    (): Nesting =>
      couldNotBeRead(CONTROLLER, document)
        ? { is: "unconfirmed", root, because: "Crossplane could not read the controller of this XR" }
        : nestingBy((reference) => requirements.ask(requireAs(CONTROLLER, reference)))(document),
  );
  const prove = (resource: Document) => {
    const proof = findProof(resource, composer);
    return proof.is === "nested" ? nesting() : proof;
  };
  return { composer, prove };
}
