import type { Contender } from "../../ownership/contender.ts";
import { TAKE_OWNERSHIP } from "../../ownership/marks.ts";
import type { Kind } from "./subject.ts";

/**
 * How far the tags of one resource have come. The names are the reasons of condition TagsOwned, the sentences are for whoever
 * reads it: who owns the cloud resource, since when, and how it would become ours.
 */
export type Standing =
  | { readonly is: "Owned" }
  | { readonly is: "WaitingForRequiredResources" }
  | { readonly is: "Arbitrating" | "BeingDeleted" | "FieldNotSet" }
  | { readonly is: "OwnedByAnother" | "Withheld" | "CannotObserve" | "Conflict"; readonly owner: Contender }
  | { readonly is: "WaitingForOwner"; readonly owner: Contender; readonly isNext: boolean }
  | { readonly is: "OwnedByAnotherCluster"; readonly cluster: string };

/** What a sentence says of our managed resource. */
export interface Own {
  readonly kind: Kind;
  /** Its name, with its namespace where it has one; undefined before it is created. */
  readonly name: string | undefined;
}

/** The sentence for a standing. */
export function explain(standing: Standing, own: Own): string {
  switch (standing.is) {
    case "Owned":
      return "owned";
    case "WaitingForRequiredResources":
      return `waiting for Crossplane to look up what else stands for this ${own.kind.kind}`;
    case "BeingDeleted":
      return "its managed resource is being deleted";
    case "FieldNotSet":
      return "left as it is until this control plane's name, owner.cluster, is set";
    case "Arbitrating":
      return "only observed until the next reconcile shows that nobody else owns it";
    case "OwnedByAnother":
      return `${ownership(standing.owner, own)}, so this XR only observes it; ${takeOver(own)}`;
    case "Withheld":
      return `${ownership(standing.owner, own)}, so this XR does not create it`;
    case "Conflict":
      return `cannot go on: ${ownership(standing.owner, own)}, and onConflict is Fail; ${takeOver(own)}`;
    case "CannotObserve":
      return `${ownership(standing.owner, own)}; a ${own.kind.kind} has no managementPolicies, so this XR repeats the owner's tags and leaves the cloud resource behind when it goes`;
    case "WaitingForOwner":
      return explainWaiting(standing, own);
    case "OwnedByAnotherCluster":
      return `control plane ${standing.cluster} owns it, as its tags say, so this XR only observes it; ${takeOver(own)}`;
  }
}

function explainWaiting({ owner, isNext }: Extract<Standing, { is: "WaitingForOwner" }>, own: Own): string {
  if (!isNext) return `${ownership(owner, own)}, and has not acknowledged this XR yet`;
  return owner.isDeleting
    ? `waiting until ${describe(owner, own)} is deleted, and the cloud resource with it`
    : `waiting for ${describe(owner, own)} to stop writing it; if that XR is paused, pause its ${own.kind.kind} as well`;
}

const ownership = (owner: Contender, own: Own): string => `${describe(owner, own)} owns it`;

function describe({ owner, name, createdAt }: Contender, { kind }: Own): string {
  const since = createdAt === "" ? "" : ` of ${createdAt}`;
  return `${owner === "" ? "somebody" : owner} (${kind.kind} ${name}${since})`;
}

function takeOver({ kind, name }: Own): string {
  const resource = `${kind.kind.toLowerCase()}.${kind.apiVersion.split("/")[0]}`;
  const [namespace, own] = name?.includes("/") ? name.split("/") : [undefined, name];
  const where = namespace === undefined ? "" : ` -n ${namespace}`;
  return `to move ownership here: kubectl annotate ${resource} ${own ?? "NAME"}${where} --overwrite ${TAKE_OWNERSHIP}="$(date -u +%FT%TZ)"`;
}
