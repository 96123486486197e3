import { canSelectNamespaces } from "../../crossplane/composite.ts";
import { toPossibleComposer } from "../../crossplane/proof.ts";
import { type Reference, referenceKey, toReference, toReferences } from "../../crossplane/references.ts";
import { compareEntries } from "../../model/collections.ts";
import type { Document } from "../../model/document.ts";
import type { Draft } from "../../model/draft.ts";
import { isNamesRecord } from "../../ownership/names.ts";
import { proverFor, requireAs } from "../confirm-nesting.ts";
import type { Call } from "../feature.ts";
import { type AdoptionVerdict, isRestored, judgeObserved, judgeReferenced } from "./verdict.ts";

/**
 * A composed resource that is observed and no longer desired, which Crossplane drops at the end of this reconcile; or a reference
 * without an observed resource, which Crossplane replaces then.
 */
export type Case = ObservedCase | ReferencedCase;

interface ObservedCase {
  readonly is: "observed";
  readonly name: string;
  readonly resource: Document;
  readonly verdict: AdoptionVerdict;
}

interface ReferencedCase {
  readonly is: "referenced";
  readonly reference: Reference;
  /** Undefined if it does not exist, or is not looked up yet. */
  readonly resource: Document | undefined;
  readonly verdict: AdoptionVerdict;
}

/** Finds and judges all cases: in steady state none, without reading a composed resource. */
export function findCases(call: Call, { resources: edits }: Draft): readonly Case[] {
  const { request, composite, requirements } = call;
  const isDesired = (name: string): boolean => {
    const edit = edits.get(name);
    return edit === undefined ? request.desired.resources.has(name) : edit.is === "set";
  };
  const leftOut = [...request.observed.resources].filter(([name]) => !isDesired(name)).sort(compareEntries);
  const references = findUnobserved(call).filter(
    (reference) => canBeRequired(reference, call) && !isNamesRecord(reference, composite),
  );
  if (leftOut.length === 0 && references.length === 0) return [];
  const composer = toPossibleComposer(composite);
  const prove = proverFor(composer, call);
  const isComposerRestored = isRestored(composite.document);
  return [
    ...leftOut.map(([name, { document: resource }]): Case => {
      const verdict = judgeObserved(resource, composer, prove);
      return { is: "observed", name, resource, verdict };
    }),
    ...references.map((reference): Case => {
      const answer = requirements.ask(requireAs("adoption/", reference));
      const verdict = judgeReferenced(answer, composer, prove, isComposerRestored);
      return { is: "referenced", reference, resource: answer.is === "resolved" ? answer.items[0] : undefined, verdict };
    }),
  ];
}

/**
 * Finds the references without an observed resource: it does not exist, or has another controller. Crossplane observes each
 * referenced resource once and no others, so equal numbers mean that all are observed, and nothing is read.
 */
function findUnobserved({ composite, request }: Call): readonly Reference[] {
  const listed = toReferences(composite);
  const { resources } = request.observed;
  if (listed.length === resources.size) return [];
  const references = new Map(listed.map((reference) => [referenceKey(reference), reference]));
  for (const { document } of resources.values()) references.delete(referenceKey(toReference(document)));
  return [...references].sort(compareEntries).map(([, reference]) => reference);
}

/**
 * Tells whether Crossplane can look up a reference. Its kind is installed: Crossplane gets every reference before it calls a
 * function, and fails the XR if a kind is missing, as before a provider is restored.
 */
const canBeRequired = ({ namespace }: Reference, { request, composite }: Call): boolean =>
  namespace === undefined || canSelectNamespaces(request, composite);
