import { toGroupKind } from "../../crossplane/api-group.ts";
import type { ManagedKind } from "../../crossplane/managed-resource.ts";
import { mayDelete } from "../../crossplane/management-policies.ts";
import { isBeingDeleted, isPaused } from "../../crossplane/metadata.ts";
import type { ExternalNames } from "../../input/external-names.ts";
import type { Document } from "../../model/document.ts";
import { isObject, type JsonObject, ownValue, pick } from "../../model/json.ts";
import type { Call } from "../feature.ts";

/** Names by composed resource, then by kind (`{network: {VPC.ec2.aws.upbound.io: vpc-0a1b}}`): another kind must not inherit one. */
export type Ledger = ReadonlyMap<string, JsonObject>;

/** Reads the ledger in the XR's status, without invalid entries: a person may have edited it. */
export function readLedger({ ledger }: ExternalNames, { composite }: Call): Ledger {
  const value = ledger && composite.document.at(ledger.toCompositeFieldPath);
  const entries = Object.entries(isObject(value) ? value : {}).map(([name, kinds]) => {
    return [name, pick(isObject(kinds) ? kinds : {}, (_, named) => typeof named === "string" && named !== "")] as const;
  });
  return new Map(entries.filter(([, names]) => Object.keys(names).length > 0));
}

export function findRecorded(ledger: Ledger, name: string, { kind, group }: ManagedKind): string | undefined {
  const recorded = ownValue(ledger.get(name) ?? {}, toGroupKind(kind, group));
  return typeof recorded === "string" ? recorded : undefined;
}

export const toEntry = ({ kind, group }: ManagedKind, name: string): Readonly<Record<string, string>> => ({
  [toGroupKind(kind, group)]: name,
});

/**
 * Tells whether the cloud resource is deleted together with the managed resource, so that the ledger can forget its name. A cloud
 * resource that stays keeps its name, and so does one whose managed resource is paused, because its provider does nothing.
 */
export const isDeletedForGood = (observed: Document): boolean =>
  isBeingDeleted(observed) && !isPaused(observed) && mayDelete(observed);
