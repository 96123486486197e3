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
import { findCondition, readConditions } from "../../model/condition.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { type JsonObject, toPlainText } from "../../model/json.ts";
import type { LookupAnswer } from "../../model/requirement.ts";
import { ADOPTION, RESTORED } from "../../ownership/annotations.ts";
import type { Prover } from "../confirm-nesting.ts";

/** The verdict on a resource that the XR refers to, by its controller. */
export type AdoptionVerdict =
  | { readonly is: "ours" } // this XR controls it; Crossplane deletes it properly
  | { readonly is: "unsettled" } // ours, and a restored XR that does not yet control its own composed resources
  | { readonly is: "marked" } // ours, and only observing since a restore: deleted now, it would leave its cloud resource behind
  // Ours, put back after a restore, and a status that the pipeline depends on may still be missing: of these resources.
  | { readonly is: "unlooked"; readonly waitingFor: readonly string[] }
  | { readonly is: "unadopted" } // this XR composed it; it has no controller
  | { readonly is: "unproven"; readonly because: string } // no controller, and no proof that this XR composed it
  | { readonly is: "unconfirmed"; readonly root: string; readonly because: string } // nothing confirms that this XR is nested
  | { readonly is: "stale"; readonly controller: Controller } // this XR controlled it, with its UID before the restore
  | { readonly is: "foreign"; readonly controller: Controller } // it has another controller
  | { readonly is: "gone" } // it does not exist, or is being deleted
  | { readonly is: "missing" } // it is not restored yet
  | { readonly is: "pending" };

/** A composed resource that is observed and no longer desired, or a reference without an observed resource: Crossplane drops both. */
export interface Case {
  /** The name in the Composition of an observed resource; undefined for a reference without one. */
  readonly name: string | undefined;
  readonly reference: Reference;
  /** Undefined if it does not exist, or is not looked up yet. */
  readonly resource: Document | undefined;
  readonly verdict: AdoptionVerdict;
}

/**
 * Judges a resource that is observed and not desired. Crossplane drops it at the end of this reconcile.
 *
 * | controller      | proof that this XR composed it | verdict     | Crossplane's action without us                      |
 * | --------------- | ------------------------------ | ----------- | --------------------------------------------------- |
 * | this XR         | not needed                     | `ours`      | delete it, which is right                           |
 * | this XR         | not needed, it is a nested XR  | `unsettled` | delete it before it has adopted its own resources   |
 * | this XR         | not needed, it was put back    | `unlooked`  | delete it before providers have looked (see below)  |
 * | none            | yes                            | `unadopted` | v1.20 to v2.3: delete it; v2.4: forget it for ever  |
 * | none            | no                             | `unproven`  | the same                                            |
 * | none, deleting  | not needed                     | `gone`      | none: it is being deleted already                   |
 *
 * A pipeline may desire a resource only once another one's status is there, which a restore has stripped. So what was put back is given
 * up one reconcile after all are looked at: the status may go by way of the XR's own.
 *
 * A desired resource needs no verdict: Crossplane's server-side apply makes the XR its controller. Crossplane does not observe a
 * resource with another controller; a renderer may, and then the next table applies.
 */
export function judgeObserved(
  resource: Document,
  prover: Prover,
  findUnlooked: () => readonly string[],
): AdoptionVerdict {
  const verdict = judgeExisting(resource, prover);
  if (verdict.is !== "ours") return verdict;
  if (hasReferences(resource) && isRestored(resource)) return { is: "unsettled" };
  const putBack = readAnnotation(resource, ADOPTION);
  const waitingFor = putBack === undefined ? [] : findUnlooked();
  if (putBack === PENDING || waitingFor.length > 0) return { is: "unlooked", waitingFor };
  return readAnnotation(resource, RESTORED) === undefined ? verdict : { is: "marked" };
}

/** The value of the annotation while a resource of the XR is not looked at. */
export const PENDING = "pending";

/** Tells whether a provider (of a nested XR, Crossplane) has reported a status since the resource was created or restored. */
export function isLookedAt(resource: Document): boolean {
  const isNested = hasReferences(resource);
  if (!isManaged(resource) && !isNested) return true;
  const created = Date.parse(stringAt(resource, ["metadata", "creationTimestamp"]) ?? "");
  const synced = findCondition(resource, "Synced");
  if (synced === undefined || Date.parse(toPlainText(synced["lastTransitionTime"])) < created) return false;
  if (synced["status"] === "True") return true;
  const isReported = Object.keys(resource.at(["status", "atProvider"]) ?? {}).length > 0;
  return !isNested && (isReported || readObservation(resource) === "absent");
}

/**
 * Judges a reference whose resource is not observed. Crossplane replaces it at the end of this reconcile: the resource is
 * forgotten, and one that is desired is made anew, under a new name.
 *
 * | found         | its controller                                     | verdict                                           |
 * | ------------- | -------------------------------------------------- | ------------------------------------------------- |
 * | nothing       |                                                    | `missing` after a restore, else `gone`            |
 * | a resource    | an XR of this one's kind and name, another UID     | `stale`: restored with the references of a backup |
 * | a resource    | another one                                        | `foreign`                                         |
 * | a resource    | this XR                                            | `ours`: it is watched, and observed the next time |
 * | a resource    | none                                               | as above: it was restored during this reconcile   |
 */
export function judgeReferenced(answer: LookupAnswer, prover: Prover, isComposerRestored: boolean): AdoptionVerdict {
  if (answer.is === "pending") return { is: "pending" };
  const [resource] = answer.items;
  if (resource === undefined) return { is: isComposerRestored ? "missing" : "gone" };
  return judgeExisting(resource, prover);
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
 * Tells whether the XR's references come from a backup: Crossplane has not written them since the restore. Then a missing resource
 * may still be restored. Crossplane writes references in every completed reconcile, so this ends with the first one.
 *
 * Both signs have to agree, because an XR that was never restored may lack either: managed fields if an older Crossplane composed it
 * without functions, `Synced` if Crossplane was stopped in the first reconcile. `Synced` is True only after a completed reconcile,
 * and False while this function or a missing provider stops the XR.
 */
export function isRestored(document: Document): boolean {
  const created = Date.parse(stringAt(document, ["metadata", "creationTimestamp"]) ?? "");
  const isSince = (time: unknown): boolean => !(Date.parse(toPlainText(time)) < created);
  const isWritten = ({ manager, subresource, time }: JsonObject): boolean =>
    manager === REFERENCES_MANAGER && !subresource && isSince(time);
  const isSynced = ({ type, status, lastTransitionTime }: JsonObject): boolean =>
    type === "Synced" && status === "True" && isSince(lastTransitionTime);
  return !readManagedFields(document).some(isWritten) && !readConditions(document).some(isSynced);
}
