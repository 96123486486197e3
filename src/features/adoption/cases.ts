import { toPossibleComposer } from "../../crossplane/proof.ts";
import type { Reference } from "../../crossplane/references.ts";
import { compareEntries } from "../../model/compare.ts";
import type { Document } from "../../model/document.ts";
import type { Draft } from "../../model/draft.ts";
import type { Call } from "../feature.ts";
import { isRestored } from "./restored.ts";
import { canBeRequired, findUnobserved, requireReference } from "./unobserved.ts";
import { type AdoptionVerdict, judgeObserved, judgeReferenced } from "./verdict.ts";

/** A composed resource that is observed and that nobody desires: Crossplane drops it at the end of this reconcile. */
export interface ObservedCase {
  readonly is: "observed";
  readonly name: string;
  readonly resource: Document;
  readonly verdict: AdoptionVerdict;
}

/** A reference whose resource is not observed: Crossplane replaces it at the end of this reconcile. */
export interface ReferencedCase {
  readonly is: "referenced";
  readonly reference: Reference;
  readonly verdict: AdoptionVerdict;
}

export type Case = ObservedCase | ReferencedCase;

/** Finds and judges all cases. In steady state there are none, and no composed resource is read to find that out. */
export const findCases = (call: Call, draft: Draft): readonly Case[] => [
  ...findObserved(call, draft),
  ...findReferenced(call),
];

function findObserved({ request, composite }: Call, draft: Draft): readonly ObservedCase[] {
  const { resources } = request.observed;
  const leftOut = [...resources].filter(([name]) => !isDesired(name, request, draft));
  if (leftOut.length === 0) return [];
  const composer = toPossibleComposer(composite);
  return leftOut.sort(compareEntries).map(([name, { document }]) => ({
    is: "observed",
    name,
    resource: document,
    verdict: judgeObserved(document, composer),
  }));
}

/** Tells whether the steps before us, or the features before this one, desire the resource. */
function isDesired(name: string, { desired }: Call["request"], { resources }: Draft): boolean {
  const edit = resources.get(name);
  return edit === undefined ? desired.resources.has(name) : edit.is === "set";
}

function findReferenced(call: Call): readonly ReferencedCase[] {
  const { request, composite } = call;
  const references = findUnobserved(call).filter((reference) => canBeRequired(reference, call));
  if (references.length === 0) return [];
  const composer = toPossibleComposer(composite);
  const isComposerRestored = isRestored(composite.document);
  return references.map((reference) => ({
    is: "referenced",
    reference,
    verdict: judgeReferenced(request.required(requireReference(reference).name), composer, isComposerRestored),
  }));
}
