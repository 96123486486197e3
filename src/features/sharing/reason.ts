import type { SharedResource } from "../../input/shared-resource.ts";
import { ACCEPT_COPIES_FROM, MAX_DESTINATIONS } from "./copies/destination.ts";
import { formatSecret, type SecretName } from "./source.ts";

/**
 * Why a shared resource is not available. The names are the reasons of condition SharedResourcesReady, and the sentences
 * are for the team whose claim or XR shows them: what is missing, and who can mend it.
 */
export type SharingReason = OfSearch | OfSource | OfDestination;

type OfSearch =
  | { readonly is: "WaitingForRequiredResources"; readonly wanted: string }
  | { readonly is: "FieldNotSet"; readonly field: string }
  | { readonly is: "InvalidSelector"; readonly fault: string }
  | { readonly is: "NamespaceNotSelected"; readonly wanted: string }
  | { readonly is: "NotFound"; readonly wanted: string }
  | { readonly is: "TooFewMatches"; readonly wanted: string; readonly found: number; readonly minMatch: number }
  | { readonly is: "Ambiguous"; readonly names: readonly string[] }
  | { readonly is: "BeingDeleted"; readonly shared: string }
  | { readonly is: "PatchFailed"; readonly fault: string };

type OfSource =
  | { readonly is: "NoConnectionSecret"; readonly shared: string; readonly field: string }
  | { readonly is: "SourceNotAllowed"; readonly shared: string }
  | { readonly is: "SourceNotFound"; readonly secret: SecretName }
  | { readonly is: "KeyNotFound"; readonly secret: SecretName; readonly key: string }
  | { readonly is: "KeyIsNotText"; readonly secret: SecretName; readonly key: string }
  /** `remedy`: what its owner has to do, without the subject. */
  | {
      readonly is: "AccessNotGranted";
      readonly shared: string;
      readonly namespaces: readonly string[];
      readonly remedy: string;
    };

type OfDestination =
  | { readonly is: "InvalidTarget"; readonly fault: string }
  | { readonly is: "TooManyTargets" | "TooLarge"; readonly excess: number }
  | { readonly is: "NamespaceNotAccepting"; readonly namespaces: readonly string[]; readonly consumer: string }
  | { readonly is: "NamespaceNotReadable"; readonly namespaces: readonly string[] }
  | { readonly is: "TargetTaken"; readonly target: SecretName; readonly holder: string | undefined }
  | { readonly is: "WaitingForCopies"; readonly targets: readonly SecretName[] };

/** The sentence for a reason. */
export function explain(reason: SharingReason, shared: SharedResource): string {
  switch (reason.is) {
    case "NoConnectionSecret":
    case "SourceNotAllowed":
    case "SourceNotFound":
    case "KeyNotFound":
    case "KeyIsNotText":
    case "AccessNotGranted":
      return explainSource(reason, shared);
    case "InvalidTarget":
    case "TooManyTargets":
    case "TooLarge":
    case "NamespaceNotAccepting":
    case "NamespaceNotReadable":
    case "TargetTaken":
    case "WaitingForCopies":
      return explainDestination(reason);
    default:
      return explainSearch(reason, shared);
  }
}

function explainSearch(reason: OfSearch, { kind }: SharedResource): string {
  switch (reason.is) {
    case "WaitingForRequiredResources":
      return `waiting for Crossplane to look up ${reason.wanted}`;
    case "FieldNotSet":
      return `${reason.field} is not set`;
    case "InvalidSelector":
    case "PatchFailed":
      return reason.fault;
    case "NamespaceNotSelected":
      return `${kind} ${reason.wanted} lies in a namespace, and the Composition does not say in which: it has to set select.namespace`;
    case "NotFound":
      return `there is no ${kind} ${reason.wanted}`;
    case "TooFewMatches":
      return `${reason.found} ${kind} match ${reason.wanted}, and ${reason.minMatch} are wanted`;
    case "Ambiguous":
      return `more than one ${kind} matches: ${listSome(reason.names)}`;
    case "BeingDeleted":
      return `${kind} ${reason.shared} is being deleted, so no new copy is made of its connection Secret`;
  }
}

function explainSource(reason: OfSource, { kind }: SharedResource): string {
  switch (reason.is) {
    case "NoConnectionSecret":
      return `${kind} ${reason.shared} names no connection Secret in ${reason.field}`;
    case "SourceNotAllowed":
      return `${kind} ${reason.shared} names a Secret in another namespace, but may share those of its own namespace only`;
    case "SourceNotFound":
      return `there is no Secret ${formatSecret(reason.secret)}`;
    case "KeyNotFound":
      return `Secret ${formatSecret(reason.secret)} has no key ${reason.key}`;
    case "KeyIsNotText":
      return `key ${reason.key} of Secret ${formatSecret(reason.secret)} is not text, so no template can hold it`;
    case "AccessNotGranted": {
      const namespaces =
        reason.namespaces.length === 0 ? "every namespace" : `namespace ${listSome(reason.namespaces)}`;
      return `${kind} ${reason.shared} does not grant access to ${namespaces}: whoever owns it has to ${reason.remedy}`;
    }
  }
}

function explainDestination(reason: OfDestination): string {
  switch (reason.is) {
    case "InvalidTarget":
      return reason.fault;
    case "TooManyTargets":
      return `${reason.excess} copies are left out: a shared resource is copied ${MAX_DESTINATIONS} times at most`;
    case "TooLarge":
      return `${reason.excess} copies are left out: with all of them the answer would be more than Crossplane takes`;
    case "NamespaceNotReadable":
      return (
        `Crossplane could not read namespace ${listSome(reason.namespaces)}, so nothing is written there: grant it ` +
        '{apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"]}, as deploy/function/crossplane-reads.yaml does'
      );
    case "NamespaceNotAccepting":
      return (
        `namespace ${listSome(reason.namespaces)} takes no copies from ${reason.consumer}: whoever owns it has to add ` +
        `${reason.consumer} to its Namespace's annotation ${ACCEPT_COPIES_FROM}`
      );
    case "TargetTaken":
      return `Secret ${formatSecret(reason.target)} ${explainHolder(reason.holder)}`;
    case "WaitingForCopies":
      return `waiting for Secret ${listSome(reason.targets.map(formatSecret))} to be written`;
  }
}

const explainHolder = (holder: string | undefined): string =>
  holder === undefined
    ? "exists and is no copy of ours, so it is left alone: choose another secretName, or remove it"
    : `is a copy that ${holder} made, and is left to it: choose another secretName`;

const MAX_NAMES = 10;

/** The first names of a list, and how many more there are. */
function listSome(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  const shown = names.slice(0, MAX_NAMES).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
