import { canSelectNamespaces } from "../../../crossplane/composite.ts";
import { formatSecret, type SecretName } from "../../../crossplane/copies.ts";
import { isObserver, readPolicies } from "../../../crossplane/management-policies.ts";
import { isBeingDeleted, readAnnotation } from "../../../crossplane/metadata.ts";
import { isSameResource, type Reference } from "../../../crossplane/references.ts";
import { toRequirement, toSecretRequirement } from "../../../crossplane/requirement-names.ts";
import { stringAt } from "../../../model/document.ts";
import { formatOwner, OWNER, SHARED_FROM } from "../../../ownership/annotations.ts";
import type { Call } from "../../feature.ts";
import { isRefusal, type SharingReason } from "../reasons.ts";
import type { Data } from "../source.ts";
import type { Copying, Target } from "../verdict.ts";
import { targetLabel } from "./compose-object.ts";
import type { Contents } from "./contents.ts";
import { failureOf, findStale, isCopyReady, isRefused, isReleased, type ObservedCopy } from "./observed.ts";
import { judgeOrigins, type KeptFor, type ShareInCall } from "./recorded.ts";
import type { Row } from "./rows.ts";

export interface CopyingShare extends ShareInCall {
  readonly copying: Copying;
  contentsOf(copy: Target["copy"]): Contents;
}

/** The decision on one target Secret, with the reasons why it is not available. */
export type Cell = { readonly reasons?: readonly SharingReason[] } & (
  | {
      readonly is: "write" | "observeFirst";
      readonly data: Data;
      readonly earlier: readonly Reference[]; // the origins of what the Secret may still hold
    }
  | { readonly is: "keep" | "drop" | "leaveAlone" }
  | { readonly is: "keepGranted"; readonly cause: KeptFor; readonly now?: Reference | undefined }
  | { readonly is: "publish"; readonly data: Data }
);

/**
 * Decides what becomes of one target Secret. The first line that fits:
 *
 * | the Secret                                                        | its copy               |
 * |-------------------------------------------------------------------|------------------------|
 * | may not be written to: not granted, not accepted                 | keep while granted     |
 * | has another copy: of another share or way, or of an earlier step  | leave alone            |
 * | is to hold what is not known, not there, or too large             | keep while granted     |
 * | is connection details of the XR                                   | publish                |
 * | is to be new, and its shared resource is being deleted            | keep while granted     |
 * | is not looked up yet                                              | keep while granted     |
 * | exists without our mark                                           | leave alone            |
 * | may hold what another resource granted, and grants no more        | drop, then create anew |
 * | may, and that grant is not known yet                              | keep                   |
 * | has no copy of that name, and an Object that may still delete it  | drop: compose none yet |
 * | has an Object that may have been given up and not know of it yet  | observe first          |
 * | else                                                              | write                  |
 *
 * Kept while granted: each copy for itself, by the grant that it was made under (isKept). Left alone, and from `drop` on: all
 * other copies of the Secret are given up, and none is deleted with its Secret.
 */
export function decideSecret(row: Row, share: CopyingShare): Cell {
  const { copying, call } = share;
  const { target, holder } = row;
  const now = copying.origin;
  if (target.refusal !== undefined)
    return isRefusal(target.refusal)
      ? { is: "keepGranted", cause: "refused", now }
      : { is: "keepGranted", cause: "unknown" };
  if (holder !== undefined) return leaveAlone(target, holder);
  const contents = share.contentsOf(target.copy);
  const isDetails = target.copy.via === "CompositeConnectionDetails";
  if (contents.is !== "known") {
    // Asked for with the source: Crossplane calls a step six times at most, and a copy that moves needs nearly all of them.
    if (contents.is === "unknown" && !isDetails) findMark(row, call);
    return { is: "keepGranted", cause: contents.is, now, reasons: [contents.reason] };
  }
  return isDetails ? { is: "publish", data: contents.data } : decideCopy(row, contents.data, share);
}

const leaveAlone = (target: SecretName, holder: string | undefined): Cell => ({
  is: "leaveAlone",
  reasons: [{ is: "TargetTaken", target, holder }],
});

function decideCopy(row: Row, data: Data, share: CopyingShare): Cell {
  const { copying, call } = share;
  const { target, observed } = row;
  const { origin: now } = copying;
  if (copying.isBeingDeleted && !mayBeOf(observed, now))
    return { is: "keepGranted", cause: "broken", now, reasons: [{ is: "BeingDeleted", shared: now.name }] };
  const mark = findMark(row, call);
  if (mark.is === "unknown")
    return {
      is: "keepGranted",
      cause: "unknown",
      now,
      reasons: [{ is: "WaitingForRequiredResources", wanted: "Secret" }],
    };
  if (mark.is === "others") return leaveAlone(target, mark.owner);
  if (observed !== undefined) return decideUpdate(observed, target, data, share);
  const reasons: SharingReason[] = [{ is: "WaitingForCopies", targets: [target] }];
  if (row.isHeld) return { is: "drop", reasons };
  const isObserving = isWriter(target) && mark.from === formatSecret(copying.source);
  return { is: isObserving ? "observeFirst" : "write", data, earlier: [], reasons };
}

