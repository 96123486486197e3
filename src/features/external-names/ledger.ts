import { toGroupKind } from "../../crossplane/api-group.ts";
import type { ManagedKind } from "../../crossplane/managed-resource.ts";
import { mayDelete } from "../../crossplane/management-policies.ts";
import { isBeingDeleted, isPaused } from "../../crossplane/metadata.ts";
import type { Document } from "../../model/document.ts";
import { isObject, type JsonObject, type JsonValue, ownValue, pick } from "../../model/json.ts";

/**
 * Names by composed resource, then by kind: `{network: {VPC.ec2.aws.upbound.io: vpc-0a1b}}`. The kind is there so that a
 * composed resource that has become another kind does not inherit a name that means nothing to it.
 */
export type Ledger = ReadonlyMap<string, JsonObject>;

/** Reads a ledger from the XR's status. A person may have edited it, so entries that are no names are left out. */
export function toLedger(value: JsonValue | undefined): Ledger {
  const entries = Object.entries(isObject(value) ? value : {}).map(
    ([name, kinds]) => [name, toNames(isObject(kinds) ? kinds : {})] as const,
  );
  return new Map(entries.filter(([, names]) => Object.keys(names).length > 0));
}

const toNames = (kinds: JsonObject): JsonObject =>
  pick(kinds, (_kind, name) => typeof name === "string" && name !== "");

export function findRecorded(ledger: Ledger, name: string, { kind, group }: ManagedKind): string | undefined {
  const recorded = ownValue(ledger.get(name) ?? {}, toGroupKind(kind, group));
  return typeof recorded === "string" ? recorded : undefined;
}

export const toEntry = ({ kind, group }: ManagedKind, name: string): Readonly<Record<string, string>> => ({
  [toGroupKind(kind, group)]: name,
});

/**
 * Tells whether the cloud resource is deleted together with the managed resource, so that its name is of no use to a successor. A
 * cloud resource that stays keeps its name in the ledger, and so does one whose managed resource is paused: its provider does
 * nothing before that ends.
 */
export const isDeletedForGood = (observed: Document): boolean =>
  isBeingDeleted(observed) && !isPaused(observed) && mayDelete(observed);
