import { isBeingDeleted, readAnnotation } from "../../crossplane/metadata.ts";
import { isSameResource, type Reference, readReference, toReference } from "../../crossplane/references.ts";
import { isOwnName } from "../../input/shared-resource.ts";
import { compareEntries, compareTexts, groupBy } from "../../model/collections.ts";
import type { Document } from "../../model/document.ts";
import { type Draft, type ResourceEdit, withResources } from "../../model/draft.ts";
import { toMatcher } from "../../model/glob.ts";
import { type JsonObject, objectOf, parseJson } from "../../model/json.ts";
import { lazy } from "../../model/once.ts";
import { DEPENDS_ON } from "../../ownership/annotations.ts";
import { asObserved, controlledAs, desiredSoFar, observedAs } from "../desired.ts";
import type { Call } from "../feature.ts";
import { isLeaving } from "../own-resources.ts";
import type { Delivered } from "./copies/deliver.ts";
import { isWaiting, type Judged, readableIn } from "./judgement.ts";
import type { Patched } from "./patches.ts";
import { isRefusal, type SharingReason } from "./reasons.ts";
import { isOfKind, judgeBound } from "./recorded.ts";

export interface Depending extends Patched {
  readonly depending: {
    readonly reasons: readonly SharingReason[];
    /** The dependents that are served or kept, and the shared resource that each is for. */
    readonly bound: readonly { readonly name: string; readonly origin: Reference }[];
  };
}

/** The decision of one share on a dependent, and the shared resource that the dependent is for. */
type Fate =
  | { readonly is: "served"; readonly origin: Reference }
  | { readonly is: "kept"; readonly origin: Reference | undefined }
  | { readonly is: "heldBack" | "removed"; readonly origin?: undefined };

type Decision = Fate & { readonly name: string; readonly share: string };

/** Decides on the dependents that earlier steps desire. Crossplane deletes those that no step desires. */
export function withDependents(draft: Draft, shares: readonly Patched[], call: Call) {
  const desired = lazy(() => desiredSoFar(call, draft)); // most XRs have no dependents
  const theirs = [...call.request.desired.resources.keys()].filter((name) => !isOwnName(name)).sort(compareTexts);
  const decided = shares.map((share) => ({ share, decisions: decideShare(share, theirs, desired) }));
  const all = decided.flatMap(({ decisions }) => decisions);
  const edits = [...groupBy(all, ({ name }) => name)].map(
    ([name, same]) => [name, toEdit(name, same, desired().get(name), call)] as const,
  );
  const depending = decided.map(({ share, decisions }): Depending => {
    const reasons = share.judgement.copies.is === "unknown" ? [] : toReasons(decisions);
    const bound = decisions.flatMap(({ name, origin }) => (origin === undefined ? [] : [{ name, origin }]));
    return { ...share, depending: { reasons, bound } };
  });
  return { draft: withResources(draft, edits), shares: depending };
}

function decideShare(share: Delivered, names: readonly string[], desired: () => ReadonlyMap<string, Document>) {
  const matchers = share.shared.dependents.map(toMatcher);
  return names.flatMap((name): readonly Decision[] => {
    // A name may be missing from `desired`: a patch of this step holds that resource back.
    const wanted = matchers.some((fits) => fits(name)) ? desired().get(name) : undefined;
    return wanted === undefined ? [] : [{ name, share: share.shared.name, ...decide(name, wanted, share) }];
  });
}

/**
 * Decides on one dependent. Its annotation DEPENDS_ON names its shared resource, and no tenant writes that annotation. Tenants
 * write the XR's fields and record. These alone neither make nor keep a dependent. The first row that fits decides:
 *
 * | the dependent                                                            | decision                           |
 * |--------------------------------------------------------------------------|------------------------------------|
 * | does not exist, nor `isLeaving`; access is granted, and `mayCreate`      | served: as earlier steps desire it |
 * | does not exist                                                           | held back                          |
 * | its shared resource is the one that the XR names, with access granted    | served; removed if `isTakenBack`   |
 * | the same, but the Composition desires another kind now, and `mayCreate`  | held back, then created anew       |
 * | the same, but a new one may not be created                               | kept exactly as observed           |
 * | the XR is served from another shared resource now                        | removed, then created anew         |
 * | the grant of its shared resource stands, or is not known                 | kept exactly as observed           |
 * | its shared resource does not exist, without `onSourceMissing: Delete`    | kept exactly as observed           |
 * | else                                                                     | removed                            |
 *
 * A dependent is kept as observed, since the fields from which earlier steps desire it may name another shared resource by
 * now. It is created anew, since many cloud resources cannot be changed in place, and some of its fields may come from the
 * former shared resource; and Crossplane would leave one of another kind there, with its access.
 */
