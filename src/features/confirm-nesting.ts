import { NestedComposites, type Nesting } from "../crossplane/proof.ts";
import { formatReference, type Reference } from "../crossplane/references.ts";
import { couldNotBeRead, toRequirement } from "../crossplane/requirement-names.ts";
import type { Requirement } from "../model/requirement.ts";
import type { Call } from "./feature.ts";

export function requireAs(prefix: string, reference: Reference): Requirement {
  const { apiVersion, kind, namespace, name } = reference;
  return toRequirement(`${prefix}${formatReference(reference)}`, {
    apiVersion,
    kind,
    ...(namespace !== undefined && { namespace }),
    match: { name },
  });
}

const CONTROLLER = "adoption/controller/";

/**
 * Confirms that the XR is nested. Each call climbs to the first XR above it that Crossplane has not looked up yet. Crossplane finds a
 * cluster-scoped controller also with the namespace of the nested XR.
 */
export function confirmNesting({ requirements, composite }: Call): Nesting {
  if (couldNotBeRead(CONTROLLER, composite.document)) {
    return { is: "unconfirmed", because: "Crossplane could not read the controller of this XR" };
  }
  const composites = new NestedComposites((reference) => requirements.ask(requireAs(CONTROLLER, reference)));
  return composites.confirm(composite.document);
}
