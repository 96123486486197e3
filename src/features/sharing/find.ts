import { consumerNamespace } from "../../crossplane/composite.ts";
import { readNamespaceGrant } from "../../crossplane/grants.ts";
import { qualifiedName } from "../../crossplane/metadata.ts";
import { resourceKey, toReference } from "../../crossplane/references.ts";
import { toRequirement } from "../../crossplane/requirement-names.ts";
import type { Select } from "../../input/select.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { quote } from "../../model/condition.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";
import type { JsonValue } from "../../model/json.ts";
import { DNS_LABEL, isLabelValue, isPathSegment } from "../../model/names.ts";
import type { ResourceSelector } from "../../model/requirement.ts";
import type { Binding } from "../../ownership/record.ts";
import type { Call } from "../feature.ts";
import { type Resolved, resolveString } from "../value.ts";
import { chooseMember } from "./pool.ts";
import type { SharingReason } from "./reasons.ts";
import type { Cause } from "./verdict.ts";

const NAMESPACE_PATH = ["metadata", "namespace"];

/** The resources that a selector finds, and the name by which the consumer asked; or why there are none. */
export type Lookup =
  | { readonly is: "found"; readonly resources: readonly Document[]; readonly name: string }
  | { readonly is: Cause; readonly reason: SharingReason | undefined };

const broken = (reason: SharingReason): Lookup => ({ is: "broken", reason });

/**
 * Looks up a shared resource. Rejects one from another namespace than the selector's: `crossplane render` up to v2.2 matches names
 * only, and credentials of the wrong database are worse than none.
 *
 * @param before what the XR's record says of the share: a resource that it is bound to is preferred while it matches.
 */
export function findShared(shared: SharedResource, before: readonly Binding[], call: Call): Lookup {
  const { document } = call.composite;
  if (shared.select.by === "self") return { is: "found", resources: [document], name: qualifiedName(document) };
  const selector = resolveSelector(shared, shared.select, call);
  if (selector.is === "notAsked") return { is: "gone", reason: undefined };
  if (selector.is === "unset") return broken({ is: "FieldNotSet", field: selector.field });
  const fault = findSelectorFault(selector.value);
  if (fault !== undefined) return broken({ is: "InvalidSelector", fault });

  const answer = call.requirements.ask(toRequirement(`shared-resource/${shared.name}`, selector.value));
  if (answer.is === "pending")
    return { is: "unknown", reason: { is: "WaitingForRequiredResources", wanted: shared.kind } };
  const { namespace } = selector.value;
  const matches = answer.items.filter(
    (item) => namespace === undefined || stringAt(item, NAMESPACE_PATH) === namespace,
  );
  return choose(shared, formatSelector(selector.value), matches, before, call);
}

/**
 * Chooses among matches: several only if the input says how many, or sorts them; else they are ambiguous. An XR that is bound to one of
 * them keeps it, whatever else matches: labels of claims reach cluster-scoped XRs, so any team can add a match.
 */
function choose(
  shared: SharedResource,
  wanted: string,
  matches: readonly Document[],
  before: readonly Binding[],
  call: Call,
): Lookup {
  const { select } = shared;
  const toFound = (resources: readonly Document[]): Lookup => ({ is: "found", resources, name: wanted });
  const found = matches.length;
  if (select.by !== "labels") return found === 0 ? tooFew(wanted, 0, 1) : toFound(matches.slice(0, 1));
  const { minMatch, maxMatch, sortByFieldPath } = select;
  const isUnscoped =
    select.namespace === undefined && matches.some((item) => stringAt(item, NAMESPACE_PATH) !== undefined);
  if (isUnscoped) return broken({ is: "NamespaceNotSelected", wanted });
  if (found < minMatch) return tooFew(wanted, found, minMatch);

  const sorted = sortBy(matches, sortByFieldPath);
  const kept = findBound(matches, before);
  if (kept !== undefined) return toFound([kept]);
  if (select.prefer !== undefined) return chooseMember(shared, sorted, wanted, before, call);
  if (found <= maxMatch || sortByFieldPath !== undefined) return toFound(sorted.slice(0, maxMatch));
  return broken({ is: "Ambiguous", wanted, found, named: nameGranting(shared, sorted, call), maxMatch });
}

/** Finds the resource that the XR is bound to, the first in its record where there are two. */
function findBound(matches: readonly Document[], before: readonly Binding[]): Document | undefined {
  const byKey = new Map(matches.map((item) => [resourceKey(toReference(item)), item]));
  const bound = before.filter(({ access }) => access === "Granted");
  return bound.map(({ resource }) => byKey.get(resourceKey(resource))).find((item) => item !== undefined);
}

const tooFew = (wanted: string, found: number, minMatch: number): Lookup => ({
  is: "gone",
  reason: found === 0 ? { is: "NotFound", wanted } : { is: "TooFewMatches", wanted, found, minMatch },
});

