import { type Document, stringAt } from "../../model/document.ts";
import { isObject, type JsonObject, type JsonValue } from "../../model/json.ts";
import type { Kind } from "./rescue.ts";

/**
 * Names by composed resource, then by kind: `{network: {VPC.ec2.aws.upbound.io: vpc-0a1b}}`. The kind is there so that a
 * composed resource that has become another kind does not inherit a name that means nothing to it.
 */
export type Ledger = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** What is not a name is not in it: a person may have edited it. */
export function toLedger(value: JsonValue | undefined): Ledger {
  const entries = Object.entries(isObject(value) ? value : {}).map(
    ([name, kinds]) => [name, namesIn(isObject(kinds) ? kinds : {})] as const,
  );
  return new Map(entries.filter(([, names]) => Object.keys(names).length > 0));
}

const namesIn = (kinds: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(kinds).filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== ""),
  );

export const recordedIn = (ledger: Ledger, name: string, kind: Kind): string | undefined => {
  const names = ledger.get(name);
  const key = keyOf(kind);
  return names !== undefined && Object.hasOwn(names, key) ? names[key] : undefined;
};

export const entryOf = (kind: Kind, name: string): Readonly<Record<string, string>> => ({ [keyOf(kind)]: name });

/** Sorted, so that the same names are the same bytes. */
export const fromLedger = (ledger: Ledger): JsonObject =>
  Object.fromEntries([...ledger].sort(([a], [b]) => (a < b ? -1 : 1)));

const keyOf = ({ kind, apiGroup }: Kind): string => `${kind}.${apiGroup}`;

/**
 * Whether what the resource stands for goes with it: then its name is of no use to a successor. One whose cloud resource
 * is left where it is (`deletionPolicy: Orphan`, no `Delete` in its management policies) keeps its name in the ledger, and so
 * does one that is paused: its provider does nothing before that ends.
 */
export function isGoingForGood(observed: Document): boolean {
  if (stringAt(observed, ["metadata", "deletionTimestamp"]) === undefined) return false;
  if (stringAt(observed, ["spec", "deletionPolicy"]) === "Orphan") return false;
  if (stringAt(observed, ["metadata", "annotations", "crossplane.io/paused"]) === "true") return false;
  const policies = observed.at(["spec", "managementPolicies"]);
  return !Array.isArray(policies) || policies.includes("*") || policies.includes("Delete");
}
