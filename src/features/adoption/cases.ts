import { canSelectNamespaces } from "../../crossplane/namespaces.ts";
import { NestedComposites, type Nesting } from "../../crossplane/nesting.ts";
import { toPossibleComposer } from "../../crossplane/proof.ts";
import {
  formatReference,
  type Reference,
  referenceKey,
  toReference,
  toReferences,
} from "../../crossplane/references.ts";
import { couldNotBeRead, toRequirement } from "../../crossplane/requirement.ts";
import { compareEntries } from "../../model/compare.ts";
import type { Document } from "../../model/document.ts";
import type { Draft } from "../../model/draft.ts";
import type { Requirement } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";
import {
  type AdoptionVerdict,
  isRestored,
  type Judgement,
  judgeObserved,
  judgeReferenced,
  settleNested,
} from "./verdict.ts";

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

/**
 * The references whose resources are not observed: Crossplane did not find them, or somebody else controls them. It
 * observes nothing but what is referenced, and each of it once, so where there are as many of one as of the other there are none,
 * and nothing has to be read.
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
 * Tells whether Crossplane can look a reference up. Its kind is installed: Crossplane itself gets every reference before it calls
 * a function, and fails the XR where a kind is missing, as while a provider is not back yet.
 */
const canBeRequired = ({ namespace }: Reference, { request, composite }: Call): boolean =>
  namespace === undefined || canSelectNamespaces(request, composite);

/** The requirement that looks a reference up. */
export const requireReference = (reference: Reference): Requirement => requireAs("adoption/", reference);

function requireAs(prefix: string, reference: Reference): Requirement {
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
 * Confirms that the XR is nested. Each call climbs to the first XR above it that Crossplane has not looked up yet.
 * A controller that is cluster-scoped is found with the namespace of what it controls, too.
 */
function confirmNesting({ requirements, composite }: Call): Nesting {
  if (couldNotBeRead(CONTROLLER, composite.document)) {
    return { is: "unconfirmed", because: "Crossplane could not read the controller of this XR" };
  }
  const composites = new NestedComposites((reference) => requirements.ask(requireAs(CONTROLLER, reference)));
  return composites.confirm(composite.document);
}
