import { isManaged } from "../../crossplane/managed-resource.ts";
import { ALL_ACTIONS, MANAGEMENT_POLICIES, readPolicies } from "../../crossplane/management-policies.ts";
import { annotationPath, findController, isBeingDeleted, readAnnotation } from "../../crossplane/metadata.ts";
import { hasReferences } from "../../crossplane/references.ts";
import { invalidInput } from "../../input/faults.ts";
import { brief, listSome } from "../../model/condition.ts";
import { type Document, stringAt, type ValueEdit } from "../../model/document.ts";
import { type Draft, withContext, withResources } from "../../model/draft.ts";
import { DOMAIN } from "../../model/names.ts";
import { ADOPTION, RESTORED } from "../../ownership/annotations.ts";
import { RECORD_KINDS } from "../../records/record.ts";
import {
  type Finding,
  formatReleased,
  formatRestored,
  judgeRestored,
  policiesToLook,
  readReleased,
  releaseCommand,
} from "../../records/restored.ts";
import { faults, tell } from "../conditions.ts";
import { desiredSoFar, type Edits } from "../desired.ts";
import { type Call, type Feature, identifyStep } from "../feature.ts";
import { type AdoptionRemark, hasAdopted } from "./adoption-condition.ts";

/** Context key: the step with `restore: ObserveFirst`, from which a later step learns that restored resources only observe at first. */
const OBSERVE_FIRST = `${DOMAIN}/observe-first`;

/**
 * Refuses `tags` and `adoption` in a step behind a step with `restore: ObserveFirst`: `tags` would take the marks for forged marks and
 * release the resources, and `adoption` would hide what a person has to do. A step that Crossplane calls again finds itself in the context.
 *
 * @throws {FunctionError} `InvalidInput`.
 */
export const guardObserving: Feature = ({ request, input }, draft) => {
  const { spec } = input;
  const earlier = request.context.at([OBSERVE_FIRST]);
  const refused = (["tags", "adoption"] as const).filter((section) => spec[section] !== undefined);
  if (earlier !== undefined && refused.length > 0 && earlier !== identifyStep(input)) {
    const message =
      "an earlier step of this Composition has adoption with restore: ObserveFirst: move that step behind this one";
    throw invalidInput(refused.map((section) => ({ path: `spec.${section}`, message })));
  }
  if (spec.adoption?.restore !== "ObserveFirst") return draft;
  return withContext(draft, [[OBSERVE_FIRST, identifyStep(input)]]);
};

type Judged = Finding | { readonly is: "dropped" | "unrestored" };

/**
 * Finds the managed resources to hold after a restore, which brings back an old desired state while the cloud has changed. Each only
 * observes (`isHeld`) until all are found in the cloud as they are desired, or until the XR's annotation releases it by name. Also finds
 * nested XRs that no step desires, which are kept, and desired resources that do not exist, which are not created until then.
 *
 * Without `restore: ObserveFirst`, finds marked resources and holds none: nothing else would give them their policies back.
 *
 * @returns `dropped`: no step desires it; `unrestored`: it does not exist, and a step desires it.
 */
export function findRestored(call: Call, draft: Draft) {
  const { adoption: policy, externalNames } = call.input.spec;
  const isHolding = policy?.restore === "ObserveFirst";
  // `externalNames` reads all managed resources anyway.
  if (!isHolding && externalNames === undefined && hasAdopted(call.composite.document)) return [];
  const { resources } = call.request.observed;
  const desired = desiredSoFar(call, draft);
  const restored = [...resources].filter(([name, { document }]) =>
    isHolding
      ? isToHold(document) || (!desired.has(name) && isNestedToKeep(document))
      : isMarked(document) && isToHold(document),
  );
  if (restored.length === 0) return [];
  const unrestored = [...desired].filter(([name, document]) => !resources.has(name) && !isRecord(document));
  const names = [...restored, ...unrestored].map(([name]) => name).sort();
  const all = names.map((name) => {
    const observed = resources.get(name)?.document;
    const missing = { is: observed === undefined ? "unrestored" : "dropped" } as const;
    const judged: Judged = observed !== undefined && desired.has(name) ? judgeRestored(observed) : missing;
    return { name, observed, judged };
  });
  const isReleased = isHolding ? readReleased(call.composite.document) : () => true;
  const isConfirmed = all.every(({ name, judged }) => judged.is === "found" || isReleased(name));
  return all.map((one) => ({ ...one, isHeld: !isConfirmed && !isReleased(one.name) }));
}

