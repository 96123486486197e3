import { readNamespaceGrant } from "../../crossplane/grants.ts";
import { qualifiedName } from "../../crossplane/metadata.ts";
import { isSameResource, type Reference, toReference } from "../../crossplane/references.ts";
import { toRequirement } from "../../crossplane/requirement-names.ts";
import type { Select } from "../../input/select.ts";
import { compareTexts } from "../../model/collections.ts";
import { quote } from "../../model/condition.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";
import type { JsonValue } from "../../model/json.ts";
import { DNS_LABEL, isLabelValue, isPathSegment } from "../../model/names.ts";
import { lazy } from "../../model/once.ts";
import type { ResourceSelector } from "../../model/requirement.ts";
import type { Binding } from "../../records/record.ts";
import { type Resolved, resolveString } from "../value.ts";
import { type Found, type Lookup, type Share, unfound } from "./judgement.ts";
import { chooseMember } from "./pool.ts";
import type { SharingReason } from "./reasons.ts";
import { isEverywhere } from "./support.ts";

const NAMESPACE_PATH = ["metadata", "namespace"];

const broken = (reason: SharingReason): Lookup => unfound("broken", reason);

export function findShared(share: Share): Lookup {
  const { shared, call } = share;
  const { document } = call.composite;
  if (shared.select.by === "self") return { is: "found", resources: [document], name: qualifiedName(document) };
  const selector = resolveSelector(shared.select, share);
  if (selector.is === "unset") return broken({ is: "FieldNotSet", field: selector.field });
  const { namespace, match } = selector.value;
  // Without labels, every resource would match. With a `connection`, the condition has to say why there are no copies.
  if ("labels" in match && Object.keys(match.labels).length === 0)
    return shared.connection === undefined
      ? unfound("gone")
      : broken({ is: "FieldNotSet", field: "each field that select.matchLabels reads" });
  const fault = findSelectorFault(selector.value);
  if (fault !== undefined) return broken({ is: "InvalidSelector", fault });

  const answer = call.requirements.ask(toRequirement(`shared-resource/${shared.name}`, selector.value));
  if (answer.is === "pending") return unfound("unknown", { is: "WaitingForRequiredResources", wanted: shared.kind });
  // `crossplane render` up to v2.2 ignores the namespace, and would give the XR credentials of the wrong database.
  const matches = answer.items.filter(
    (item) => namespace === undefined || stringAt(item, NAMESPACE_PATH) === namespace,
  );
  return choose(share, formatSelector(selector.value), matches);
}

/**
 * Chooses among the matches of a selector. An XR that is bound to a match keeps that match: any team can add matches, since
 * Crossplane copies a claim's labels to its cluster-scoped XR. Else more matches than `maxMatch` are ambiguous, unless
 * `prefer` or `sortByFieldPath` is set.
 */
function choose(share: Share, wanted: string, matches: readonly Document[]): Lookup {
  const { select } = share.shared;
  const toFound = (resources: readonly Document[]): Found => ({ is: "found", resources, name: wanted });
  const found = matches.length;
  if (select.by !== "labels") return found === 0 ? tooFew(wanted, 0, 1) : toFound(matches.slice(0, 1));
  const { minMatch, maxMatch, sortByFieldPath } = select;
  const isUnscoped =
    select.namespace === undefined && matches.some((item) => stringAt(item, NAMESPACE_PATH) !== undefined);
  if (isUnscoped) return broken({ is: "NamespaceNotSelected", wanted });
  if (found < minMatch) return tooFew(wanted, found, minMatch);

  const kept = findBound(matches, share);
  if (kept !== undefined) return toFound([kept]);
  const sorted = sortBy(matches, sortByFieldPath);
  if (select.prefer !== undefined) return chooseMember(share, sorted, wanted);
  if (found <= maxMatch || sortByFieldPath !== undefined) return toFound(sorted.slice(0, maxMatch));
  return broken({ is: "Ambiguous", wanted, found, named: nameGranting(sorted, share), maxMatch });
}

