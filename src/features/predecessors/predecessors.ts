import { readManagedKind } from "../../crossplane/managed-resource.ts";
import {
  COMPOSITE_LABEL,
  isBeingDeleted,
  isWrittenByOthers,
  NAME,
  OWNER_REFERENCES,
  readAnnotation,
  readLabel,
} from "../../crossplane/metadata.ts";
import { toRoot } from "../../crossplane/proof.ts";
import { formatReference, isReferring, referencesPath, resourceKey, toReference } from "../../crossplane/references.ts";
import { brief, type Result } from "../../model/condition.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { type Draft, withObjects, withResults } from "../../model/draft.ts";
import { isDependent, RESTORED } from "../../ownership/annotations.ts";
import { toRecordedKind } from "../../records/names-record.ts";
import { asObserved, desiredSoFar } from "../desired.ts";
import type { Call } from "../feature.ts";
import { recallNames } from "../record-names.ts";
import { findPredecessors, grantedKinds, isCopy, isUntraced, type Predecessors } from "./find-predecessors.ts";

/** The most passes: features that observe more desire more. The first pass may find a record, the next pass the record's copies. */
const MAX_PASSES = 3;

/**
 * Runs the features. If a restore or a team may have changed the XR's references, looks by Crossplane's label for predecessors, which the
 * XR composed before, and runs the features again with these. Otherwise Crossplane would compose a second set and forget the first.
 *
 * - The features observe a predecessor, and the desired resource takes its name, so that Crossplane's server-side apply adopts it.
 * - If there are several for one name in the Composition, the XR composes nothing until a person has chosen: once Crossplane has written
 *   the XR's references again, nothing looks for predecessors.
 */
export function runWithPredecessors(call: Call, run: (call: Call) => Draft): Draft {
  let draft = run(call);
  let observing = call;
  let found: Predecessors = new Map();
  const isSearching = hasLostReferences(call) || missesAny(call, draft) || mayBeRestored(call, draft);
  const passes = isSearching || mayLoseReferences(call) ? MAX_PASSES : 0;
  for (let pass = 0; pass < passes; pass++) {
    const next = isSearching
      ? findPredecessors(draft, call, recallNames(observing).confirmed)
      : new Map([...findPredecessors(draft, call)].filter(([name]) => !call.request.observed.resources.has(name)));
    if (toText(next) === toText(found)) break;
    found = next;
    observing = withObserved(call, found);
    draft = run(observing);
  }
  return withNames(draft, found, observing);
}

/** Formats predecessors, to compare two passes: a record that is found in one pass may leave fewer predecessors in the next. */
const toText = (predecessors: Predecessors): string =>
  [...predecessors].map(([name, all]) => [name, ...all.map((one) => resourceKey(toReference(one)))].join()).join("\n");

/**
 * Tells whether the XR has no references, or whether another field manager than Crossplane's wrote them. Crossplane writes references
 * before it composes anything. `velero restore --existing-resource-policy=update` sets the references of a live XR back.
 */
const hasLostReferences = ({ composite }: Call): boolean =>
  !isBeingDeleted(composite.document) &&
  (!isReferring(composite) || isWrittenByOthers(composite.document, referencesPath(composite)));

/**
 * Tells whether a team may have removed references to resources that go with a grant. A team can do so as Crossplane's field manager, which
 * `hasLostReferences` does not see.
 */
const mayLoseReferences = (call: Call): boolean =>
  call.composite.namespace !== undefined && !isBeingDeleted(call.composite.document) && grantedKinds(call).length > 0;

/**
 * Tells whether a desired or recorded resource is not observed; false without `adoption`. It may exist since before the restore although
 * Crossplane has written references again: its record was restored late, or the pipeline desires it only after others have a status.
 *
 * A recorded resource that no step desires is looked up in each reconcile while it is lost, until its entry in the record is removed: its
 * backup may be restored at any time, and nothing else would find the resource.
 */
function missesAny(call: Call, { resources }: Draft): boolean {
  const { request, input, composite } = call;
  const { desired, observed } = request;
  const isMissing = (name: string): boolean => !observed.resources.has(name) && resources.get(name)?.is !== "removed";
  return (
    input.spec.adoption !== undefined &&
    !isBeingDeleted(composite.document) &&
    [...desired.resources.keys(), ...recallNames(call).confirmed.keys()].some(isMissing)
  );
}

