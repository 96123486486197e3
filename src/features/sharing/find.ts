import { consumerNamespace } from "../../crossplane/composite.ts";
import { qualifiedName } from "../../crossplane/metadata.ts";
import { readNamespaceGrant } from "../../crossplane/namespace-grant.ts";
import { resourceKey, toReference } from "../../crossplane/references.ts";
import { toRequirement } from "../../crossplane/requirement.ts";
import type { Select } from "../../input/select.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { quote } from "../../model/condition.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";
import type { JsonValue } from "../../model/json.ts";
import { DNS_LABEL, isLabelValue, isPathSegment } from "../../model/names.ts";
import type { ResourceSelector } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";
import { type Resolved, resolveString } from "../value.ts";

const NAMESPACE = ["metadata", "namespace"];

/** The outcome of looking for a shared resource. */
type Lookup =
  | { readonly is: "unset"; readonly field: string } // nothing can be asked before this field is set
  | { readonly is: "invalid"; readonly fault: string } // nor with this value of a field
  | { readonly is: "notAsked" } // all labels may be left out, and none is set
  | { readonly is: "pending" } // not looked up yet: nothing is known
  | { readonly is: "tooFew"; readonly wanted: string; readonly found: number; readonly minMatch: number }
  | {
      readonly is: "ambiguous";
      readonly wanted: string;
      readonly found: number;
      readonly named: readonly string[]; // those that grant by name; nothing is told of others
      readonly maxMatch: number;
    }
  | { readonly is: "unscoped"; readonly wanted: string } // found in namespaces that the input does not name
  | { readonly is: "found"; readonly resources: readonly Document[] };

export interface LookedUp {
  readonly lookup: Lookup;
  /** What was asked for; undefined where nothing was. */
  readonly selector: ResourceSelector | undefined;
}

/**
 * Looks a shared resource up. One from another namespace than was asked for is not taken: `crossplane render` up to v2.2
 * looks at names only, and credentials of the wrong database are worse than none.
 *
 * @param origins the keys of the resources that copies were made from so far: one of them is taken for as long as it matches.
 */
export function find(shared: SharedResource, origins: ReadonlySet<string>, call: Call): LookedUp {
  if (shared.select.by === "self") {
    return { lookup: { is: "found", resources: [call.composite.document] }, selector: undefined };
  }
  const selector = toSelector(shared, shared.select, call);
  if (selector.is !== "set") return { lookup: selector, selector: undefined };

  const answer = call.requirements.ask(toRequirement(`shared-resource/${shared.name}`, selector.value));
  if (answer.is === "pending") return { lookup: answer, selector: selector.value };
  const { namespace } = selector.value;
  const matches = answer.items.filter((item) => namespace === undefined || stringAt(item, NAMESPACE) === namespace);
  return { lookup: choose(shared, selector.value, matches, origins, call), selector: selector.value };
}

/**
 * Several are taken where the input says how many, or which come first; else they are ambiguous. An XR that has one of them keeps
 * it, whatever else matches by now: labels of claims reach cluster-scoped XRs, so anybody can add a match.
 */
function choose(
  shared: SharedResource,
  selector: ResourceSelector,
  matches: readonly Document[],
  origins: ReadonlySet<string>,
  call: Call,
): Lookup {
  const { select } = shared;
  if (select.by !== "labels") {
    return matches.length === 0 ? tooFew(selector, 0, 1) : { is: "found", resources: matches.slice(0, 1) };
  }
  const { minMatch, maxMatch, sortByFieldPath } = select;
  const isUnscoped = select.namespace === undefined && matches.some((item) => stringAt(item, NAMESPACE) !== undefined);
  if (isUnscoped) return { is: "unscoped", wanted: describe(selector) };
  if (matches.length < minMatch) return tooFew(selector, matches.length, minMatch);

  const sorted = sortBy(matches, sortByFieldPath);
  const kept = maxMatch > 1 ? undefined : sorted.find((item) => origins.has(resourceKey(toReference(item))));
  if (kept !== undefined) return { is: "found", resources: [kept] };
  if (matches.length > maxMatch && sortByFieldPath === undefined) {
    return {
      is: "ambiguous",
      wanted: describe(selector),
      found: matches.length,
      named: nameGranting(shared, sorted, call),
      maxMatch,
    };
  }
  return { is: "found", resources: sorted.slice(0, maxMatch) };
}

/** Names the resources of which the consumer may know without a further look-up. */
function nameGranting({ grant }: SharedResource, found: readonly Document[], { composite }: Call): readonly string[] {
  const own = consumerNamespace(composite);
  const isTold = (item: Document): boolean => {
    if (own === undefined || grant === "None") return true;
    const { isForAll, names } = readNamespaceGrant(item);
    return isForAll || names.has(own);
  };
  return found.filter(isTold).map(qualifiedName);
}

