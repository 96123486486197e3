import { NestedComposites, type Nesting } from "../../crossplane/nesting.ts";
import { formatReference, type Reference } from "../../crossplane/references.ts";
import { couldNotBeRead, toRequirement } from "../../crossplane/requirement.ts";
import type { Requirement } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";

/** The answer to whether the XR is nested as its label says, and the XRs above it that it depends on. */
export interface Confirmation {
  readonly nesting: Nesting;
  readonly requirements: readonly Requirement[];
}

const PREFIX = "adoption/controller/";

/** Confirms that the XR is nested. Each call climbs to the first XR above it that Crossplane has not looked up yet. */
export function confirmNesting({ request, composite }: Call): Confirmation {
  if (couldNotBeRead(PREFIX, composite.document)) {
    const because = "Crossplane could not read the controller of this XR";
    return { nesting: { is: "unconfirmed", because }, requirements: [] };
  }
  const requirements: Requirement[] = [];
  const composites = new NestedComposites((reference) => {
    const requirement = requireController(reference);
    requirements.push(requirement);
    return request.required(requirement.name);
  });
  const nesting = composites.confirm(composite.document);
  return { nesting, requirements };
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
