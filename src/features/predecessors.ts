import { canSelectNamespaces } from "../crossplane/composite.ts";
import { COPY_KINDS, COPY_PREFIX, readSharedResource } from "../crossplane/copies.ts";
import { isManaged, readManagedKind } from "../crossplane/managed-resource.ts";
import {
  COMPOSITE_LABEL,
  COMPOSITION_RESOURCE_NAME,
  findController,
  isBeingDeleted,
  isWrittenByOthers,
  NAME,
  readAnnotation,
  readComposers,
  readLabel,
} from "../crossplane/metadata.ts";
import { toPossibleComposer } from "../crossplane/proof.ts";
import {
  formatReference,
  isSameResource,
  referencesPath,
  resourceKey,
  toReference,
  toReferences,
} from "../crossplane/references.ts";
import { toRequirement } from "../crossplane/requirement-names.ts";
import { compareEntries, groupBy } from "../model/collections.ts";
import type { Result } from "../model/condition.ts";
import { type Document, documentOf, stringAt } from "../model/document.ts";
import { type Draft, emptyDraft, withObjects, withResults } from "../model/draft.ts";
import type { Requirement } from "../model/requirement.ts";
import { ADOPTION, isDependent, RESTORED } from "../ownership/annotations.ts";
import { NO_NAMES, type RecordedName, type RecordedNames, toRecordedKind } from "../records/names-record.ts";
import { RECORD_KINDS, RECORD_LABEL, recordOf } from "../records/record.ts";
import { proverFor } from "./confirm-nesting.ts";
import { asObserved, desiredSoFar } from "./desired.ts";
import { type Call, isUnreadable } from "./feature.ts";
import { recallNames } from "./record-names.ts";

/** The resources that this XR composed before it was restored, by name in the Composition: one, or several to choose from. */
type Predecessors = ReadonlyMap<string, readonly Document[]>;

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
 * Tells whether a team may write the references, and makes copies by them. It can write as Crossplane's field manager, too, so its XR looks
 * for copies in each reconcile.
 */
const isEditable = (call: Call): boolean =>
  call.composite.namespace !== undefined && !isBeingDeleted(call.composite.document) && copyingKinds(call).length > 0;

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

/**
 * Finds the predecessors of all desired resources, and those that are no longer desired, for adoption; of a kind that is not looked up
 * yet there are none. The label alone is no proof for the latter: nested XRs' resources carry it, too.
 *
 * @param recorded the confirmed names of the record; where they are not given, only copies are looked for.
 */
function findPredecessors(draft: Draft, call: Call, recorded?: RecordedNames): Predecessors {
  const { resources } = call.request.observed;
  // Features leave out what they hold back until it is found.
  const all = new Map([...desiredSoFar(call, emptyDraft), ...desiredSoFar(call, draft)]);
  const wanted = [...all].filter(([, desired]) => stringAt(desired, ["kind"]) !== undefined);
  const { composer, prove } = proverFor(call);
  const composed = recorded ? wanted.map(([, like]) => like).filter((like) => !isPutBack(like)) : [];
  const likes = [...composed, ...copyingKinds(call)];
  const forgotten = recordedKinds(recorded ?? NO_NAMES, likes, call);
  const answered = [...askForKinds(PREFIX, likes, call), ...askForKinds(RECORDED_PREFIX, forgotten, call)];
  // A record is asked for by its own label, too, and may have both.
  const each = new Map(answered.map((item) => [resourceKey(toReference(item)), item]));
  const proven = [...each.values()]
    .filter((item) => isFreeFor(composer.uid, item) && !isBeingDeleted(item))
    .filter((item) => isOwnRecord(item, call) || prove(item).is === "proven");
  const byName = groupBy(proven, (item) => stringAt(item, COMPOSITION_RESOURCE_NAME) ?? "");
  const desired = new Map(wanted);
  return new Map(
    [...byName].sort(compareEntries).flatMap(([name, own]) => {
      const observed = resources.get(name)?.document;
      const like = desired.get(name);
      const others = own
        .filter((item) =>
          like ? isLike(item, like, observed) : isForgotten(item, composer.fieldManager, recorded?.get(name)),
        )
        .filter((item) => !observed || !isSameResource(toReference(item), toReference(observed)));
      if (others.length > 1 && others.every((item) => isAnyones(item, call))) return [];
      return others.length === 0 ? [] : [[name, observed === undefined ? others : [observed, ...others]] as const];
    }),
  );
}

