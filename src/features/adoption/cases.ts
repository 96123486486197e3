import { canSelectNamespaces } from "../../crossplane/composite.ts";
import { toPossibleComposer } from "../../crossplane/proof.ts";
import { type Reference, referenceKey, toReference, toReferences } from "../../crossplane/references.ts";
import { compareEntries } from "../../model/collections.ts";
import type { Document } from "../../model/document.ts";
import type { Draft } from "../../model/draft.ts";
import type { Requirement } from "../../model/requirement.ts";
import { isNamesRecord } from "../../ownership/names.ts";
import { confirmNesting, requireAs } from "../confirm-nesting.ts";
import type { Call } from "../feature.ts";
import {
  type AdoptionJudgement,
  type AdoptionVerdict,
  isRestored,
  judgeObserved,
  judgeReferenced,
  settleNested,
} from "./verdict.ts";

/** A composed resource that is observed and no longer desired: Crossplane drops it at the end of this reconcile. */
export interface ObservedCase<Verdict = AdoptionVerdict> {
  readonly is: "observed";
  readonly name: string;
  readonly resource: Document;
  readonly verdict: Verdict;
}

/** A reference without an observed resource: Crossplane replaces it at the end of this reconcile. */
export interface ReferencedCase<Verdict = AdoptionVerdict> {
  readonly is: "referenced";
  readonly reference: Reference;
  readonly verdict: Verdict;
}

export type Case<Verdict = AdoptionVerdict> = ObservedCase<Verdict> | ReferencedCase<Verdict>;

/** Finds and judges all cases: in steady state none, without reading a composed resource. */
export function findCases(call: Call, draft: Draft): readonly Case[] {
  const judged = [...findObserved(call, draft), ...findReferenced(call)];
  const dependsOnNesting = judged.some(({ verdict }) => verdict.is === "nested");
  const nesting = dependsOnNesting ? confirmNesting(call) : ({ is: "pending" } as const);
  return judged.map((found): Case => ({ ...found, verdict: settleNested(found.verdict, nesting) }));
}

function findObserved({ request, composite }: Call, draft: Draft): readonly ObservedCase<AdoptionJudgement>[] {
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

function isDesired(name: string, { desired }: Call["request"], { resources }: Draft): boolean {
  const edit = resources.get(name);
  return edit === undefined ? desired.resources.has(name) : edit.is === "set";
}

function findReferenced(call: Call): readonly ReferencedCase<AdoptionJudgement>[] {
  const { requirements, composite } = call;
  const references = findUnobserved(call).filter(
    (reference) => canBeRequired(reference, call) && !isNamesRecord(reference, composite),
  );
  if (references.length === 0) return [];
  const composer = toPossibleComposer(composite);
  const isComposerRestored = isRestored(composite.document);
  return references.map((reference) => ({
    is: "referenced",
    reference,
    verdict: judgeReferenced(requirements.ask(requireReference(reference)), composer, isComposerRestored),
  }));
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
  return [...references.keys()].sort().flatMap((key) => references.get(key) ?? []);
}

/**
 * Tells whether Crossplane can look up a reference. Its kind is installed: Crossplane gets every reference before it calls a
 * function, and fails the XR if a kind is missing, as before a provider is restored.
 */
const canBeRequired = ({ namespace }: Reference, { request, composite }: Call): boolean =>
  namespace === undefined || canSelectNamespaces(request, composite);

export const requireReference = (reference: Reference): Requirement => requireAs("adoption/", reference);
