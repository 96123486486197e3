import type { Document } from "../model/document.ts";
import { isObject, type JsonValue, ownValue } from "../model/json.ts";

/** One condition of a selector; a match meets all. */
type Term =
  | { readonly is: "in" | "notIn"; readonly key: string; readonly values: ReadonlySet<string> }
  | { readonly is: "exists" | "absent"; readonly key: string };

/** A parsed label selector, in the syntax of `kubectl -l`. */
export interface LabelSelector {
  readonly terms: readonly Term[];
}

/** A label's key: a name of up to 63 characters, with an optional DNS prefix and a slash. */
const KEY = "(?:[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[-._A-Za-z0-9]{0,61}[A-Za-z0-9])?";
const VALUE = "(?:[A-Za-z0-9](?:[-._A-Za-z0-9]{0,61}[A-Za-z0-9])?)?";

const EQUALITY = new RegExp(`^(${KEY})\\s*(==|=|!=)\\s*(${VALUE})$`);
const SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const EXISTENCE = new RegExp(`^(!?)\\s*(${KEY})$`);
const ONE_VALUE = new RegExp(`^${VALUE}$`);

/** Limits of the length and the number of terms: each Namespace is compared with each term. */
const MAX_LENGTH = 10_000;
const MAX_TERMS = 50;

/**
 * Parses `team=orders,env in (prod,stage),!legacy`, the grammar of apimachinery's `labels.Parse`. Undefined for an invalid selector,
 * and for an empty one, which Kubernetes would take for everything: an empty annotation is not meant to grant access to all.
 */
export function parseLabelSelector(text: string): LabelSelector | undefined {
  if (text.length > MAX_LENGTH || text.trim() === "") return undefined;
  const parts = splitTerms(text);
  if (parts.length > MAX_TERMS) return undefined;
  const terms = parts.map((term) => parseTerm(term.trim()));
  return terms.every((term) => term !== undefined) ? { terms } : undefined;
}

/** Splits at commas outside brackets. */
function splitTerms(text: string): readonly string[] {
  const terms: string[] = [];
  let start = 0;
  let depth = 0;
  for (let position = 0; position < text.length; position++) {
    const character = text[position];
    if (character === "(") depth++;
    else if (character === ")") depth--;
    else if (character === "," && depth === 0) {
      terms.push(text.slice(start, position));
      start = position + 1;
    }
  }
  return [...terms, text.slice(start)];
}

const parseTerm = (text: string): Term | undefined => parseEquality(text) ?? parseSet(text) ?? parseExistence(text);

function parseEquality(text: string): Term | undefined {
  const [, key, operator, value = ""] = EQUALITY.exec(text) ?? [];
  return key === undefined ? undefined : { is: operator === "!=" ? "notIn" : "in", key, values: new Set([value]) };
}

function parseSet(text: string): Term | undefined {
  const [, key, word, list = ""] = SET.exec(text) ?? [];
  const values = list.split(",").map((item) => item.trim());
  if (key === undefined || !values.every((item) => ONE_VALUE.test(item))) return undefined;
  return { is: word === "in" ? "in" : "notIn", key, values: new Set(values) };
}

function parseExistence(text: string): Term | undefined {
  const [, not, key] = EXISTENCE.exec(text) ?? [];
  return key === undefined ? undefined : { is: not === "!" ? "absent" : "exists", key };
}

export function matchesLabels(resource: Document, { terms }: LabelSelector): boolean {
  const labels = resource.at(["metadata", "labels"]);
  return terms.every((term) => isTrue(term, isObject(labels) ? ownValue(labels, term.key) : undefined));
}

function isTrue(term: Term, value: JsonValue | undefined): boolean {
  switch (term.is) {
    case "in":
      return typeof value === "string" && term.values.has(value);
    case "notIn":
      return typeof value !== "string" || !term.values.has(value);
    case "exists":
      return value !== undefined;
    case "absent":
      return value === undefined;
  }
}

/** Lists the labels that every match has, for a lookup by labels, which supports no other conditions. */
export const requiredLabels = ({ terms }: LabelSelector): Readonly<Record<string, string>> =>
  Object.fromEntries(
    terms.flatMap((term) =>
      term.is === "in" && term.values.size === 1 ? [[term.key, [...term.values][0] ?? ""]] : [],
    ),
  );
