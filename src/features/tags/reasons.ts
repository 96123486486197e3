import { toApiGroup, toGroupKind } from "../../crossplane/api-group.ts";
import type { ManagedKind } from "../../crossplane/managed-resource.ts";
import { brief, shownCondition } from "../../model/condition.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { Contender } from "../../ownership/contender.ts";
import { ALLOW_DELETE, TAKE_OWNERSHIP } from "../../ownership/marks.ts";

/** The state of one resource's tags; the names are the reasons of condition TagsOwned. */
export type TagReason =
  | { readonly is: "Owned" }
  | { readonly is: "WaitingForRequiredResources" }
  | { readonly is: "WaitingForProvider" }
  /** `isObserved`: nothing tells who else writes it, so this XR does not. */
  | { readonly is: "ExistedBefore"; readonly isObserved: boolean }
  | { readonly is: "Arbitrating" | "BeingDeleted" | "FieldNotSet" }
  | { readonly is: "OwnedByAnother" | "Withheld" | "CannotObserve" | "Conflict"; readonly owner: Contender }
  | { readonly is: "WaitingForOwner"; readonly owner: Contender; readonly isNext: boolean }
  | { readonly is: "OwnedByAnotherCluster"; readonly cluster: string };

/** Our managed resource, as sentences name it. */
export interface Own {
  readonly kind: ManagedKind;
  /** Undefined before it is created. */
  readonly document: Document | undefined;
}

/** The sentence for a reason: who owns the cloud resource, since when, and how ownership can be moved here. */
export function explain(reason: TagReason, own: Own): string {
  switch (reason.is) {
    case "Owned":
      return "owned";
    case "WaitingForRequiredResources":
      return `waiting for Crossplane to look up other managed resources for the same ${own.kind.kind}`;
    case "ExistedBefore":
      return explainExisting(reason, own);
    case "WaitingForProvider":
      return `only observed until its provider has looked for it${explainSynced(own)}`;
    case "BeingDeleted":
      return "its managed resource is being deleted";
    case "FieldNotSet":
      return "unchanged until owner.cluster, the name of this control plane, is set";
    case "Arbitrating":
      return "only observed until the next reconcile shows that no other XR owns it";
    case "OwnedByAnother":
      return `${ownership(reason.owner, own)}, so this XR only observes it; ${takeOver(own)}`;
    case "Withheld":
      return `${ownership(reason.owner, own)}, so this XR does not create it`;
    case "Conflict":
      return `cannot go on: ${ownership(reason.owner, own)}, and onConflict is Fail; ${takeOver(own)}`;
    case "CannotObserve":
      return `${ownership(reason.owner, own)}; a ${own.kind.kind} has no managementPolicies, so this XR repeats the owner's tags and does not delete the cloud resource when it is deleted`;
    case "WaitingForOwner":
      return explainWaiting(reason, own);
    case "OwnedByAnotherCluster":
      return `control plane ${brief(reason.cluster)} owns it, as its tags say, so this XR only observes it; ${takeOver(own)}`;
  }
}

function explainWaiting({ owner, isNext }: Extract<TagReason, { is: "WaitingForOwner" }>, own: Own): string {
  if (!isNext) return `${ownership(owner, own)}, and has not listed this XR as a successor yet`;
  return owner.isDeleting
    ? `waiting until ${describe(owner, own)} and the cloud resource are deleted`
    : `waiting for ${describe(owner, own)} to stop writing it; if that XR is paused, pause its ${own.kind.kind} as well`;
}

function explainExisting({ isObserved }: Extract<TagReason, { is: "ExistedBefore" }>, own: Own): string {
  if (!isObserved) return `existed before this XR, so it is not deleted with it; ${allowDelete(own)}`;
  const unknown = "its provider does not tell who else writes it";
  return `existed before this XR, and ${unknown}, so this XR only observes it; ${takeOver(own)}; ${allowDelete(own)}`;
}

const ownership = (owner: Contender, own: Own): string => `${describe(owner, own)} owns it`;

function describe({ owner, name, createdAt }: Contender, { kind }: Own): string {
  const since = createdAt === "" ? "" : ` of ${createdAt}`;
  return `${owner === "" ? "another managed resource" : brief(owner)} (${kind.kind} ${brief(name)}${since})`;
}

/** The provider's own words, where it says why it could not look. */
function explainSynced({ document }: Own): string {
  const message = document && shownCondition(document, "Synced")?.message;
  return message ? `, which says: ${brief(message)}` : "";
}

const allowDelete = (own: Own): string => `to delete it with this XR: ${annotate(own)} ${ALLOW_DELETE}=true`;

const takeOver = (own: Own): string =>
  `to move ownership here: ${annotate(own)} --overwrite ${TAKE_OWNERSHIP}="$(date -u +%FT%TZ)"`;

function annotate({ kind, document }: Own): string {
  const resource = toGroupKind(kind.kind.toLowerCase(), toApiGroup(kind.apiVersion));
  const namespace = document && stringAt(document, ["metadata", "namespace"]);
  const name = (document && stringAt(document, ["metadata", "name"])) ?? "NAME";
  const where = namespace === undefined ? "" : ` -n ${namespace}`;
  return `kubectl annotate ${resource} ${name}${where}`;
}
