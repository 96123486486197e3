import { NestedComposites, type Nesting } from "../../crossplane/nesting.ts";
import { formatReference, type Reference } from "../../crossplane/references.ts";
import { couldNotBeRead, toRequirement } from "../../crossplane/requirement.ts";
import type { Requirement } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";

const PREFIX = "adoption/controller/";

/** Confirms that the XR is nested. Each call climbs to the first XR above it that Crossplane has not looked up yet. */
export function confirmNesting({ requirements, composite }: Call): Nesting {
  if (couldNotBeRead(PREFIX, composite.document)) {
    const because = "Crossplane could not read the controller of this XR";
    return { is: "unconfirmed", because };
  }
  const composites = new NestedComposites((reference) => requirements.ask(requireController(reference)));
  return composites.confirm(composite.document);
}

/** The requirement of a controller. One that is cluster-scoped is found with the namespace of what it controls, too. */
function requireController(reference: Reference): Requirement {
  const { apiVersion, kind, namespace, name } = reference;
  return toRequirement(`${PREFIX}${formatReference(reference)}`, {
    apiVersion,
    kind,
    ...(namespace !== undefined && { namespace }),
    match: { name },
  });
}
