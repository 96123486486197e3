import { COPY_KINDS, COPY_PREFIX, readSharedResource } from "../../crossplane/copies.ts";
import { isManaged, readManagedKind } from "../../crossplane/managed-resource.ts";
import {
  COMPOSITION_RESOURCE_NAME,
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
import { NO_NAMES, type RecordedName, type RecordedNames, toRecordedKind } from "../../records/names-record.ts";
import { RECORD_KINDS, RECORD_LABEL, RECORD_NAME, recordKind, recordOf } from "../../records/record.ts";
import { proverFor } from "../confirm-nesting.ts";
import { desiredSoFar } from "../desired.ts";
import type { Call } from "../feature.ts";
import { askForKinds, DESIRED, isFreeFor, RECORDED } from "../labelled-resources.ts";

/** The resources that this XR composed before it was restored, by name in the Composition: one, or several to choose from. */
export type Predecessors = ReadonlyMap<string, readonly Document[]>;

/**
 * Finds the predecessors of all desired resources, and those that are no longer desired, for adoption; of a kind that is not looked up
 * yet there are none. The label alone is no proof for the latter: nested XRs' resources carry it, too.
 *
 * @param recorded the confirmed names of the record; where they are not given, only what goes with a grant is looked for.
 */
export function findPredecessors(draft: Draft, call: Call, recorded?: RecordedNames): Predecessors {
  const { resources } = call.request.observed;
  // Features leave out what they hold back until it is found.
  const all = new Map([...desiredSoFar(call, emptyDraft), ...desiredSoFar(call, draft)]);
  const wanted = [...all].filter(([, desired]) => stringAt(desired, ["kind"]) !== undefined);
  const { composer, prove } = proverFor(call);
  const composed = recorded ? wanted.map(([, like]) => like).filter((like) => !isPutBack(like)) : [];
  const likes = [...composed, ...grantedKinds(call), ...(recorded ? recordKinds(call) : [])];
  const forgotten = recordedKinds(recorded ?? NO_NAMES, likes, call);
  const answered = [...askForKinds(DESIRED, likes, call), ...askForKinds(RECORDED, forgotten, call)];
  // A record is asked for by its own label, too, and may have both.
  const each = new Map(answered.map((item) => [resourceKey(toReference(item)), item]));
  const proven = [...each]
    .sort(compareEntries)
    .map(([, item]) => item)
    .filter((item) => isFreeFor(composer.uid, item) && !isBeingDeleted(item))
    .filter((item) => isOwnRecord(item, call) || prove(item).is === "proven")
    .filter((item) => !isAnyones(item, call) || !resources.has(nameOf(item)));
  const byName = groupBy(proven, nameOf);
  const desired = new Map(wanted);
  return new Map(
    [...byName].sort(compareEntries).flatMap(([name, own]) => {
      const observed = resources.get(name)?.document;
      const like = desired.get(name);
      const others = own
        .filter((item) =>
          like
            ? isLike(item, like, observed)
            : isNamespacedRecord(name, call) || isForgotten(item, composer.fieldManager, recorded?.get(name)),
        )
        .filter((item) => !observed || !isSameResource(toReference(item), toReference(observed)))
        .slice(0, isNamespacedRecord(name, call) ? (observed ? 0 : 1) : undefined);
      if (others.length > 1 && others.every((item) => isAnyones(item, call))) return [];
      return others.length === 0 ? [] : [[name, observed === undefined ? others : [observed, ...others]] as const];
    }),
  );
}

/**
 * Lists the kinds of what goes with a grant: those of provider-kubernetes that copies take, and those of dependents. A team may edit the
 * references of its XR, and what is neither referred to nor desired would live on after its grant is taken back.
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

/** Lists the kind of a namespaced XR's record, which one that names nothing any more does not desire. */
const recordKinds = ({ input, composite }: Call): readonly Document[] =>
  input.spec.sharedResources.length === 0 || composite.namespace === undefined
    ? []
    : [documentOf(recordKind(composite))];

/** Tells whether adoption, and no step of the pipeline, desires a resource: because it was found. */
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

const nameOf = (item: Document): string => stringAt(item, COMPOSITION_RESOURCE_NAME) ?? "";

/**
 * Tells whether a team may have written a resource, with the XR's labels: then several of them are none, nor is one beside the XR's own, and
 * they must not stop the XR.
 */
const isAnyones = (item: Document, { composite }: Call): boolean =>
  !isManaged(item) && toReference(item).namespace !== composite.namespace;

/** Tells whether a resource that no step desires is this XR's own, and not a nested XR's with the same label. */
const isForgotten = (item: Document, manager: string, recorded: RecordedName | undefined): boolean => {
  const composers = readComposers(item);
  const isRecorded =
    recorded?.name === toReference(item).name && recorded.kind === toRecordedKind(readManagedKind(item));
  return composers.includes(manager) || (composers.length === 0 && (isRecorded || isCopy(item)));
};

/** A team has its XR make a second record by its references, and an XR that stops keeps what a revoked grant takes along. Either will do. */
const isNamespacedRecord = (name: string, { composite }: Call): boolean =>
  composite.namespace !== undefined && name === RECORD_NAME;

/** Only this function composes copies, each under a name that begins like this. */
export const isCopy = (item: Document): boolean =>
  readSharedResource(item) !== undefined && nameOf(item).startsWith(COPY_PREFIX);

/** Recognizes a cluster-scoped record of this XR, which needs no other proof: teams cannot write it. That of a claim names another XR. */
const isOwnRecord = (item: Document, { composite }: Call): boolean =>
  toReference(item).kind === RECORD_KINDS.EnvironmentConfig.kind &&
  readLabel(item, RECORD_LABEL) === recordOf(composite);

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
