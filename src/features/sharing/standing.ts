import type { SharedResource } from "../../input/shared-resource.ts";
import { ALLOWED_NAMESPACES } from "./grant.ts";
import type { SecretName } from "./source.ts";

/**
 * Why a shared resource is not available. The names are the reasons of condition SharedResourcesReady, and the sentences
 * are for the team whose claim or XR shows them: what is missing, and who can mend it.
 */
export type Standing =
  | { readonly is: "WaitingForRequiredResources"; readonly wanted: string }
  | { readonly is: "FieldNotSet"; readonly field: string }
  | { readonly is: "NotFound"; readonly wanted: string }
  | { readonly is: "TooFewMatches"; readonly wanted: string; readonly found: number; readonly minMatch: number }
  | { readonly is: "Ambiguous"; readonly names: readonly string[] }
  | { readonly is: "NoConnectionSecret"; readonly shared: string; readonly field: string }
  | { readonly is: "SourceNotAllowed"; readonly shared: string; readonly secret: SecretName }
  | { readonly is: "SourceNotFound"; readonly secret: SecretName }
  | { readonly is: "KeyNotFound"; readonly secret: SecretName; readonly key: string }
  | { readonly is: "KeyIsNotText"; readonly secret: SecretName; readonly key: string }
  | { readonly is: "PatchFailed"; readonly fault: string }
  | { readonly is: "InvalidTarget"; readonly fault: string }
  | { readonly is: "TargetTaken"; readonly target: SecretName; readonly holder: string | undefined }
  | AccessNotGranted
  | WaitingForCopies;

interface AccessNotGranted {
  readonly is: "AccessNotGranted";
  readonly shared: string;
  readonly namespaces: readonly string[];
  /** Who has to do what, without the subject. */
  readonly remedy: string;
}

interface WaitingForCopies {
  readonly is: "WaitingForCopies";
  readonly targets: readonly SecretName[];
}

/** What stands in each sentence: the one who reads it has to find the one that is meant. */
export const annotationRemedy = (namespaces: readonly string[]): string =>
  `add ${namespaces.join(", ")} to its annotation ${ALLOWED_NAMESPACES}`;

/** The sentence for a standing. */
export function explain(standing: Standing, { kind }: SharedResource): string {
  switch (standing.is) {
    case "WaitingForCopies":
      return `waiting for Secret ${standing.targets.map(toText).join(", ")} to be written`;
    case "WaitingForRequiredResources":
      return `waiting for Crossplane to look up ${standing.wanted}`;
    case "FieldNotSet":
      return `${standing.field} is not set`;
    case "NotFound":
      return `there is no ${kind} ${standing.wanted}`;
    case "TooFewMatches":
      return `${standing.found} ${kind} match ${standing.wanted}, and ${standing.minMatch} are wanted`;
    case "Ambiguous":
      return `more than one ${kind} matches: ${standing.names.join(", ")}`;
    case "PatchFailed":
    case "InvalidTarget":
      return standing.fault;
    default:
      return explainConnection(standing, kind);
  }
}

type OfConnection = Extract<
  Standing,
  {
    is:
      | "NoConnectionSecret"
      | "SourceNotAllowed"
      | "SourceNotFound"
      | "KeyNotFound"
      | "KeyIsNotText"
      | "TargetTaken"
      | "AccessNotGranted";
  }
>;

function explainConnection(standing: OfConnection, kind: string): string {
  switch (standing.is) {
    case "NoConnectionSecret":
      return `${kind} ${standing.shared} names no connection Secret in ${standing.field}`;
    case "SourceNotAllowed":
      return `${kind} ${standing.shared} names Secret ${toText(standing.secret)}, but may share those of its own namespace only`;
    case "SourceNotFound":
      return `there is no Secret ${toText(standing.secret)}`;
    case "KeyNotFound":
      return `Secret ${toText(standing.secret)} has no key ${standing.key}`;
    case "KeyIsNotText":
      return `key ${standing.key} of Secret ${toText(standing.secret)} is not text, so no template can hold it`;
    case "TargetTaken":
      return `Secret ${toText(standing.target)} ${explainHolder(standing.holder)}`;
    case "AccessNotGranted":
      return (
        `${kind} ${standing.shared} does not grant its connection Secret to namespace ${standing.namespaces.join(", ")}: ` +
        `whoever owns it has to ${standing.remedy}`
      );
  }
}

const explainHolder = (holder: string | undefined): string =>
  holder === undefined
    ? "exists and is no copy of ours, so it is left alone: choose another secretName, or remove it"
    : `is a copy that ${holder} made, and is left to it: choose another secretName`;

const toText = ({ namespace, name }: SecretName): string => `${namespace}/${name}`;