function decide(name: string, desired: Document, share: Delivered): Fate {
  const { judgement, call } = share;
  const [now] = readableIn(judgement.fields).map(toReference); // the resource that the XR names, with access granted
  const same = observedAs(name, toReference(desired), call);
  const observed = same ?? controlledAs(name, call);
  if (observed === undefined) {
    const isCreated = now !== undefined && !isLeaving(name, desired, call) && mayCreate(share);
    return isCreated ? { is: "served", origin: now } : { is: "heldBack" };
  }
  const origin = findOrigin(observed, share);
  if (now !== undefined && (origin === undefined || isSameResource(origin.resource, now)))
    return serve(now, same !== undefined, share);
  const isReplaced = now !== undefined && isDelivered(share);
  return isReplaced || !isDependentKept(origin, share) ? { is: "removed" } : { is: "kept", origin: origin?.resource };
}

/** Decides on a dependent whose shared resource grants access. @param hasKind true if it has the kind that the Composition desires now. */
function serve(origin: Reference, hasKind: boolean, share: Delivered): Fate {
  if (isTakenBack(share)) return { is: "removed" };
  if (hasKind) return { is: "served", origin };
  return mayCreate(share) ? { is: "heldBack" } : { is: "kept", origin };
}

/**
 * Tells whether all copies of the share are written; true for a share without `connection`. Copies beyond MAX_TARGETS do not
 * count, and a Secret that keeps its former type counts as written.
 */
const isDelivered = ({ shared, judgement, delivery }: Delivered): boolean =>
  shared.connection === undefined ||
  (judgement.copies.is === "copy" && delivery.reasons.every(({ is }) => is === "TypeKept" || is === "TooManyTargets"));

/** Tells whether a new dependent may be served: the copies are written, and the shared resource is not being deleted. */
const mayCreate = (share: Delivered): boolean =>
  isDelivered(share) && !readableIn(share.judgement.fields).some(isBeingDeleted);

/** Tells whether copies of the share are refused, or deleted with their source. */
function isTakenBack({ shared: { connection }, judgement, delivery: { reasons } }: Delivered): boolean {
  if (connection === undefined) return false;
  const isSourceGone = judgement.copies.is === "gone" || reasons.some(({ is }) => is === "SourceNotFound");
  return reasons.some(isRefusal) || (isSourceGone && connection.onSourceMissing === "Delete");
}

/** Tells whether an observed dependent stays although no shared resource serves it now. */
function isDependentKept(origin: Origin | undefined, share: Delivered): boolean {
  const { shared, judgement } = share;
  const { copies, fields, named } = judgement;
  if (origin === undefined) return copies.is === "unknown";
  if (fields.is === "refused" && named && isSameResource(origin.resource, named.resource)) return false;
  if (isWaiting(judgement)) return true; // the next call decides
  const { is: grant } = judgeBound(origin.resource, share);
  // A record does not prove that the resource ever existed.
  if (grant === "gone") return origin.isMarked && shared.connection?.onSourceMissing !== "Delete";
  return grant !== "ended";
}

/** The shared resource that a dependent is for: of its annotation (`isMarked`), else of the record, which a team may write. */
interface Origin {
  readonly resource: Reference;
  readonly isMarked: boolean;
}

function findOrigin(observed: Document, { shared, before }: Judged): Origin | undefined {
  const marked = readReference(readOrigins(observed)[shared.name]);
  if (marked !== undefined && isOfKind(marked, shared)) return { resource: marked, isMarked: true };
  const recorded = before.find(({ access }) => access === "Granted");
  return recorded && { resource: recorded.resource, isMarked: false };
}

const readOrigins = (resource: Document): JsonObject => objectOf(parseJson(readAnnotation(resource, DEPENDS_ON)));

/** Edits a dependent. If several shares list it, it exists only while no share removes it or holds it back. */
function toEdit(name: string, decisions: readonly Decision[], desired: Document | undefined, call: Call): ResourceEdit {
  const observed = call.request.observed.resources.get(name)?.document;
  const fates = decisions.map(({ is }) => is);
  if (desired === undefined || fates.includes("removed") || fates.includes("heldBack")) return { is: "removed" };
  if (observed && fates.includes("kept")) return { is: "set", object: asObserved(observed) };
  const own = decisions.map(({ share, origin }) => [share, { ...origin }] as const);
  const origins = Object.entries({ ...readOrigins(desired), ...Object.fromEntries(own) });
  const value = JSON.stringify(Object.fromEntries(origins.sort(compareEntries)));
  return { is: "set", object: desired.with([{ path: ["metadata", "annotations", DEPENDS_ON], value }]) };
}

function toReasons(decisions: readonly Decision[]): readonly SharingReason[] {
  const namesOf = (fate: Fate["is"]) => decisions.flatMap(({ is, name }) => (is === fate ? [name] : []));
  const heldBack = { is: "DependentsHeldBack", names: namesOf("heldBack") } as const;
  const removed = { is: "DependentsRemoved", names: namesOf("removed") } as const;
  return [heldBack, removed].filter(({ names }) => names.length > 0);
}
