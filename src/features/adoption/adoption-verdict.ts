import { toApiGroup } from "../../crossplane/api-group.ts";
import { isManaged, readObservation } from "../../crossplane/managed-resource.ts";
import {
  type Controller,
  findController,
  isBeingDeleted,
  REFERENCES_MANAGER,
  readAnnotation,
  readManagedFields,
} from "../../crossplane/metadata.ts";
import { hasReferences, type Reference } from "../../crossplane/references.ts";
import { findCondition, readConditions, shownCondition } from "../../model/condition.ts";
import type { Document } from "../../model/document.ts";
import type { JsonObject } from "../../model/json.ts";
import type { LookupAnswer } from "../../model/requirement.ts";
import { ADOPTION, RESTORED } from "../../ownership/annotations.ts";
import { isSinceCreation } from "../../records/restored.ts";
import type { Prover } from "../own-resources.ts";

/** The verdict on a resource to which the XR refers. */
export type AdoptionVerdict =
  | { readonly is: "ours" } // this XR controls it; Crossplane deletes it properly
  | { readonly is: "unsettled" } // ours: a restored nested XR that does not control, or only observes, some of its composed resources
  | { readonly is: "marked" } // ours, and only observing since a restore: deleted now, it would orphan its cloud resource
  // Ours, put back after a restore. `waitingFor`: resources without a status yet, on which the pipeline may depend.
  | { readonly is: "unlooked"; readonly waitingFor: readonly string[] }
  | { readonly is: "unadopted" } // this XR composed it; it has no controller
  | { readonly is: "changed" } // unadopted, and its name in the Composition has another kind
  | { readonly is: "unproven"; readonly because: string; readonly remedy: string } // no controller, and no proof that this XR composed it
  | { readonly is: "unconfirmed"; readonly root: string; readonly because: string } // no proof that this XR is nested
  | { readonly is: "stale"; readonly controller: Controller } // this XR controlled it before the restore
  | { readonly is: "foreign"; readonly controller: Controller } // it has another controller
  | { readonly is: "gone" } // it does not exist, or is being deleted
  | { readonly is: "missing" } // it does not exist, and may be restored yet
  | { readonly is: "pending" };

/** A resource to which Crossplane is about to stop referring: it is observed and no longer desired, or not observed. */
export interface Case {
  /** The name in the Composition; undefined for a resource that is not observed. */
  readonly name: string | undefined;
  readonly reference: Reference;
  /** The resource; undefined if it does not exist, or is not looked up yet. */
  readonly resource: Document | undefined;
  readonly verdict: AdoptionVerdict;
}

/**
 * Judges a resource that is observed and not desired: Crossplane deletes or forgets it at the end of this reconcile.
 *
 * | controller      | state, or proof that this XR composed it | verdict     | Crossplane's action without us                     |
 * | --------------- | ---------------------------------------- | ----------- | -------------------------------------------------- |
 * | this XR         | an unsettled nested XR                   | `unsettled` | delete it before it has adopted its own resources  |
 * | this XR         | put back, or another one just restored   | `unlooked`  | delete it before providers have looked (see below) |
 * | this XR         | only observing since a restore           | `marked`    | delete it, and leave its cloud resource behind     |
 * | this XR         | any other                                | `ours`      | delete it, which is right                          |
 * | none            | proof                                    | `unadopted` | v1.20 to v2.3: delete it; v2.4: forget it for ever |
 * | none            | no proof                                 | `unproven`  | the same                                           |
 * | none            | being deleted                            | `gone`      | none                                               |
 *
 * Restores strip statuses, and a pipeline may desire a resource only once it has read another resource's status. So a resource that was put
 * back stays until providers have looked at all resources, and for one more reconcile, in which its annotation ADOPTION is still PENDING: a
 * status may travel through the XR's own status.
 *
 * A desired resource needs no verdict: Crossplane's server-side apply makes the XR its controller. Crossplane observes no resource with
 * another controller; `crossplane render` may, and then the table of `judgeReferenced` applies.
 *
 * @param isHeld true if the resource only observes until a person releases it, or all are found (`findRestored`).
 */
export function judgeObserved(
  resource: Document,
  prover: Prover,
  findUnlooked: (isPutBack: boolean) => readonly string[],
  isHeld: boolean,
): AdoptionVerdict {
  const verdict = judgeExisting(resource, prover);
  if (verdict.is !== "ours") return verdict;
  if (isUnsettled(resource)) return { is: "unsettled" };
  const putBack = readAnnotation(resource, ADOPTION);
  const waitingFor = findUnlooked(putBack !== undefined);
  if (putBack === PENDING || waitingFor.length > 0) return { is: "unlooked", waitingFor };
  return isHeld || readAnnotation(resource, RESTORED) !== undefined ? { is: "marked" } : verdict;
}

