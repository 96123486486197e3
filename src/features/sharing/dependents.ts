import { isBeingDeleted, readAnnotation } from "../../crossplane/metadata.ts";
import { isSameResource, type Reference, readReference, toReference } from "../../crossplane/references.ts";
import { OWN_NAMES } from "../../input/shared-resource.ts";
import { compareTexts, groupBy } from "../../model/collections.ts";
import type { Document } from "../../model/document.ts";
import { type Draft, type ResourceEdit, withResources } from "../../model/draft.ts";
import { toMatcher } from "../../model/glob.ts";
import { isObject, type JsonObject, parseJson } from "../../model/json.ts";
import { DEPENDS_ON } from "../../ownership/annotations.ts";
import { asObserved, desiredSoFar, observedAs } from "../desired.ts";
import type { Call } from "../feature.ts";
import { isLeaving } from "../labelled-resources.ts";
import type { Delivered } from "./copies/deliver.ts";
import { isWaiting, type Judged, readableIn } from "./judgement.ts";
import type { Patched } from "./patches.ts";
import { isRefusal, type SharingReason } from "./reasons.ts";
import { isOfKind, judgeBound } from "./recorded.ts";

export interface Depending extends Patched {
  readonly depending: {
    readonly reasons: readonly SharingReason[];
    /** The dependents that exist, and the shared resource that each is for. */
    readonly bound: readonly { readonly name: string; readonly origin: Reference }[];
  };
}

/** The decision on a dependent. `origin`: the shared resource that it is for. */
type Fate =
  | { readonly is: "served"; readonly origin: Reference }
  | { readonly is: "kept"; readonly origin: Reference | undefined }
  | { readonly is: "heldBack" | "removed"; readonly origin?: undefined };

type Decision = Fate & { readonly name: string };

/** Decides on the dependents that earlier steps desire. Crossplane deletes those that no step desires. */
export function withDependents(draft: Draft, shares: readonly Patched[], call: Call) {
  const desired = desiredSoFar(call, draft);
  const theirs = [...call.request.desired.resources.keys()]
    .filter((name) => OWN_NAMES.every((own) => !name.startsWith(own)))
    .sort(compareTexts);
  const decided = shares.map((share) => ({ share, decisions: decideShare(share, theirs, desired) }));
  const all = decided.flatMap(({ share, decisions }) =>
    decisions.map((decision) => ({ ...decision, share: share.shared.name })),
  );
  const edits = [...groupBy(all, ({ name }) => name)].map(
    ([name, fates]) =>
      [name, toEdit(fates, desired.get(name), call.request.observed.resources.get(name)?.document)] as const,
  );
  const depending = decided.map(({ share, decisions }): Depending => {
    const reasons = share.judgement.copies.is === "unknown" ? [] : toReasons(decisions);
    const bound = decisions.flatMap(({ name, origin }) => (origin === undefined ? [] : [{ name, origin }]));
    return { ...share, depending: { reasons, bound } };
  });
  return { draft: withResources(draft, edits), shares: depending };
}

function decideShare(share: Delivered, names: readonly string[], desired: ReadonlyMap<string, Document>) {
  const matchers = share.shared.dependents.map(toMatcher);
  return names.flatMap((name): readonly Decision[] => {
    const wanted = desired.get(name); // a patch may hold it back
    return wanted && matchers.some((fits) => fits(name)) ? [{ name, ...decide(name, wanted, share) }] : [];
  });
}

/**
 * Decides on one dependent. Its annotation names its shared resource, and no tenant writes that. Tenants write the XR's
 * fields and record, which alone neither make nor keep a dependent. The first row that fits decides:
 *
 * | the dependent                                                            | decision                           |
 * |--------------------------------------------------------------------------|------------------------------------|
 * | does not exist, access is granted, and the copies are written            | served: as earlier steps desire it |
 * | does not exist                                                           | held back                          |
 * | its shared resource is the one that the XR names, with access granted    | served; removed with its copies    |
 * | the XR is served from another shared resource now                        | removed, then created anew         |
 * | the grant of its shared resource stands, or is not known                 | kept exactly as observed           |
 * | its shared resource does not exist, with `onSourceMissing: Keep`         | kept exactly as observed           |
 * | else                                                                     | removed                            |
 *
 * It is kept as observed, since the fields from which earlier steps desire it may name another resource by now. It is
 * created anew, since many cloud resources cannot be changed, and some fields may be the former resource's.
 */