/** Tells whether a restore may still be under way: a resource waits for its record, or is marked to only observe. */
const mayBeRestored = ({ request: { observed }, input }: Call, { conditions }: Draft): boolean =>
  conditions.some(({ reason }) => reason === "WaitingForRecord") ||
  (input.spec.adoption?.restore === "ObserveFirst" &&
    [...observed.resources.values()].some(({ document }) => readAnnotation(document, RESTORED) !== undefined));

/**
 * Adds each sole predecessor to the observed resources, and explains in `duplicates` each name that has several. Shows a predecessor
 * without a controller, so that features treat it as still to be adopted: the XR does not refer to it, even if the XR controls it.
 */
function withObserved(call: Call, predecessors: Predecessors): Call {
  const { observed } = call.request;
  const resources = new Map(observed.resources);
  for (const [name, [one, ...others]] of predecessors) {
    if (one === undefined || others.length > 0) continue;
    const document = one.with([{ path: OWNER_REFERENCES, value: [] }]);
    resources.set(name, { document, ready: "Unspecified", hasConnectionDetails: false });
  }
  const several = [...predecessors].filter(([, all]) => all.length > 1);
  const duplicates = several.map(([name, all]) => explainDuplicate(name, all, call));
  return { ...call, request: { ...call.request, observed: { ...observed, resources } }, duplicates };
}

/** Explains how to choose one of several resources. The one to which the XR refers stays composed, even without the XR's label. */
function explainDuplicate(name: string, all: readonly Document[], { request, composite }: Call) {
  const referred = request.observed.resources.get(name)?.document;
  const isUnlabelled = referred !== undefined && readLabel(referred, COMPOSITE_LABEL) !== toRoot(composite.document);
  const origin = all.some(isUntraced)
    ? `only the label ${COMPOSITE_LABEL} says that this XR composed them. If one is another XR's, remove that label from it, and set ` +
      "the label again once this XR is Synced. Keep one of this XR's own"
    : "this XR composed all of them before it was restored. Keep one";
  const resources = all.map((each) => formatReference(toReference(each))).join(" and ");
  const sentence = isUnlabelled
    ? `this XR still refers to ${formatReference(toReference(referred))}, which has lost the label ${COMPOSITE_LABEL}. To keep that ` +
      "resource, set the label on it again. To keep another one, remove that resource from the XR's resourceRefs"
    : `${origin}. Delete every other one that this XR composed; if it shares a cloud resource with the one to keep, first set ` +
      "deletionPolicy: Orphan on it, or managementPolicies without Delete. " +
      `To let one go instead of deleting it, remove the label ${COMPOSITE_LABEL} from it; it then goes on writing to the cloud. ` +
      "Either way, remove any reference to it from the XR's resourceRefs";
  return { resource: `${brief(name)} (${resources})`, sentence };
}

/** Stops the XR until a person has chosen among `duplicates`. With `adoption` in the input, its condition stops the XR. */
function findFatal({ duplicates = [], input }: Call): readonly Result[] {
  if (duplicates.length === 0 || input.spec.adoption !== undefined) return [];
  const lines = duplicates.map(({ resource, sentence }) => `  ${resource}: ${sentence}`);
  const message = ["cannot compose anything until one resource is left for each of these names:", ...lines].join("\n");
  return [{ severity: "Fatal", message, reason: "Duplicated", target: "Composite" }];
}

/**
 * Gives desired resources the names of their predecessors, or, without a predecessor, their recorded names: a restore that comes later then
 * finds the same resources. A recorded name must be confirmed, since many providers take metadata.name for the external name.
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
  return withResults(kept, findFatal(call));
}

/** Desires copies and dependents that no feature desires once more: Crossplane then refers to them, and deletes them next time. */
const findForgotten = (predecessors: Predecessors, { resources }: Draft) =>
  [...predecessors].flatMap(([name, [copy, ...others]]) =>
    copy === undefined || others.length > 0 || resources.get(name)?.is === "set" || !(isCopy(copy) || isDependent(copy))
      ? []
      : [[name, asObserved(copy)] as const],
  );
