import { isManaged } from "../../crossplane/managed-resource.ts";
import { ALL_ACTIONS, MANAGEMENT_POLICIES, readPolicies } from "../../crossplane/management-policies.ts";
import { annotationPath, findController, isBeingDeleted, readAnnotation } from "../../crossplane/metadata.ts";
import { compareEntries } from "../../model/collections.ts";
import { brief, listSome } from "../../model/condition.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { type Draft, withDocuments, withResources } from "../../model/draft.ts";
import { RESTORED } from "../../ownership/annotations.ts";
import { RECORD_KINDS } from "../../ownership/record.ts";
import {
  type Finding,
  formatRestored,
  judgeRestored,
  policiesToLook,
  readReleased,
  releaseCommand,
} from "../../ownership/restored.ts";
import { desiredSoFar } from "../desired.ts";
import type { Call } from "../feature.ts";
import { tell } from "../reasons.ts";
import type { AdoptionRemark } from "./condition.ts";

/** The finding on a resource of a restored XR. `dropped`: no step desires it. `unrestored`: it does not exist, and a step desires it. */
type Judged = Finding | { readonly is: "dropped" | "unrestored" };

/** The resources that are only observed since a restore, and those not created meanwhile, by name in the Composition. */
type Held = ReadonlyMap<string, Judged>;

/**
 * Finds the resources that are held after a restore: it brings back an old desired state, and the cloud has changed since. A managed
 * resource without a controller was restored. Then a mark holds it until it is released:
 *
 * - with all others, in one reconcile, once each was found in the cloud as it is desired;
 * - or before, by name, in an annotation of the XR that a person sets.
 *
 * @param draft the draft of earlier features.
 */
export function findHeld(call: Call, draft: Draft): Held {
  if (call.input.spec.adoption?.restore !== "ObserveFirst") return new Map();
  const { resources } = call.request.observed;
  const desired = desiredSoFar(call, draft);
  const observed = [...resources].filter(([, { document }]) => isRestored(document));
  if (observed.length === 0) return new Map();
  const unrestored = [...desired].filter(([name, document]) => !resources.has(name) && isOthers(document));
  const judged: readonly (readonly [string, Judged])[] = [
    ...observed.map(([name, { document }]) => [name, desired.has(name) ? judgeRestored(document) : DROPPED] as const),
    ...unrestored.map(([name]) => [name, { is: "unrestored" }] as const),
  ];
  const isReleased = readReleased(call.composite.document);
  const held = judged.filter(([name]) => !isReleased(name));
  return new Map(held.some(([, { is }]) => is !== "found") ? held.toSorted(compareEntries) : []);
}

const DROPPED = { is: "dropped" } as const;

/** Tells whether a managed resource was restored, and not released since. */
const isRestored = (document: Document): boolean =>
  (findController(document) === undefined || readAnnotation(document, RESTORED) !== undefined) &&
  isManaged(document) &&
  readPolicies(document) !== undefined &&
  !isBeingDeleted(document);

/** Tells whether a resource may be a managed resource, not one of this function's records, which need no restore. */
const isOthers = (desired: Document): boolean =>
  Object.values(RECORD_KINDS).every(({ kind }) => stringAt(desired, ["kind"]) !== kind);

/** Limits held resources to observing, creates none, and gives released ones their policies back. */
export function observeFirst(call: Call, draft: Draft, held: Held): Draft {
  if (call.input.spec.adoption?.restore !== "ObserveFirst") return draft;
  const desired = desiredSoFar(call, draft);
  const limited = [...call.request.observed.resources]
    .filter(([, { document }]) => isRestored(document))
    .flatMap(([name, { document }]) => {
      const wanted = desired.get(name);
      return wanted === undefined ? [] : [[name, held.has(name) ? hold(document, wanted) : release(wanted)] as const];
    });
  const uncreated = [...held].filter(([, { is }]) => is === "unrestored");
  return withResources(
    withDocuments(draft, limited),
    uncreated.map(([name]) => [name, { is: "removed" }]),
  );
}

const hold = (observed: Document, wanted: Document): Document =>
  wanted.with([
    { path: MANAGEMENT_POLICIES, value: policiesToLook(observed) },
    { path: annotationPath(RESTORED), value: formatRestored(observed) },
  ]);

/** Desires policies even if no step does: Velero may own the present ones, which only a desired value replaces. */
const release = (wanted: Document): Document =>
  wanted.with([{ path: MANAGEMENT_POLICIES, value: readPolicies(wanted) ?? ALL_ACTIONS }]);

/** The most differing fields that are named. Not their values: these may be secret. */
const MAX_FIELDS = 3;

/** The sentences about the findings, in the order in which these are counted. */
const SENTENCES = {
  found: () => "",
  waiting: () => "its provider has not looked for it yet",
  missing: () => "missing in the cloud, and created if released",
  different: ({ fields }: { readonly fields: readonly string[] }) =>
    `the cloud differs in ${listSome(fields, MAX_FIELDS, brief)}, and is changed if released`,
  unrestored: () => "not restored, and created if released",
  dropped: () => "no longer desired, and deleted if released",
};

/** Counts the held resources, and describes what a release would do to each that was not found. */
export function remarkHeld(held: Held, { composite }: Call): readonly AdoptionRemark[] {
  if (held.size === 0) return [];
  const all = [...held].map(([name, judged]) => ({ name, judged }));
  const counts = Object.keys(SENTENCES).map((is) => [all.filter(({ judged }) => judged.is === is).length, is] as const);
  const resource = counts.flatMap(([count, is]) => (count === 0 ? [] : [`${count} ${is}`])).join(", ");
  const command = releaseCommand(composite, "NAME,NAME");
  const sentence = `only observed until each is found as it is desired; to release some of them, or * for all: ${command}`;
  const reason = all.every(({ judged }) => ["waiting", "found"].includes(judged.is))
    ? "ObservingRestored"
    : "RestoreNotConfirmed";
  const others = all.filter(({ judged }) => judged.is !== "found");
  return [
    { reason, resource, sentence },
    ...others.map(({ name, judged }) => ({ reason, resource: name, sentence: tell(SENTENCES, judged, {}) }) as const),
  ];
}