const isMarked = (document: Document): boolean => readAnnotation(document, RESTORED) !== undefined;

/** Recognizes a managed resource that was just restored, or is marked. Without management policies a resource cannot be held. */
const isToHold = (document: Document): boolean =>
  (findController(document) === undefined || isMarked(document)) &&
  isManaged(document) &&
  readPolicies(document) !== undefined &&
  !isBeingDeleted(document);

/** Recognizes a nested XR without a controller, as just after a restore, or one that this function has desired again since (ADOPTION). */
const isNestedToKeep = (document: Document): boolean =>
  hasReferences(document) &&
  (findController(document) === undefined || readAnnotation(document, ADOPTION) !== undefined) &&
  !isBeingDeleted(document);

/** Tells whether a resource may be a record of this function, which needs no restore. */
const isRecord = (desired: Document): boolean =>
  Object.values(RECORD_KINDS).some(({ kind }) => stringAt(desired, ["kind"]) === kind);

type Restored = ReturnType<typeof findRestored>;

/** Makes held resources only observe, leaves out those that do not exist, and gives released resources their policies back. */
export function observeFirst(restored: Restored, call: Call, draft: Draft): Draft {
  const desired = desiredSoFar(call, draft);
  const edits = restored.flatMap(({ name, observed, isHeld }): Edits => {
    const wanted = desired.get(name);
    if (wanted === undefined || hasReferences(observed ?? wanted)) return [];
    if (observed === undefined) return isHeld ? [[name, { is: "removed" }]] : [];
    return [[name, { is: "set", object: wanted.with(isHeld ? toHold(observed) : toRelease(wanted, observed)) }]];
  });
  return withResources(draft, edits);
}

const toHold = (observed: Document): readonly ValueEdit[] => [
  { path: MANAGEMENT_POLICIES, value: policiesToLook(observed) },
  { path: annotationPath(RESTORED), value: formatRestored(observed) },
];

/** Gives back policies, even if no step desires any, and replaces the mark: Velero may own both, and only a desired value replaces its. */
function toRelease(wanted: Document, observed: Document): readonly ValueEdit[] {
  const mark = formatReleased(observed);
  return [
    { path: MANAGEMENT_POLICIES, value: readPolicies(wanted) ?? ALL_ACTIONS },
    ...(mark === undefined ? [] : [{ path: annotationPath(RESTORED), value: mark }]),
  ];
}

/** The most differing fields that a message names. Their values may be secret, and are in no message. */
const MAX_FIELDS = 3;

/** The sentences about the findings, in the order in which the message counts them. */
const FINDINGS = faults({
  found: () => "",
  waiting: () => "its provider has not looked for it yet",
  missing: () => "missing in the cloud; once released, it is created",
  different: ({ fields }: { readonly fields: readonly string[] }) =>
    `the cloud differs in ${listSome(fields, MAX_FIELDS, brief)}, and is changed once it is released`,
  unrestored: () => "not restored; once released, it is created",
  dropped: () => "no longer desired; once released, it is deleted",
});

/** Counts the held resources by finding, and describes what a release would do to each resource that is not `found`. */
export function remarkHeld(restored: Restored, { composite }: Call): readonly AdoptionRemark[] {
  const held = restored.filter(({ isHeld }) => isHeld);
  if (held.length === 0) return [];
  const counts = Object.keys(FINDINGS).flatMap((found) => {
    const count = held.filter(({ judged }) => judged.is === found).length;
    return count === 0 ? [] : [`${count} ${found}`];
  });
  const command = releaseCommand(composite);
  const sentence =
    "the restored resources are only observed until each is found in the cloud as it is desired; to release some sooner, run this command " +
    `with NAME,NAME replaced by their names in the Composition, or by '*' for all: ${command}`;
  const isFine = held.every(({ judged }) => ["waiting", "found"].includes(judged.is));
  const is: AdoptionRemark["is"] = isFine ? "ObservingRestored" : "RestoreNotConfirmed";
  const others = held.filter(({ judged }) => judged.is !== "found");
  return [
    { is, resource: counts.join(", "), sentence },
    ...others.map(({ name, judged }) => ({ is, resource: brief(name), sentence: tell(FINDINGS, judged) })),
  ];
}