/**
 * Lists the kinds of provider-kubernetes that the copies of the input take. A team may edit the references of its XR, and a copy that is
 * neither referred to nor desired would go on following its Secret after its grant is taken back.
 */
function copyingKinds({ input, composite }: Call): readonly Document[] {
  const isCopying = input.spec.sharedResources.some(({ connection }) =>
    connection?.copies.some(({ via }) => via === "Object" || via === "ConnectionSecret"),
  );
  const kind = composite.namespace === undefined ? COPY_KINDS.Object : COPY_KINDS.NamespacedObject;
  return isCopying ? [documentOf(kind)] : [];
}

/** Tells whether a resource is desired only since it was found. */
const isPutBack = (desired: Document): boolean => readAnnotation(desired, ADOPTION) !== undefined;

/**
 * Lists the kinds of what is recorded, and not desired any more: a Composition may have stopped desiring the only resource of a kind after the
 * backup.
 */
function recordedKinds(recorded: RecordedNames, likes: readonly Document[], call: Call): readonly Document[] {
  const { observed } = call.request;
  if (call.input.spec.adoption === undefined) return [];
  const known = new Set(likes.map((like) => toRecordedKind(readManagedKind(like))));
  return [...recorded].flatMap(([name, { apiVersion, kind }]) =>
    apiVersion === undefined || observed.resources.has(name) || known.has(kind)
      ? []
      : [documentOf({ apiVersion, kind: kind.replace(/\..*/, "") })],
  );
}

/** Asks for all resources of these kinds with the label of the XR. A recorded kind may not be installed any more. */
function askForKinds(prefix: string, likes: readonly Document[], call: Call): readonly Document[] {
  const { root } = toPossibleComposer(call.composite);
  const all = likes.map((like) => requireKind(prefix, like, root, call));
  return [...new Map(all.map((one) => [one.name, one])).values()].flatMap((one) => findAll(prefix, one, call));
}

/** Tells whether a team may have written a resource, with the XR's labels: then several of them are none, and must not stop the XR. */
const isAnyones = (item: Document, { composite }: Call): boolean =>
  !isManaged(item) && toReference(item).namespace !== composite.namespace;

/** Tells whether a resource that no step desires is this XR's own, and not a nested XR's with the same label. */
const isForgotten = (item: Document, manager: string, recorded: RecordedName | undefined): boolean => {
  const composers = readComposers(item);
  const isRecorded =
    recorded?.name === toReference(item).name && recorded.kind === toRecordedKind(readManagedKind(item));
  return composers.includes(manager) || (composers.length === 0 && (isRecorded || isCopy(item)));
};

/** Only this function composes copies, each under a name that begins like this. */
const isCopy = (item: Document): boolean =>
  readSharedResource(item) !== undefined && (stringAt(item, COMPOSITION_RESOURCE_NAME) ?? "").startsWith(COPY_PREFIX);

const PREFIX = "adoption/predecessors/";
const RECORDED_PREFIX = "adoption/recorded/";

/** Finds what a requirement matches. Crossplane may be allowed to compose a kind that it may not list: then nothing is found. */
function findAll(prefix: string, requirement: Requirement, call: Call): readonly Document[] {
  const answer = isUnreadable(requirement, prefix, call) ? undefined : call.requirements.ask(requirement);
  return answer?.is === "resolved" ? answer.items : [];
}

/**
 * Tells whether what this XR composed under a name is still being deleted. Crossplane observes it no more, and would write into it what is
 * desired anew: its provider would then delete something else.
 */
