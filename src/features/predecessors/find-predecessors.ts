import { groupKindOf } from "../../crossplane/api-group.ts";
import { COPY_KINDS, COPY_PREFIX, isOfCopyKind, readSharedResource } from "../../crossplane/copies.ts";
import { isManaged, readManagedKind } from "../../crossplane/managed-resource.ts";
import {
  COMPOSITION_RESOURCE_NAME,
  findController,
  isBeingDeleted,
  readAnnotation,
  readComposers,
  readLabel,
} from "../../crossplane/metadata.ts";
import { isSameResource, resourceKey, toReference } from "../../crossplane/references.ts";
import { compareEntries, groupBy } from "../../model/collections.ts";
import { type Document, documentOf, stringAt } from "../../model/document.ts";
import { type Draft, emptyDraft } from "../../model/draft.ts";
import { toMatcher } from "../../model/glob.ts";
import { ADOPTION } from "../../ownership/annotations.ts";
import { type RecordedName, type RecordedNames, toRecordedKind } from "../../records/names-record.ts";
import { RECORD_KINDS, RECORD_LABEL, RECORD_NAME, recordId, recordKind } from "../../records/record.ts";
import { desiredSoFar } from "../desired.ts";
import type { Call } from "../feature.ts";
import { askForKinds, DESIRED, isFree, proverFor, RECORDED } from "../own-resources.ts";

/** The resources that this XR composed before it was restored, by name in the Composition: one, or several to choose from. */
export type Predecessors = ReadonlyMap<string, readonly Document[]>;

/**
 * Finds the predecessors of desired resources and, for adoption, of resources that are no longer desired.
 *
 * @param recorded the confirmed names of the record; if undefined, finds only resources that go with a grant.
 */
export function findPredecessors(draft: Draft, call: Call, recorded?: RecordedNames): Predecessors {
  // Includes resources that earlier steps desire and a feature has left out, perhaps only until the predecessor is found.
  const all = new Map([...desiredSoFar(call, emptyDraft), ...desiredSoFar(call, draft)]);
  const desired = new Map([...all].filter(([, document]) => stringAt(document, ["kind"]) !== undefined));
  const { composer, prove } = proverFor(call);
  const proven = lookUp([...desired.values()], call, recorded).filter(
    (item) =>
      isFree(item, call) && !isBeingDeleted(item) && (isClusterScopedRecord(item, call) || prove(item).is === "proven"),
  );
  const byName = [...groupBy(proven, nameOf)].sort(compareEntries);
  return new Map(
    byName.flatMap(([name, candidates]) => {
      const observed = call.request.observed.resources.get(name)?.document;
      const wanted = desired.get(name);
      const isRecord = call.composite.namespace !== undefined && name === RECORD_NAME;
      // A team can make its XR compose a second record. Either record will do: an XR that stopped would keep revoked copies.
      if (isRecord && observed !== undefined) return [];
      const isOthers = (item: Document): boolean =>
        observed !== undefined &&
        (isSameResource(toReference(item), toReference(observed)) || isWritableByTeams(item, call) || isUntraced(item));
      const isPredecessor = (item: Document): boolean => {
        const isRecorded = isRecordedAs(item, recorded?.get(name));
        if (isOthers(item) || (isUntraced(item) && isRecorded === false)) return false;
        if (wanted !== undefined) return isLike(item, wanted, observed);
        return isRecord || isForgotten(item, composer.fieldManager, isRecorded, call);
      };
      const found = candidates.filter(isPredecessor).slice(0, isRecord ? 1 : undefined);
      if (found.length > 1 && found.every((item) => isWritableByTeams(item, call))) return [];
      return found.length === 0 ? [] : [[name, observed === undefined ? found : [observed, ...found]] as const];
    }),
  );
}

/** Looks up all resources with the XR's label, of each kind that may have predecessors; sorted, each once. */
function lookUp(desired: readonly Document[], call: Call, recorded: RecordedNames | undefined): readonly Document[] {
  const granted = grantedKinds(call);
  // A resource with the annotation ADOPTION was put back, and so has been found already.
  const composed = desired.filter((like) => readAnnotation(like, ADOPTION) === undefined);
  // The record is asked for even if not desired: a namespaced XR desires no record while it is bound to nothing.
  const isSharing = call.input.spec.sharedResources.length > 0 && call.composite.namespace !== undefined;
  const record = isSharing ? [documentOf(recordKind(call.composite))] : [];
  const likes = recorded === undefined ? granted : [...composed, ...granted, ...record];
  const forgotten = recorded === undefined ? [] : recordedKinds(recorded, likes, call);
  const answered = [...askForKinds(DESIRED, likes, call), ...askForKinds(RECORDED, forgotten, call)];
  // A record is asked for by its own label, too, and may have both labels.
  const byKey = new Map(answered.map((item) => [resourceKey(toReference(item)), item]));
  return [...byKey].sort(compareEntries).map(([, item]) => item);
}

