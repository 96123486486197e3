import type { Document } from "../../model/document.ts";
import type { Draft } from "../../model/draft.ts";
import type { Call } from "../feature.ts";
import { canBeRequired, type Reference, requirementOf, unobserved } from "./references.ts";
import { judgeObserved, judgeReferenced, type Verdict } from "./verdict.ts";

/** A resource that Crossplane would drop, or a reference that it would replace, and the verdict on it. */
export type Case =
  | { readonly is: "observed"; readonly name: string; readonly resource: Document; readonly verdict: Verdict }
  | { readonly is: "referenced"; readonly reference: Reference; readonly verdict: Verdict };

/** In steady state there are none, and no composed resource is read to find that out. */
export function casesOf(call: Call, draft: Draft): readonly Case[] {
  return [...observedCases(call, draft), ...referencedCases(call)];
}

function observedCases({ request, composite }: Call, draft: Draft): readonly Case[] {
  const { resources } = request.observed;
  const leftOut = [...resources].filter(([name]) => !isDesired(name, request, draft));
  return leftOut
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { document }]) => ({
      is: "observed",
      name,
      resource: document,
      verdict: judgeObserved(document, composite),
    }));
}

/** By the steps before us, or by the features before this one. */
function isDesired(name: string, { desired }: Call["request"], { resources }: Draft): boolean {
  const edit = resources.get(name);
  return edit === undefined ? desired.resources.has(name) : edit.is === "set";
}

function referencedCases(call: Call): readonly Case[] {
  const { request, composite } = call;
  return unobserved(call)
    .filter((reference) => canBeRequired(reference, call))
    .map((reference) => ({
      is: "referenced",
      reference,
      verdict: judgeReferenced(request.required(requirementOf(reference)), composite),
    }));
}