export function isLeaving(name: string, desired: Document, call: Call): boolean {
  const { root, uid } = toPossibleComposer(call.composite);
  return findAll(PREFIX, requireKind(PREFIX, desired, root, call), call).some(
    (item) => isBeingDeleted(item) && stringAt(item, COMPOSITION_RESOURCE_NAME) === name && isFreeFor(uid, item),
  );
}

/** Tells whether the XR of this UID controls a resource, or nobody does. */
const isFreeFor = (uid: string | undefined, item: Document): boolean => (findController(item)?.uid ?? uid) === uid;

/** Recognizes a cluster-scoped record of this XR, which needs no other proof: teams cannot write it. That of a claim names another XR. */
const isOwnRecord = (item: Document, { composite }: Call): boolean =>
  toReference(item).kind === RECORD_KINDS.EnvironmentConfig.kind &&
  readLabel(item, RECORD_LABEL) === recordOf(composite);

/**
 * Requires all resources of a kind that carry the label of the XR, or of its records, in the namespace in which they are composed where
 * there is one: other teams could write the label on as many as they like.
 */
function requireKind(prefix: string, desired: Document, root: string, { request, composite }: Call): Requirement {
  const { apiVersion, kind, namespace: wanted } = toReference(desired);
  const record = readLabel(desired, RECORD_LABEL);
  const namespace = canSelectNamespaces(request, composite) ? (composite.namespace ?? wanted) : undefined;
  const labels = record === undefined ? { [COMPOSITE_LABEL]: root } : { [RECORD_LABEL]: record };
  return toRequirement(`${prefix}${kind}`, { apiVersion, kind, namespace, match: { labels } });
}

/**
 * Tells whether a resource is of the desired kind, and has the name and the namespace that are desired. The observed resource's name
 * is no wish: function-patch-and-transform repeats it.
 */
function isLike(found: Document, desired: Document, observed: Document | undefined): boolean {
  const [own, wanted] = [toReference(found), toReference(desired)];
  const isAsWanted = (key: "name" | "namespace"): boolean => (wanted[key] ?? "") === "" || own[key] === wanted[key];
  const isRepeated = observed !== undefined && toReference(observed).name === wanted.name;
  return own.kind === wanted.kind && (isRepeated || isAsWanted("name")) && isAsWanted("namespace");
}

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

/** Names the resources of which one can stay, and says how to choose: Crossplane composes the one to which the XR refers, labelled or not. */
function explainDuplicate(name: string, all: readonly Document[], { request, composite }: Call) {
  const observed = request.observed.resources.get(name)?.document;
  const isUnlabelled =
    observed !== undefined && readLabel(observed, COMPOSITE_LABEL) !== toPossibleComposer(composite).root;
  const resources = all.map((each) => formatReference(toReference(each))).join(" and ");
  const sentence = isUnlabelled
    ? `this XR still refers to ${formatReference(toReference(observed))}, which has lost the label ${COMPOSITE_LABEL}: to keep the other, remove the reference from the XR, too; otherwise set the label again`
    : DUPLICATED;
  return { resource: `${name} (${resources})`, sentence };
}

/** Stops the XR where there is something to choose. With `adoption` its condition and its result say so. */
function findFatal({ duplicates = new Map() }: Call): readonly Result[] {
  const lines = [...duplicates.values()].map(({ resource, sentence }) => `  ${resource}: ${sentence}`);
  const message = ["cannot compose anything until one resource is left for each of these names:", ...lines].join("\n");
  return lines.length === 0 ? [] : [{ severity: "Fatal", message, reason: "Duplicated", target: "Composite" }];
}

const DUPLICATED = `this XR composed all of them before it was restored, and can keep one: delete the others (if they share a cloud resource, first set deletionPolicy Orphan, or managementPolicies without Delete), or remove the label ${COMPOSITE_LABEL} from them, and the reference from the XR where it refers to one; without the label they go on writing to the cloud`;
