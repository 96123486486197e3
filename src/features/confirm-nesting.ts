import { findProof, NestedComposites, type Nesting, toPossibleComposer } from "../crossplane/proof.ts";
import { formatReference, type Reference } from "../crossplane/references.ts";
import { couldNotBeRead, toRequirement } from "../crossplane/requirement-names.ts";
import type { Document } from "../model/document.ts";
import { lazy } from "../model/once.ts";
import type { Requirement } from "../model/requirement.ts";
import type { Call } from "./feature.ts";

export function requireAs(prefix: string, reference: Reference): Requirement {
  const { apiVersion, kind, namespace, name } = reference;
  return toRequirement(`${prefix}${formatReference(reference)}`, { apiVersion, kind, namespace, match: { name } });
}

const CONTROLLER = "adoption/controller/";

/** This XR, and the function that looks for the proof that it composed a resource. */
export type Prover = ReturnType<typeof proverFor>;

/** Looks up the XRs above this one if a proof depends on these. `unconfirmed`: proven only if this XR is nested, which nothing confirms. */
export function proverFor(call: Call) {
  const composer = toPossibleComposer(call.composite);
  const nesting = lazy(() => confirmNesting(call));
  const prove = (resource: Document) => {
    const proof = findProof(resource, composer);
    if (proof.is !== "nested") return proof;
    const found = nesting();
    if (found.is === "unconfirmed") return { ...found, root: proof.root };
    return found.is === "confirmed" ? ({ is: "proven" } as const) : found;
  };
  return { composer, prove };
}

/**
 * Confirms that the XR is nested. Each call climbs to the first XR above it that Crossplane has not looked up yet. Crossplane finds a
 * cluster-scoped controller also with the namespace of the nested XR.
 */
function confirmNesting({ requirements, composite }: Call): Nesting {
  if (couldNotBeRead(CONTROLLER, composite.document)) {
    return { is: "unconfirmed", because: "Crossplane could not read the controller of this XR" };
  }
  const composites = new NestedComposites((reference) => requirements.ask(requireAs(CONTROLLER, reference)));
  return composites.confirm(composite.document);
}