/** Tells whether a copy may be of this resource: one without a record may be. */
const mayBeOf = (copy: ObservedCopy | undefined, now: Reference): boolean =>
  copy !== undefined && (copy.origin === undefined || isSameResource(copy.origin, now));

function decideUpdate(copy: ObservedCopy, target: Target, data: Data, share: CopyingShare): Cell {
  const waiting: SharingReason = { is: "WaitingForCopies", targets: [target] };
  const earlier = findStale(copy, share.copying.origin);
  const grant = judgeOrigins(copy, earlier, share);
  const isObserving = isWriter(target) && !mayWriteAgain(copy);
  const failure = isObserving || isCopyReady(copy.resource) ? undefined : findFailure(target, copy);
  const failures = failure === undefined ? [] : [failure];
  if (grant === "ended") return { is: "drop", reasons: [...failures, waiting] };
  const isWaiting = isObserving || (failure === undefined && !isCopyReady(copy.resource));
  const reasons = isWaiting ? [waiting] : failures;
  if (grant === "pending") return { is: "keep", reasons };
  return { is: isObserving ? "observeFirst" : "write", data, earlier, reasons };
}

/** Tells whether an Object writes its Secret, and deletes it with itself. */
const isWriter = ({ copy: { via } }: Target): boolean => via === "Object";

/**
 * Tells whether an Object that observes may have all policies. Crossplane v2 derives its name from its XR and its name in the
 * Composition, so one that is composed anew may be the one that was given up a moment ago and is still being deleted: with all
 * policies its provider would then delete the Secret. Over a Secret that exists, an Object therefore begins as an observer, and
 * writes once its provider has read that and it is not being deleted.
 *
 * A copy of another Secret may go: its grant may have been taken back, and an Object that became an observer while it is being
 * deleted would leave it there.
 */
function mayWriteAgain({ resource: { document } }: ObservedCopy): boolean {
  const policies = readPolicies(document);
  const isLimited = policies !== undefined && isObserver(policies);
  return !isLimited || (isReleased(document) && !isBeingDeleted(document));
}

/** Finds what the provider reports of a copy that it cannot write. */
function findFailure(target: SecretName, { resource }: ObservedCopy): SharingReason | undefined {
  if (isRefused(resource)) return { is: "TargetTaken", target, holder: undefined };
  const says = failureOf(resource);
  return says === undefined ? undefined : { is: "CopyFailed", target, says };
}

type Mark =
  | { readonly is: "ours"; readonly from?: string | undefined } // or none, where there is no Secret. `from`: a copy of what
  | { readonly is: "others"; readonly owner: string | undefined } // undefined: the Secret carries no mark of ours
  | { readonly is: "unknown" }; // not looked up yet

/**
 * Finds who holds a target Secret, by proof that lies on the Secret itself: the owner annotation of a copy. One that exists
 * and is not ours stays as it is. That is also how two XRs settle that both saw none there and wrote at once: the one that
 * sees the other's mark gives way without deleting the Secret, and the mark that is on it in the end says who has it.
 *
 * Crossplane v1 cannot look up a Secret by its name, and so finds copies of ours only. `via: ConnectionSecret` leaves it to
 * the provider, which refuses to write what the Object does not control.
 */
function findMark({ key, target }: Row, { request, composite, requirements }: Call): Mark {
  if (target.copy.via === "ConnectionSecret") return { is: "ours" };
  const selector = { apiVersion: "v1", kind: "Secret", match: { labels: targetLabel(target) } };
  const requirement = canSelectNamespaces(request, composite)
    ? toSecretRequirement(`${key}/target`, target)
    : toRequirement(`${key}/target`, selector);
  const answer = requirements.ask(requirement);
  if (answer.is === "pending") return { is: "unknown" };

  const found = answer.items.find(
    (item) =>
      stringAt(item, ["metadata", "namespace"]) === target.namespace &&
      stringAt(item, ["metadata", "name"]) === target.name,
  );
  if (found === undefined) return { is: "ours" };
  const owner = readAnnotation(found, OWNER);
  return owner === formatOwner(composite)
    ? { is: "ours", from: readAnnotation(found, SHARED_FROM) }
    : { is: "others", owner };
}