function decide(name: string, desired: Document, share: Delivered): Fate {
  const { judgement, call } = share;
  const now = readableIn(judgement.fields).map(toReference)[0];
  const observed = observedAs(name, toReference(desired), call);
  if (observed !== undefined) return decideObserved(observed, now, share);
  const isEarly = now === undefined || isLeaving(name, desired, call);
  return isEarly || !mayBegin(share) ? { is: "heldBack" } : { is: "served", origin: now };
}

/** @param now the resource that the XR names, if it grants access. */
function decideObserved(observed: Document, now: Reference | undefined, share: Delivered): Fate {
  const recorded = share.before.find(({ access }) => access === "Granted")?.resource;
  const marked = readOrigin(observed, share);
  const origin = marked ?? recorded;
  if (now !== undefined && (origin === undefined || isSameResource(origin, now)))
    return isTakenBack(share) ? { is: "removed" } : { is: "served", origin: now };
  const isMoved = now !== undefined && isDelivered(share);
  return !isMoved && isKept(origin, marked !== undefined, share) ? { is: "kept", origin } : { is: "removed" };
}

/** Tells whether all copies of the share are written; true for a share without copies. */
const isDelivered = ({ shared, judgement, delivery }: Delivered): boolean =>
  shared.connection === undefined ||
  (judgement.copies.is === "copy" && delivery.reasons.every(({ is }) => is === "TypeKept" || is === "TooManyTargets"));

const mayBegin = (share: Delivered): boolean =>
  isDelivered(share) &&
  (share.shared.select.by === "self" ||
    !readableIn(share.judgement.fields).some((resource) => isBeingDeleted(resource)));

/** Tells whether copies of the share are refused, or are deleted with their source. */
function isTakenBack({ shared: { connection }, judgement, delivery: { reasons } }: Delivered): boolean {
  if (connection === undefined) return false;
  const isSourceGone = judgement.copies.is === "gone" || reasons.some(({ is }) => is === "SourceNotFound");
  return reasons.some(isRefusal) || (isSourceGone && connection.onSourceMissing === "Delete");
}

/** Tells whether a dependent that cannot be served now stays. Without the annotation it goes with its resource. */
function isKept(origin: Reference | undefined, isMarked: boolean, share: Delivered): boolean {
  const { shared, judgement } = share;
  const { copies, fields, named } = judgement;
  if (origin === undefined) return copies.is === "unknown";
  if (fields.is === "refused" && named && isSameResource(origin, named.resource)) return false;
  if (isWaiting(judgement)) return true; // the next call decides
  const { is: grant } = judgeBound(origin, [], share);
  return grant === "gone" ? isMarked && shared.connection?.onSourceMissing !== "Delete" : grant !== "ended";
}

/** Reads the shared resource that a dependent is for; undefined if it is not of the share's kind. */
function readOrigin(observed: Document, { shared }: Judged): Reference | undefined {
  const origin = readReference(readOrigins(observed)[shared.name]);
  return origin && isOfKind(origin, shared) ? origin : undefined;
}

function readOrigins(resource: Document): JsonObject {
  const origins = parseJson(readAnnotation(resource, DEPENDS_ON));
  return isObject(origins) ? origins : {};
}

/** Edits a dependent. If several shares list it, it exists only while all of them serve it. */
function toEdit(
  fates: readonly (Fate & { readonly share: string })[],
  desired: Document | undefined,
  observed: Document | undefined,
): ResourceEdit {
  if (desired === undefined || fates.some(({ is }) => is === "removed" || is === "heldBack")) return { is: "removed" };
  if (observed && fates.some(({ is }) => is === "kept")) return { is: "set", object: asObserved(observed) };
  const own = fates.map(({ share, origin }) => [share, { ...origin }] as const);
  const origins = Object.entries({ ...readOrigins(desired), ...Object.fromEntries(own) });
  const value = JSON.stringify(Object.fromEntries(origins.sort(([a], [b]) => compareTexts(a, b))));
  return { is: "set", object: desired.with([{ path: ["metadata", "annotations", DEPENDS_ON], value }]) };
}

function toReasons(decisions: readonly Decision[]): readonly SharingReason[] {
  const namesOf = (fate: Fate["is"]) => decisions.flatMap(({ is, name }) => (is === fate ? [name] : []));
  const [heldBack, removed] = [namesOf("heldBack"), namesOf("removed")];
  return [
    ...(heldBack.length > 0 ? [{ is: "DependentsHeldBack", names: heldBack } as const] : []),
    ...(removed.length > 0 ? [{ is: "DependentsRemoved", names: removed } as const] : []),
  ];
}