/** Names the matches that the consumer may know: those whose grant needs no further look-up. */
function nameGranting({ grant }: SharedResource, found: readonly Document[], { composite }: Call): readonly string[] {
  const own = consumerNamespace(composite);
  const isTold = (item: Document): boolean => {
    if (own === undefined || grant === "None") return true;
    const { isForAll, names } = readNamespaceGrant(item);
    return isForAll || names.has(own);
  };
  return found.filter(isTold).map(qualifiedName);
}

/** A resolved selector, or a part of one; `notAsked` if all its labels are optional and none is set. */
type Asked<T> = Resolved<T> | { readonly is: "notAsked" };
type ResolvedMatch = Asked<ResourceSelector["match"]>;

/** Resolves the selector of a share, for Crossplane's look-up. */
function resolveSelector(
  { apiVersion, kind, connection }: SharedResource,
  select: Exclude<Select, { by: "self" }>,
  call: Call,
): Asked<ResourceSelector> {
  const isEverywhere = select.namespace?.is === "literal" && select.namespace.value === "*";
  const namespace = select.namespace === undefined || isEverywhere ? undefined : resolveString(select.namespace, call);
  if (namespace?.is === "unset") return namespace;
  const match = select.by === "name" ? resolveName(select.name, call) : resolveLabels(select.labels, call);
  // With copies, the condition has to say why they are missing.
  if (match.is === "notAsked" && connection)
    return { is: "unset", field: "everything that select.matchLabels refers to" };
  if (match.is !== "set") return match;
  return { is: "set", value: { apiVersion, kind, namespace: namespace?.value, match: match.value } };
}

/** Finds a name that no resource can have: Crossplane would fail the XR, which would then keep its copies without a grant. */
function findSelectorFault({ namespace, match }: ResourceSelector): string | undefined {
  if (namespace !== undefined && !DNS_LABEL.test(namespace)) return `${quote(namespace)} is not a namespace's name`;
  if ("name" in match) {
    return isPathSegment(match.name) ? undefined : `${quote(match.name)} is not a resource's name`;
  }
  const [wrong] = Object.values(match.labels).filter((value) => !isLabelValue(value));
  return wrong === undefined ? undefined : `${quote(wrong)} is not a label's value`;
}

function resolveName(value: Extract<Select, { by: "name" }>["name"], call: Call): ResolvedMatch {
  const name = resolveString(value, call);
  return name.is === "unset" ? name : { is: "set", value: { name: name.value } };
}

/** Resolves labels, without optional ones that are not set. With no label left nothing is asked, because everything would match. */
function resolveLabels(labels: Extract<Select, { by: "labels" }>["labels"], call: Call): ResolvedMatch {
  const resolved: [string, string][] = [];
  for (const { key, value, optional } of labels) {
    const label = resolveString(value, call);
    if (label.is === "unset" && !optional) return label;
    if (label.is === "set") resolved.push([key, label.value]);
  }
  return resolved.length > 0 ? { is: "set", value: { labels: Object.fromEntries(resolved) } } : { is: "notAsked" };
}

/** Formats a selector for people: `orders-db`, `in namespace databases with labels team=orders`. */
function formatSelector({ namespace, match }: ResourceSelector): string {
  const place = namespace === undefined ? "" : ` in namespace ${namespace}`;
  if ("name" in match) return `${match.name}${place}`;
  const labels = Object.entries(match.labels).map(([key, value]) => `${key}=${value}`);
  return `with labels ${labels.sort().join(",")}${place}`;
}

/** Sorts by the values at a path, texts before numbers, missing ones last, as function-extra-resources does; then by name. */
function sortBy(resources: readonly Document[], path: FieldPath = []): readonly Document[] {
  const keyed = resources.map((resource) => ({ resource, keys: readSortKeys(resource, path) }));
  keyed.sort((a, b) => a.keys.map((key, index) => compareSortKeys(key, b.keys[index])).find(Boolean) ?? 0);
  return keyed.map(({ resource }) => resource);
}

type SortKey = string | number | undefined;

const readSortKeys = (resource: Document, path: FieldPath): readonly SortKey[] => [
  path.length === 0 ? "" : toSortKey(resource.at(path)),
  toSortKey(resource.at(["metadata", "namespace"])) ?? "",
  toSortKey(resource.at(["metadata", "name"])) ?? "",
];

function toSortKey(value: JsonValue | undefined): SortKey {
  if (typeof value === "number" || typeof value === "string") return value === "" ? undefined : value;
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

const RANKS = ["string", "number", "undefined"];

function compareSortKeys(a: SortKey, b: SortKey): number {
  if (typeof a !== typeof b) return RANKS.indexOf(typeof a) - RANKS.indexOf(typeof b);
  if (a === undefined || b === undefined || a === b) return 0;
  return a < b ? -1 : 1;
}
