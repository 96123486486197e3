import { findProof, type Nesting, nestingBy, type PossibleComposer, toPossibleComposer } from "../crossplane/proof.ts";
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

/** This XR, and a function that looks for proof that the XR composed a resource. Only nested XRs can be `unconfirmed`. */
export type Prover = ReturnType<typeof proverFor>;

export function proverFor(call: Call) {
  const composer = toPossibleComposer(call.composite);
  const nesting = lazy(() => confirmNesting(composer, call));
  const prove = (resource: Document) => {
    const proof = findProof(resource, composer);
    return proof.is === "nested" ? nesting() : proof;
  };
  return { composer, prove };
}

/** Confirms that the XR is nested, as far as Crossplane has looked up the XRs above it. */
function confirmNesting({ root, document }: PossibleComposer, { requirements }: Call): Nesting {
  if (couldNotBeRead(CONTROLLER, document)) {
    return { is: "unconfirmed", root, because: "Crossplane could not read the controller of this XR" };
  }
  return nestingBy((reference) => requirements.ask(requireAs(CONTROLLER, reference)))(document);
}
