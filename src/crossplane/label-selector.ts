import type { Document } from "../model/document.ts";
import { isObject, ownValue } from "../model/json.ts";
import { isLabelValue, LABEL_KEY } from "../model/names.ts";

/** One condition of a selector: the label has one of the values or, without values, exists. */
interface Term {
  readonly key: string;
  readonly values?: ReadonlySet<string>;
  readonly isNegated: boolean;
}

export type LabelSelector = readonly Term[];

/** Matches `key=value`, `key!=value`, `key in (a,b)`, `key notin (a,b)`, `key` and `!key`. */
const TERM = /^(?:([^\s=!(),]+)(?:\s*(==|=|!=)\s*([^\s=!(),]*)|\s+(in|notin)\s*\(([^()]*)\))|(!?)\s*([^\s=!(),]+))$/;

/** Matches a term and the comma before it. Commas in brackets belong to the term. */
const SEPARATED = /(?:^|,)((?:\([^()]*\)|[^,])*)/g;

/** Limits of the length and the number of terms: each Namespace is compared with each term. */
const MAX_LENGTH = 10_000;
const MAX_TERMS = 50;

/**
 * Parses `team=orders,env in (prod,stage),!legacy`, the grammar of apimachinery's `labels.Parse`; undefined for an invalid
 * selector. An empty text counts as invalid: Kubernetes' empty selector matches everything, and would grant access to all.
 */
export function parseLabelSelector(text: string): LabelSelector | undefined {
  if (text.length > MAX_LENGTH || text.trim() === "") return undefined;
  const parts = [...text.matchAll(SEPARATED)];
  if (parts.length > MAX_TERMS) return undefined;
  const terms = parts.map(([, term = ""]) => parseTerm(term.trim()));
  return terms.every((term) => term !== undefined) ? terms : undefined;
}

function parseTerm(text: string): Term | undefined {
  const [, key, operator, value, word, list, not, alone = ""] = TERM.exec(text) ?? [];
  if (!LABEL_KEY.test(key ?? alone)) return undefined;
  if (key === undefined) return { key: alone, isNegated: not === "!" };
  const values = list?.split(",").map((item) => item.trim()) ?? [value ?? ""];
  if (!values.every(isLabelValue)) return undefined;
  return { key, values: new Set(values), isNegated: operator === "!=" || word === "notin" };
}

export function matchesLabels(resource: Document, terms: LabelSelector): boolean {
  const labels = resource.at(["metadata", "labels"]);
  return terms.every(({ key, values, isNegated }) => {
    const value = isObject(labels) ? ownValue(labels, key) : undefined;
    const isMet = values === undefined ? value !== undefined : typeof value === "string" && values.has(value);
    return isMet !== isNegated;
  });
}

/** Lists the terms of the form `key=value`, for Crossplane's lookup by labels, which supports no others. */
export const requiredLabels = (terms: LabelSelector): Readonly<Record<string, string>> =>
  Object.fromEntries(
    terms.flatMap(({ key, values, isNegated }) => {
      const [value, ...others] = values ?? [];
      return value === undefined || others.length > 0 || isNegated ? [] : [[key, value]];
    }),
  );