/** Finds the match that the XR is bound to with a grant; of several, the first in its record. */
function findBound(matches: readonly Document[], { before }: Share): Document | undefined {
  const bound = before.filter(({ access }) => access === "Granted");
  const find = ({ resource }: Binding) => matches.find((item) => isSameResource(toReference(item), resource));
  return bound.map(find).find((item) => item !== undefined);
}

const tooFew = (wanted: string, found: number, minMatch: number): Lookup =>
  unfound("gone", found === 0 ? { is: "NotFound", wanted } : { is: "TooFewMatches", wanted, found, minMatch });

/** Names the matches that grant access to the consumer's namespace by name, or to all; all matches if no grant is needed. */
function nameGranting(found: readonly Document[], { shared, own }: Share): readonly string[] {
  const mayKnow = (item: Document): boolean => {
    if (own === undefined || shared.grant === "None") return true;
    const { isForAll, names } = readNamespaceGrant(item);
    return isForAll || names.has(own);
  };
  return found.filter(mayKnow).map(qualifiedName);
}

/** Resolves the selector of a share. Optional labels that are not set are left out, so a selector may have no labels. */
function resolveSelector(select: Exclude<Select, { by: "self" }>, { shared, call }: Share): Resolved<ResourceSelector> {
  const { apiVersion, kind } = shared;
  const namespace =
    select.namespace === undefined || isEverywhere(select) ? undefined : resolveString(select.namespace, call);
  if (namespace?.is === "unset") return namespace;
  const ofKind = { apiVersion, kind, namespace: namespace?.value };
  if (select.by === "name") {
    const name = resolveString(select.name, call);
    return name.is === "unset" ? name : { is: "set", value: { ...ofKind, match: { name: name.value } } };
  }
  const labels: [string, string][] = [];
  for (const { key, value, optional } of select.labels) {
    const label = resolveString(value, call);
    if (label.is === "set") labels.push([key, label.value]);
    else if (!optional) return label;
  }
  return { is: "set", value: { ...ofKind, match: { labels: Object.fromEntries(labels) } } };
}

/** Finds a fault with which Crossplane would stop the XR: a stopped XR keeps copies whose grant is taken back. */
function findSelectorFault({ namespace, match }: ResourceSelector): string | undefined {
  if (namespace !== undefined && !DNS_LABEL.test(namespace))
    return `select.namespace: ${quote(namespace)} is not a valid namespace name`;
  if ("name" in match) {
    return isPathSegment(match.name) ? undefined : `select.name: ${quote(match.name)} is not a valid resource name`;
  }
  const wrong = Object.values(match.labels).find((value) => !isLabelValue(value));
  return wrong === undefined ? undefined : `select.matchLabels: ${quote(wrong)} is not a valid label value`;
}

/** Formats a selector for people: `orders-db`, `with labels team=orders in namespace databases`. */
function formatSelector({ namespace, match }: ResourceSelector): string {
  const place = namespace === undefined ? "" : ` in namespace ${namespace}`;
  if ("name" in match) return `${match.name}${place}`;
  const labels = Object.entries(match.labels).map(([key, value]) => `${key}=${value}`);
  return `with labels ${labels.sort().join(",")}${place}`;
}

/** Sorts as function-extra-resources does: non-empty texts, numbers, then the rest. Namespace and name decide between equals. */
function sortBy(resources: readonly Document[], path: FieldPath | undefined): readonly Document[] {
  const keyed = resources.map((resource) => {
    return { resource, value: path && resource.at(path), reference: lazy(() => toReference(resource)) };
  });
  keyed.sort((a, b) => compareValues(a.value, b.value) || compareNames(a.reference(), b.reference()));
  return keyed.map(({ resource }) => resource);
}

const compareNames = (a: Reference, b: Reference): number =>
  compareTexts(a.namespace ?? "", b.namespace ?? "") || compareTexts(a.name, b.name);

function compareValues(a: JsonValue | undefined, b: JsonValue | undefined): number {
  if (toRank(a) !== toRank(b)) return toRank(a) - toRank(b);
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  return typeof a === "number" && typeof b === "number" ? a - b : 0;
}

function toRank(value: JsonValue | undefined): number {
  if (typeof value === "string" && value !== "") return 0;
  return typeof value === "number" ? 1 : 2;
}
