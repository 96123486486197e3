import type { SharedResource } from "../../input/shared-resource.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { Call } from "../feature.ts";
import { ask, type Question } from "./question.ts";
import { describe, toSelector } from "./selector.ts";
import { inOrder } from "./sort.ts";

const NAME = ["metadata", "name"];
const NAMESPACE = ["metadata", "namespace"];

/** What is known of a shared resource. */
export type Finding =
  | { readonly is: "unset"; readonly field: string } // nothing can be asked before this field is set
  | { readonly is: "pending" } // not looked up yet: nothing is known
  | { readonly is: "tooFew"; readonly wanted: string; readonly found: number; readonly minMatch: number }
  | { readonly is: "ambiguous"; readonly names: readonly string[] }
  | { readonly is: "found"; readonly resources: readonly Document[] };

export interface Found {
  readonly finding: Finding;
  readonly questions: readonly Question[];
}

/** The name of the requirement that looks a shared resource up. */
const requirementOf = ({ name }: SharedResource): string => `shared-resource/${name}`;

/**
 * Which resources the answer names. One from another namespace than was asked for is not taken: `crossplane render` up to
 * v2.2 looks at names only, and credentials of the wrong database are worse than none.
 */
export function find(shared: SharedResource, call: Call): Found {
  if (shared.select.by === "self") {
    return { finding: { is: "found", resources: [call.composite.document] }, questions: [] };
  }
  const resolved = toSelector(shared.apiVersion, shared.kind, shared.select, call);
  if (resolved.is === "unset") return { finding: resolved, questions: [] };

  const question = ask(requirementOf(shared), resolved.value, call);
  const finding: Finding = question.answer.is === "pending" ? question.answer : choose(shared, question);
  return { finding, questions: [question] };
}

/** Several are taken where the input says how many, or which come first; else they are a riddle. */
function choose({ select }: SharedResource, { selector, answer }: Question): Finding {
  const items = answer.is === "resolved" ? answer.items : [];
  const { namespace } = selector;
  const matches = items.filter((item) => namespace === undefined || stringAt(item, NAMESPACE) === namespace);
  const { minMatch, maxMatch, sortByFieldPath } =
    select.by === "labels" ? select : { minMatch: 1, maxMatch: 1, sortByFieldPath: undefined };
  if (matches.length < minMatch) {
    return { is: "tooFew", wanted: describe(selector), found: matches.length, minMatch };
  }
  const sorted = inOrder(matches, sortByFieldPath);
  if (matches.length > maxMatch && sortByFieldPath === undefined) return { is: "ambiguous", names: sorted.map(nameOf) };
  return { is: "found", resources: sorted.slice(0, maxMatch) };
}

/** A resource's name, with its namespace where it has one. */
export function nameOf(resource: Document): string {
  const namespace = stringAt(resource, NAMESPACE);
  const name = stringAt(resource, NAME) ?? "";
  return namespace === undefined ? name : `${namespace}/${name}`;
}
