import { toApiGroup } from "../../crossplane/api-group.ts";
import { type Controller, findController } from "../../crossplane/controller.ts";
import { REFERENCES_MANAGER, readManagedFields } from "../../crossplane/field-managers.ts";
import { isBeingDeleted } from "../../crossplane/metadata.ts";
import type { Nesting } from "../../crossplane/nesting.ts";
import { findProof, type PossibleComposer } from "../../crossplane/proof.ts";
import { hasReferences } from "../../crossplane/references.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { isObject, type JsonObject, toPlainText } from "../../model/json.ts";
import type { Answer } from "../../model/requirement.ts";

/** The controller of a resource that the XR refers to, and what follows from it. */
export type AdoptionVerdict =
  | { readonly is: "ours" } // this XR controls it; Crossplane deletes it properly
  | { readonly is: "unsettled" } // ours, and a restored XR that does not yet control what it composed itself
  | { readonly is: "unadopted" } // this XR composed it, and nobody controls it
  | { readonly is: "unproven"; readonly because: string } // nobody controls it, and nothing proves who composed it
  | { readonly is: "unconfirmed"; readonly root: string; readonly because: string } // as `nested`, which nothing confirms
  | { readonly is: "stale"; readonly controller: Controller } // this XR controlled it, under the UID before the restore
  | { readonly is: "foreign"; readonly controller: Controller } // somebody else controls it
  | { readonly is: "gone" } // it does not exist, or is being deleted
  | { readonly is: "missing" } // it is not restored yet
  | { readonly is: "pending" };

/** What the resource and this XR tell, before the XRs above this one are looked up. */
export type Judgement =
  | Exclude<AdoptionVerdict, { is: "unconfirmed" }>
  | { readonly is: "nested"; readonly root: string }; // `unadopted` if this XR is nested below that root

/**
 * Judges a resource that is observed and not desired. Crossplane drops it at the end of this reconcile.
 *
 * | controller      | proof that this XR composed it | verdict     | what Crossplane would do with it                    |
 * | --------------- | ------------------------------ | ----------- | --------------------------------------------------- |
 * | this XR         | not needed                     | `ours`      | delete it, which is right                           |
 * | this XR         | not needed, it is a nested XR  | `unsettled` | delete it, before it has adopted what it composed   |
 * | none            | yes                            | `unadopted` | v1.20 to v2.3: delete it; v2.4: forget it for ever  |
 * | none            | no                             | `unproven`  | the same                                            |
 * | none            | if this XR is nested there     | `nested`    | the same                                            |
 * | none, and going | not needed                     | `gone`      | it is being deleted already                         |
 *
 * One that is desired needs no verdict: Crossplane's server-side apply makes the XR its controller. One that somebody else
 * controls Crossplane does not observe; a renderer may, and then the next table holds.
 */
export function judgeObserved(resource: Document, composer: PossibleComposer): Judgement {
  const verdict = judgeFound(resource, composer);
  const isUnsettled = verdict.is === "ours" && hasReferences(resource) && isRestored(resource);
  return isUnsettled ? { is: "unsettled" } : verdict;
}

/**
 * Judges a reference whose resource is not observed. Crossplane replaces it at the end of this reconcile: the resource is
 * forgotten, and one that is desired is made anew, under a new name.
 *
 * | what is there | its controller                                     | verdict                                           |
 * | ------------- | -------------------------------------------------- | ------------------------------------------------- |
 * | nothing       |                                                    | `missing` after a restore, else `gone`            |
 * | a resource    | an XR of this one's kind and name, another UID     | `stale`: restored with the references of a backup |
 * | a resource    | anybody else                                       | `foreign`                                         |
 * | a resource    | this XR                                            | `ours`: it is watched, and observed the next time |
 * | a resource    | none                                               | as above: it was restored during this reconcile   |
 */
export function judgeReferenced(answer: Answer, composer: PossibleComposer, isComposerRestored: boolean): Judgement {
  if (answer.is === "pending") return { is: "pending" };
  const [resource] = answer.items;
  if (resource === undefined) return { is: isComposerRestored ? "missing" : "gone" };
  return judgeFound(resource, composer);
}

function judgeFound(resource: Document, composer: PossibleComposer): Judgement {
  const controller = findController(resource);
  if (controller === undefined) return judgeUncontrolled(resource, composer);
  const { uid } = composer;
  if (uid === undefined || uid === controller.uid) return { is: "ours" }; // without a UID it is a render
  return { is: isFormerSelf(controller, composer) ? "stale" : "foreign", controller };
}

function judgeUncontrolled(resource: Document, composer: PossibleComposer): Judgement {
  if (isBeingDeleted(resource)) return { is: "gone" };
  const proof = findProof(resource, composer);
  return proof.is === "proven" ? { is: "unadopted" } : proof;
}

/** Ends a judgement that depends on the XRs above this one; others stay as they are. */
export function settleNested(judgement: Judgement, nesting: Nesting): AdoptionVerdict {
  if (judgement.is !== "nested") return judgement;
  switch (nesting.is) {
    case "confirmed":
      return { is: "unadopted" };
    case "pending":
      return nesting;
    case "unconfirmed":
      return { ...nesting, root: judgement.root };
  }
}

/** The version of a kind changes while it stays the same kind. */
function isFormerSelf(controller: Controller, { apiVersion, kind, name }: PossibleComposer): boolean {
  const isSameGroup = toApiGroup(controller.apiVersion) === toApiGroup(apiVersion);
  return isSameGroup && controller.kind === kind && controller.name === name;
}

/**
 * Tells whether the XR's references come from a backup: whoever restored them wrote them, and Crossplane has not written them
 * again since. Then a resource that is not there may still be on its way. Crossplane writes them in each reconcile that
 * comes to its end, so this is over with the first one.
 *
 * Two signs have to agree, because either may be missing from an XR that was never restored: managed fields where an older
 * Crossplane composed without functions, `Synced` where Crossplane was stopped in its first reconcile. `Synced` is True only
 * after a reconcile that came to its end, and False while we, or a provider that is missing, stop the XR.
 */
export function isRestored(document: Document): boolean {
  const created = Date.parse(stringAt(document, ["metadata", "creationTimestamp"]) ?? "");
  const isSince = (time: unknown): boolean => !(Date.parse(toPlainText(time)) < created);
  const isWritten = ({ manager, subresource, time }: JsonObject): boolean =>
    manager === REFERENCES_MANAGER && !subresource && isSince(time);
  const isSynced = ({ type, status, lastTransitionTime }: JsonObject): boolean =>
    type === "Synced" && status === "True" && isSince(lastTransitionTime);
  return (
    !readManagedFields(document).some(isWritten) && !objectsIn(document.at(["status", "conditions"])).some(isSynced)
  );
}

const objectsIn = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