/**
 * The reasons of ResourcesAdopted with which an XR is unsettled. `Adopting`: the XR, or an XR nested in it, does not control all of its
 * composed resources yet. The other reasons: the XR only observes some of its composed resources.
 */
const UNSETTLED: ReadonlySet<string> = new Set(["Adopting", "ObservingRestored", "RestoreNotConfirmed"]);

/** Tells whether a resource is an unsettled XR: deleted now, it would leave resources behind, in the cluster or in the cloud. */
export function isUnsettled(resource: Document): boolean {
  if (!hasReferences(resource)) return false;
  const { status, reason = "" } = shownCondition(resource, "ResourcesAdopted") ?? {};
  return hasReferencesOfBackup(resource) || (status === "False" && UNSETTLED.has(reason));
}

/** The value of the annotation ADOPTION until providers have looked at all resources of the XR. */
export const PENDING = "pending";

/**
 * Tells whether a provider has reported a managed resource's status since the creation or restore, or Crossplane a nested XR's. True for
 * any other resource, and for a managed resource whose status was restored: a provider that finds nothing new leaves that as it is.
 */
export function isLookedAt(resource: Document): boolean {
  const isNested = hasReferences(resource);
  if (!isManaged(resource) && !isNested) return true;
  const synced = findCondition(resource, "Synced");
  if (synced?.["status"] === "True" && !isNested) return true;
  if (synced === undefined || !isSinceCreation(resource, synced["lastTransitionTime"])) return false;
  if (isNested) return synced["status"] === "True";
  const isReported = Object.keys(resource.at(["status", "atProvider"]) ?? {}).length > 0;
  return isReported || readObservation(resource) === "absent";
}

/**
 * Judges a resource that is referred to and not observed. At the end of this reconcile Crossplane drops the reference; if the resource is
 * desired, Crossplane creates it a second time, under a new name.
 *
 * | found         | its controller                                     | verdict                                           |
 * | ------------- | -------------------------------------------------- | ------------------------------------------------- |
 * | nothing       |                                                    | `missing` after a restore, else `gone`            |
 * | a resource    | an XR of this XR's kind and name, another UID      | `stale`: restored with the references of a backup |
 * | a resource    | any other object                                   | `foreign`                                         |
 * | a resource    | this XR                                            | `ours`: it is watched, and observed the next time |
 * | a resource    | none                                               | `unadopted` or `unproven`: it was just restored   |
 */
export function judgeReferenced(answer: LookupAnswer, prover: Prover, areFromBackup: boolean): AdoptionVerdict {
  if (answer.is === "pending") return { is: "pending" };
  const [resource] = answer.items;
  if (resource === undefined) return { is: areFromBackup ? "missing" : "gone" };
  return judgeExisting(resource, prover);
}

/** Judges an observed resource whose name in the Composition has another kind; undefined if that needs no action, as without a restore. */
export function judgeChanged(resource: Document, prover: Prover): AdoptionVerdict | undefined {
  const verdict = judgeExisting(resource, prover);
  if (verdict.is === "unadopted") return { is: "changed" };
  return ["unconfirmed", "pending"].includes(verdict.is) ? verdict : undefined;
}

function judgeExisting(resource: Document, { composer, prove }: Prover): AdoptionVerdict {
  const controller = findController(resource);
  if (controller !== undefined) {
    const { uid, apiVersion, kind, name } = composer;
    if (uid === undefined || uid === controller.uid) return { is: "ours" }; // without a UID it is a render
    const isSameKind = toApiGroup(controller.apiVersion) === toApiGroup(apiVersion) && controller.kind === kind;
    return { is: isSameKind && controller.name === name ? "stale" : "foreign", controller };
  }
  if (isBeingDeleted(resource)) return { is: "gone" };
  const proof = prove(resource);
  return proof.is === "proven" ? { is: "unadopted" } : proof;
}

/**
 * Tells whether an XR's references come from a backup: no reconcile has completed since the restore. Then missing resources may still be
 * restored.
 *
 * Signs of a completed reconcile are managed fields of the references, and the condition Synced. Both must be missing, since an XR that was
 * never restored may lack one: the managed fields if an older Crossplane composed it without functions, Synced if Crossplane was stopped in
 * the first reconcile.
 */
export function hasReferencesOfBackup(xr: Document): boolean {
  const isWritten = ({ manager, subresource, time }: JsonObject): boolean =>
    manager === REFERENCES_MANAGER && !subresource && isSinceCreation(xr, time);
  const isSynced = ({ type, status, lastTransitionTime }: JsonObject): boolean =>
    type === "Synced" && status === "True" && isSinceCreation(xr, lastTransitionTime);
  return !readManagedFields(xr).some(isWritten) && !readConditions(xr).some(isSynced);
}