/**
 * Lists an example of each kind that goes with a grant: provider-kubernetes' Object for copies, and the kinds of dependents. A team may
 * edit its XR's references, and a resource that is neither referred to nor desired would outlive its grant.
 */
export function grantedKinds({ input, composite, request }: Call): readonly Document[] {
  const shares = input.spec.sharedResources;
  const isCopying = shares.some(({ connection }) =>
    connection?.copies.some(({ via }) => via === "Object" || via === "ConnectionSecret"),
  );
  const object = composite.namespace === undefined ? COPY_KINDS.Object : COPY_KINDS.NamespacedObject;
  const depends = shares.flatMap(({ dependents }) => dependents.map(toMatcher));
  const dependents = [...request.desired.resources].flatMap(([name, { document }]) =>
    depends.some((fits) => fits(name)) && stringAt(document, ["kind"]) !== undefined ? [document] : [],
  );
  return [...(isCopying ? [documentOf(object)] : []), ...dependents];
}

/** Lists an example of each kind that only the record names, for `adoption`: the Composition may desire it no longer. */
function recordedKinds(recorded: RecordedNames, likes: readonly Document[], call: Call): readonly Document[] {
  const { observed } = call.request;
  if (call.input.spec.adoption === undefined) return [];
  const known = new Set(likes.map((like) => groupKindOf(toReference(like))));
  return [...recorded].flatMap(([name, { apiVersion, kind: recordedKind }]) => {
    const kind = recordedKind.replace(/\..*/, "");
    if (apiVersion === undefined || observed.resources.has(name)) return [];
    return known.has(groupKindOf({ apiVersion, kind })) ? [] : [documentOf({ apiVersion, kind })];
  });
}

const nameOf = (item: Document): string => stringAt(item, COMPOSITION_RESOURCE_NAME) ?? "";

/**
 * Tells whether another team may have written the resource with the XR's label, in a namespace that is not the XR's. Such resources must
 * not stop the XR: several of them count as none, and so does any beside an observed resource.
 */
const isWritableByTeams = (item: Document, { composite }: Call): boolean =>
  !isManaged(item) && toReference(item).namespace !== composite.namespace;

/**
 * Tells whether the XR's label alone says who composed the resource. Another XR of the same name, or below the same root, may have composed
 * it. So it is no predecessor if a resource with its name in the Composition is observed, nor if the record names another resource.
 */
export const isUntraced = (item: Document): boolean =>
  readComposers(item).length === 0 && findController(item) === undefined;

/**
 * Tells whether this XR, and no other XR with the same label, composed a resource that no step desires. A team can apply as any field
 * manager in its namespace.
 */
function isForgotten(item: Document, manager: string, isRecorded: boolean | undefined, call: Call): boolean {
  const composers = isWritableByTeams(item, call) ? [] : readComposers(item);
  return composers.length === 0 ? isRecorded === true || isCopy(item) : composers.includes(manager);
}

/** Tells whether the record's entry names this resource; undefined if it has no entry for a resource of this kind. */
function isRecordedAs(item: Document, entry: RecordedName | undefined): boolean | undefined {
  return entry?.kind === toRecordedKind(readManagedKind(item)) ? entry.name === toReference(item).name : undefined;
}

/** Recognizes a copy: only this function composes resources under names with COPY_PREFIX, and of these kinds only. */
export const isCopy = (item: Document): boolean =>
  readSharedResource(item) !== undefined && nameOf(item).startsWith(COPY_PREFIX) && isOfCopyKind(item);

/**
 * Recognizes a cluster-scoped record of this XR, or of an earlier XR of its claim. The record needs no proof: teams cannot write it.
 */
const isClusterScopedRecord = (item: Document, { composite }: Call): boolean =>
  toReference(item).kind === RECORD_KINDS.EnvironmentConfig.kind &&
  readLabel(item, RECORD_LABEL) === recordId(composite);

/**
 * Tells whether a resource has the desired kind, and the desired name and namespace, if any. A desired name that is the observed name does
 * not count: function-patch-and-transform repeats it. The same kind of another group stands for the same cloud resource: `adoption` stops.
 */
function isLike(found: Document, desired: Document, observed: Document | undefined): boolean {
  const [own, wanted] = [toReference(found), toReference(desired)];
  const isAsWanted = (key: "name" | "namespace"): boolean => (wanted[key] ?? "") === "" || own[key] === wanted[key];
  const isRepeated = observed !== undefined && toReference(observed).name === wanted.name;
  const isPlaced = (isRepeated || isAsWanted("name")) && isAsWanted("namespace");
  return own.kind === wanted.kind && (isPlaced || groupKindOf(own) !== groupKindOf(wanted));
}
