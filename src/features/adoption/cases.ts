import { toPossibleComposer } from "../../crossplane/proof.ts";
import type { Reference } from "../../crossplane/references.ts";
import { compareEntries } from "../../model/compare.ts";
import type { Document } from "../../model/document.ts";
import type { Draft } from "../../model/draft.ts";
import type { Call } from "../feature.ts";
import { confirmNesting } from "./nesting.ts";
import { isRestored } from "./restored.ts";
import { canBeRequired, findUnobserved, requireReference } from "./unobserved.ts";
import { type AdoptionVerdict, type Judgement, judgeObserved, judgeReferenced, settleNested } from "./verdict.ts";

/** A composed resource that is observed and that nobody desires: Crossplane drops it at the end of this reconcile. */
export interface ObservedCase<Verdict = AdoptionVerdict> {
  readonly is: "observed";
  readonly name: string;
  readonly resource: Document;
  readonly verdict: Verdict;
}

/** A reference whose resource is not observed: Crossplane replaces it at the end of this reconcile. */
export interface ReferencedCase<Verdict = AdoptionVerdict> {
  readonly is: "referenced";
  readonly reference: Reference;
  readonly verdict: Verdict;
}

export type Case<Verdict = AdoptionVerdict> = ObservedCase<Verdict> | ReferencedCase<Verdict>;

/**
 * Finds and judges all cases. In steady state there are none, and no composed resource is read to find that out. The XRs above
 * this one are required only where a case depends on them.
 */
export function findCases(call: Call, draft: Draft): readonly Case[] {
  const judged = [...findObserved(call, draft), ...findReferenced(call)];
  const dependsOnNesting = judged.some(({ verdict }) => verdict.is === "nested");
  const nesting = dependsOnNesting ? confirmNesting(call) : ({ is: "pending" } as const);
  return judged.map((found): Case => ({ ...found, verdict: settleNested(found.verdict, nesting) }));
}

function findObserved({ request, composite }: Call, draft: Draft): readonly ObservedCase<Judgement>[] {
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

function findReferenced(call: Call): readonly ReferencedCase<Judgement>[] {
  const { requirements, composite } = call;
  const references = findUnobserved(call).filter((reference) => canBeRequired(reference, call));
  if (references.length === 0) return [];
  const composer = toPossibleComposer(composite);
  const isComposerRestored = isRestored(composite.document);
  return references.map((reference) => ({
    is: "referenced",
    reference,
    verdict: judgeReferenced(requirements.ask(requireReference(reference)), composer, isComposerRestored),
  }));
}
