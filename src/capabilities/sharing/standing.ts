import type { SharedResource } from "../../input/shared-resource.ts";
import { ALLOWED_NAMESPACES } from "./grant.ts";
import type { SecretName } from "./source.ts";

/**
 * How far a shared resource has come. The names are the reasons of condition SharedResourcesReady, and the sentences are
 * for the team whose claim or XR shows them: what is missing, and who can mend it.
 */
export type Standing =
  | { readonly is: "Available" }
  | { readonly is: "WaitingForCopies"; readonly targets: readonly SecretName[] }
  | { readonly is: "WaitingForRequiredResources" }
  | { readonly is: "FieldNotSet"; readonly field: string }
  | { readonly is: "NotFound"; readonly wanted: string }
  | { readonly is: "Ambiguous"; readonly names: readonly string[] }
  | { readonly is: "NoConnectionSecret"; readonly shared: string; readonly field: string }
  | { readonly is: "SourceNotAllowed"; readonly shared: string; readonly secret: SecretName }
  | { readonly is: "InvalidTarget"; readonly fault: string }
  | { readonly is: "TargetTaken"; readonly target: string }
  | { readonly is: "AccessNotGranted"; readonly shared: string; readonly namespaces: readonly string[] };

/** The sentence for a standing. */
export function explain(standing: Standing, { kind }: SharedResource): string {
  switch (standing.is) {
    case "Available":
      return "available";
    case "WaitingForCopies":
      return `waiting for provider-kubernetes to write Secret ${standing.targets.map(toText).join(", ")}`;
    case "WaitingForRequiredResources":
      return `waiting for Crossplane to look up ${kind}`;
    case "FieldNotSet":
      return `${standing.field} is not set`;
    case "NotFound":
      return `there is no ${kind} ${standing.wanted}`;
    case "Ambiguous":
      return `more than one ${kind} matches: ${standing.names.join(", ")}`;
    case "NoConnectionSecret":
      return `${kind} ${standing.shared} names no connection Secret in ${standing.field}`;
    case "SourceNotAllowed":
      return `${kind} ${standing.shared} names Secret ${toText(standing.secret)}, but may share those of its own namespace only`;
    case "InvalidTarget":
      return standing.fault;
    case "TargetTaken":
      return `Secret ${standing.target} is the target of more than one copy`;
    case "AccessNotGranted": {
      const namespaces = standing.namespaces.join(", ");
      return (
        `${kind} ${standing.shared} does not grant its connection Secret to namespace ${namespaces}: ` +
        `whoever owns it has to add ${namespaces} to its annotation ${ALLOWED_NAMESPACES}`
      );
    }
  }
}

const toText = ({ namespace, name }: SecretName): string => `${namespace}/${name}`;
