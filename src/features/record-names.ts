import { isManaged, readCreationTime, readManagedKind } from "../crossplane/managed-resource.ts";
import { ALL_ACTIONS, isObserver, mayDelete, readPolicies } from "../crossplane/management-policies.ts";
import { EXTERNAL_NAME, isBeingDeleted, isPaused, readAnnotation, readLabel } from "../crossplane/metadata.ts";
import { toReference } from "../crossplane/references.ts";
import { toRequirement } from "../crossplane/requirement-names.ts";
import { type Document, stringAt } from "../model/document.ts";
import { withResource } from "../model/draft.ts";
import { IDENTITY_LABEL, ROTATION } from "../ownership/annotations.ts";
import {
  appliedNames,
  composeNames,
  NAMES_NAME,
  NO_NAMES,
  type RecordedName,
  type RecordedNames,
  readNames,
  toRecordedKind,
} from "../records/names-record.ts";
import { desiredSoFar, observedAs, observedOwn } from "./desired.ts";
import type { Call, Feature } from "./feature.ts";

/**
 * Recalls the recorded names of the XR's composed resources. Those of a cluster-scoped record are `confirmed`.
 *
 * A team may write the record of its namespaced XR. An external name in it would give the team any cloud resource. So an
 * operator applies a cluster-scoped record, which is looked up while a resource or its external name is missing.
 */
export function recallNames(call: Call): Readonly<Record<"names" | "confirmed", RecordedNames>> {
  const { composite } = call;
  const own = readNames(observedOwn(NAMES_NAME, call));
  if (composite.namespace === undefined) return { names: own, confirmed: own };
  if (!isRecording(call) || !isAnyMissing(own, call)) return { names: own, confirmed: NO_NAMES };
  const answer = call.requirements.ask(toRequirement("names/record", appliedNames(composite)));
  const confirmed = answer.is === "pending" ? NO_NAMES : readNames(answer.items[0]);
  return { names: new Map([...confirmed, ...own]), confirmed };
}

const isRecording = ({ input: { spec } }: Call): boolean =>
  spec.adoption !== undefined || spec.externalNames !== undefined;

const isAnyMissing = (own: RecordedNames, { request: { observed, desired } }: Call): boolean =>
  [...desired.resources.keys(), ...own.keys()].some((name) => {
    const document = observed.resources.get(name)?.document;
    const hasLostName = own.get(name)?.externalName !== undefined && document?.at(EXTERNAL_NAME) === undefined;
    return document === undefined || hasLostName;
  });

/**
 * Records the names of all composed resources, in case one of them or the cluster is lost. Removes the entry of an
 * observed resource that no step desires, or that is being deleted together with its cloud resource.
 */
export const recordNames: Feature = (call, draft) => {
  if (!isRecording(call)) return draft;
  const { observed, desired: earlier } = call.request;
  const desired = desiredSoFar(call, draft);
  const before = new Map([...recallNames(call).names, ...readNames(earlier.resources.get(NAMES_NAME)?.document)]);
  const names = new Map([...before].filter(([name]) => desired.has(name) || !observed.resources.has(name)));
  for (const name of observed.resources.keys()) {
    const wanted = desired.get(name);
    const document = wanted && observedAs(name, toReference(wanted), call);
    if (wanted === undefined || document === undefined || name === NAMES_NAME) continue;
    // A provider deletes the cloud resource, too, but does nothing while the managed resource is paused.
    const isDeletedForGood = isBeingDeleted(document) && !isPaused(document) && mayDelete(document);
    if (isDeletedForGood) names.delete(name);
    else names.set(name, toEntry(name, document, wanted, before.get(name), call));
  }
  return withResource(draft, NAMES_NAME, { is: "set", object: composeNames(call.composite, names), ready: "True" });
};

function toEntry(name: string, observed: Document, desired: Document, before: RecordedName | undefined, call: Call) {
  const { input, request } = call;
  const kind = toRecordedKind(readManagedKind(desired));
  const recorded = before?.kind === kind ? before.externalName : undefined;
  const rotation = readAnnotation(desired, ROTATION);
  const { apiVersion, name: own } = toReference(observed);
  const entry = { kind, apiVersion, name: own, externalName: recorded, rotation };
  if (input.spec.externalNames === undefined || !isManaged(observed)) return entry;
  const nameOf = (document: Document | undefined) => document && stringAt(document, EXTERNAL_NAME);
  // A name that earlier steps set comes first. A recorded name stays until a person decides, whatever is observed.
  const set = nameOf(request.desired.resources.get(name)?.document);
  const found = isNameLent(observed, desired) ? undefined : (nameOf(desired) ?? nameOf(observed));
  return { ...entry, externalName: set ?? recorded ?? found };
}

/**
 * Tells whether the external name may be the owner's, which `tags` gives an observer: it may end with the owner.
 *
 * @param labelled the managed resource with the labels of `tags`.
 */
export const isNameLent = (observed: Document, labelled: Document): boolean =>
  readLabel(labelled, IDENTITY_LABEL) !== undefined &&
  isObserver(readPolicies(observed) ?? ALL_ACTIONS) &&
  readCreationTime(observed) === undefined;