const tooFew = (selector: ResourceSelector, found: number, minMatch: number): Lookup => ({
  is: "tooFew",
  wanted: describe(selector),
  found,
  minMatch,
});

type Match = Resolved<ResourceSelector["match"]> | { readonly is: "notAsked" };
type Selector = Resolved<ResourceSelector> | Extract<Lookup, { is: "invalid" | "notAsked" }>;

/**
 * Makes what Crossplane is to find. What no resource can be called is not asked for: Crossplane could only fail the whole XR,
 * and an XR that fails keeps its copies whatever their owners say.
 */
function toSelector(
  { apiVersion, kind, connection }: SharedResource,
  select: Exclude<Select, { by: "self" }>,
  call: Call,
): Selector {
  const isEverywhere = select.namespace?.is === "literal" && select.namespace.value === "*";
  const namespace = select.namespace === undefined || isEverywhere ? undefined : resolveString(select.namespace, call);
  if (namespace?.is === "unset") return namespace;
  const match = select.by === "name" ? byName(select.name, call) : byLabels(select.labels, call);
  // Whoever waits for a Secret is told why there is none.
  if (match.is === "notAsked" && connection)
    return { is: "unset", field: "everything that select.matchLabels refers to" };
  if (match.is !== "set") return match;
  const selector = { apiVersion, kind, namespace: namespace?.value, match: match.value };
  const fault = findFault(selector);
  return fault === undefined ? { is: "set", value: selector } : { is: "invalid", fault };
}

function findFault({ namespace, match }: ResourceSelector): string | undefined {
  if (namespace !== undefined && !DNS_LABEL.test(namespace)) return `${quote(namespace)} is not a namespace's name`;
  if ("name" in match) {
    return isPathSegment(match.name) ? undefined : `${quote(match.name)} is not a resource's name`;
  }
  const [wrong] = Object.values(match.labels).filter((value) => !isLabelValue(value));
  return wrong === undefined ? undefined : `${quote(wrong)} is not a label's value`;
}

function byName(value: Extract<Select, { by: "name" }>["name"], call: Call): Match {
  const name = resolveString(value, call);
  return name.is === "unset" ? name : { is: "set", value: { name: name.value } };
}

/** Optional labels are left out where they are not set; without any label left, everything would match. */
function byLabels(labels: Extract<Select, { by: "labels" }>["labels"], call: Call): Match {
  const resolved: [string, string][] = [];
  for (const { key, value, optional } of labels) {
    const label = resolveString(value, call);
    if (label.is === "unset" && !optional) return label;
    if (label.is === "set") resolved.push([key, label.value]);
  }
  return resolved.length > 0 ? { is: "set", value: { labels: Object.fromEntries(resolved) } } : { is: "notAsked" };
}

/** Puts a selector into words: `orders-db`, `in namespace databases with labels team=orders`. */
export function describe({ namespace, match }: ResourceSelector): string {
  const place = namespace === undefined ? "" : ` in namespace ${namespace}`;
  if ("name" in match) return `${match.name}${place}`;
  const labels = Object.entries(match.labels).map(([key, value]) => `${key}=${value}`);
  return `with labels ${labels.sort().join(",")}${place}`;
}

/**
 * Sorts resources by the values at a path, texts before numbers, as function-extra-resources does; where the values are the
 * same, by namespace and name. Missing values come last: a resource that lacks the field must not come before those that
 * have it.
 */
function sortBy(resources: readonly Document[], path: FieldPath = []): readonly Document[] {
  const keyed = resources.map((resource) => ({ resource, keys: toKeys(resource, path) }));
  keyed.sort((a, b) => compare(a.keys, b.keys));
  return keyed.map(({ resource }) => resource);
}

type Key = string | number | undefined;

const toKeys = (resource: Document, path: FieldPath): readonly Key[] => [
  path.length === 0 ? "" : toKey(resource.at(path)),
  toKey(resource.at(["metadata", "namespace"])) ?? "",
  toKey(resource.at(["metadata", "name"])) ?? "",
];

function toKey(value: JsonValue | undefined): Key {
  if (typeof value === "number" || typeof value === "string") return value === "" ? undefined : value;
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

function compare(a: readonly Key[], b: readonly Key[]): number {
  for (const [index, key] of a.entries()) {
    const order = compareKeys(key, b[index]);
    if (order !== 0) return order;
  }
  return 0;
}

const RANKS = ["string", "number", "undefined"];

function compareKeys(a: Key, b: Key): number {
  if (typeof a !== typeof b) return RANKS.indexOf(typeof a) - RANKS.indexOf(typeof b);
  if (a === undefined || b === undefined || a === b) return 0;
  return a < b ? -1 : 1;
}
