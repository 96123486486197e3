import { readManagedKind } from "../../crossplane/managed-resource.ts";
import { isBeingDeleted, isWrittenByOthers, NAME, readAnnotation } from "../../crossplane/metadata.ts";
import { referencesPath, toReference, toReferences } from "../../crossplane/references.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { type Draft, withObjects, withResults } from "../../model/draft.ts";
import { isDependent, RESTORED } from "../../ownership/annotations.ts";
import { toRecordedKind } from "../../records/names-record.ts";
import { asObserved, desiredSoFar } from "../desired.ts";
import type { Call } from "../feature.ts";
import { recallNames } from "../record-names.ts";
import { explainDuplicate, findFatal } from "./duplicates.ts";
import { findPredecessors, grantedKinds, isCopy, type Predecessors } from "./find-predecessors.ts";

/** Features desire more, the more they observe: a record, then its copies. */
const MAX_PASSES = 3;

/**
 * Runs the features for an XR whose references a restore has lost, as that of an XR which Crossplane makes anew from a restored claim,
 * or has set back: otherwise a second set of resources is composed, and the first one is forgotten. Such an XR looks for predecessors,
 * before the first of its resources is composed: by Crossplane's label, for each kind that the pipeline desires, or that is recorded.
 *
 * - One without a controller or controlled by this XR, with proof that this XR composed it: the features observe it, and the desired
 *   resource takes its name, so that Crossplane's server-side apply adopts it.
 * - Several for one name in the Composition: the XR stops until a person has chosen. It composes nothing meanwhile: with references of
 *   Crossplane's it would no longer look.
 */
export function runWithPredecessors(call: Call, run: (call: Call) => Draft): Draft {
  let draft = run(call);
  let observing = call;
  let found: Predecessors = new Map();
  const isSearching = hasLostReferences(call) || composesNew(call, draft) || mayBeRestored(call, draft);
  const passes = isSearching || isEditable(call) ? MAX_PASSES : 0;
  for (let pass = 0; pass < passes; pass++) {
    const next = isSearching
      ? findPredecessors(draft, call, recallNames(observing).confirmed)
      : new Map([...findPredecessors(draft, call)].filter(([name]) => !call.request.observed.resources.has(name)));
    if (next.size === found.size) break;
    found = next;
    observing = withObserved(call, found);
    draft = run(observing);
  }
  return withNames(draft, found, observing);
}

/**
 * Tells whether the references are missing or not Crossplane's, which writes them before it composes; a condition comes only
 * afterwards. `velero restore --existing-resource-policy=update` sets those of a live XR back.
 */
const hasLostReferences = ({ composite }: Call): boolean =>
  !isBeingDeleted(composite.document) &&
  (toReferences(composite).length === 0 || isWrittenByOthers(composite.document, referencesPath(composite)));

/**
 * Tells whether a team may write the references of what goes with a grant. It can write as Crossplane's field manager, too, so its XR looks
 * for copies and dependents in each reconcile.
 */
const isEditable = (call: Call): boolean =>
  call.composite.namespace !== undefined && !isBeingDeleted(call.composite.document) && grantedKinds(call).length > 0;

/**
 * Tells whether a resource is about to be composed that may have been composed before the restore: a pipeline desires some only once the
 * status of others is there, and Crossplane has written references by then. A steady XR composes nothing new.
 */
const composesNew = ({ request: { desired, observed }, input, composite }: Call, { resources }: Draft): boolean =>
  input.spec.adoption !== undefined &&
  !isBeingDeleted(composite.document) &&
  [...desired.resources.keys()].some((name) => !observed.resources.has(name) && resources.get(name)?.is !== "removed");

/** Tells whether resources may still be restored: they are not created meanwhile. */
const mayBeRestored = ({ request: { observed }, input }: Call, { conditions }: Draft): boolean =>
  conditions.some(({ reason }) => reason === "WaitingForRecord") ||
  (input.spec.adoption?.restore === "ObserveFirst" &&
    [...observed.resources.values()].some(({ document }) => readAnnotation(document, RESTORED) !== undefined));

/** Observes the predecessors, each to be adopted, even one that this XR controls: Crossplane refers to none. Lists the names with several. */
function withObserved(call: Call, predecessors: Predecessors): Call {
  const { observed } = call.request;
  const resources = new Map(observed.resources);
  const duplicates = new Map<string, { readonly resource: string; readonly sentence: string }>();
  for (const [name, all] of predecessors) {
    const [one, ...others] = all;
    if (others.length > 0) duplicates.set(name, explainDuplicate(name, all, call));
    else if (one !== undefined) {
      const document = one.with([{ path: ["metadata", "ownerReferences"], value: [] }]);
      resources.set(name, { document, ready: "Unspecified", connectionDetails: new Map() });
    }
  }
  return { ...call, request: { ...call.request, observed: { ...observed, resources } }, duplicates };
}

/**
 * Composes what has a predecessor under its name, and what is recorded and not observed under its recorded name, so that a restore that
 * comes later finds it and makes no second one. Only under a confirmed name: many providers take it for the external name.
 */
function withNames(draft: Draft, predecessors: Predecessors, call: Call): Draft {
  const { confirmed } = recallNames(call);
  if (predecessors.size === 0 && confirmed.size === 0) return draft;
  const { resources } = call.request.observed;
  const findName = (resource: string, desired: Document): string | undefined => {
    const [predecessor] = predecessors.get(resource) ?? [];
    if (predecessor !== undefined) return toReference(predecessor).name;
    const recorded = confirmed.get(resource);
    if (recorded === undefined || resources.has(resource) || stringAt(desired, NAME) !== undefined) return undefined;
    return recorded.kind === toRecordedKind(readManagedKind(desired)) ? recorded.name : undefined;
  };
  const named = [...desiredSoFar(call, draft)].flatMap(([resource, desired]) => {
    const value = findName(resource, desired);
    return value === undefined ? [] : [[resource, desired.with([{ path: NAME, value }])] as const];
  });
  const kept = withObjects(draft, [...named, ...findForgotten(predecessors, draft)]);
  return withResults(kept, call.input.spec.adoption === undefined ? findFatal(call) : []);
}

/**
 * Finds the copies and dependents to which the XR lost its reference, and that go: desired once more, they are referred to again, and
 * Crossplane deletes them in the next reconcile.
 */
const findForgotten = (predecessors: Predecessors, { resources }: Draft) =>
  [...predecessors].flatMap(([name, [copy, ...others]]) =>
    copy === undefined || others.length > 0 || resources.get(name)?.is === "set" || !(isCopy(copy) || isDependent(copy))
      ? []
      : [[name, asObserved(copy)] as const],
  );
