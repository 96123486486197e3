import { formatSecret, type SecretName } from "../../crossplane/copies.ts";
import { ACCEPT_COPIES_FROM, FOR_ALL } from "../../crossplane/grants.ts";
import type { Patch } from "../../input/patch.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { groupBy } from "../../model/collections.ts";
import { brief, briefError, listSome, MAX_NAMES } from "../../model/condition.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import { faults, fine, type ReasonOf, tell, unknown, waits } from "../conditions.ts";

/** The most copies of one shared resource, so that one call stays fast. */
export const MAX_TARGETS = 1000;

export type PatchedField = NonNullable<Patch["toResource"]>;

interface Fact {
  readonly kind: string;
}

/** `shared`: the name by which the consumer asked. Without a grant, messages tell nothing else about the resource. */
type Shared = Fact & { readonly shared: string };
type Wanted = Fact & { readonly wanted: string };
type Fault = { readonly fault: string };
type Secret = { readonly secret: SecretName };
type Fields = { readonly fields: readonly PatchedField[] };
type Taken = { readonly target: SecretName; readonly writer: string | undefined; readonly isRival: boolean };
type Names = { readonly names: readonly string[] };
type Namespaces = { readonly namespaces: readonly string[] };

/** The messages of SharedResourcesReady for the consumer's team: what is missing, and who can fix it. */
export const REASONS = {
  ...unknown({
    WaitingForRequiredResources: ({ wanted }: Wanted) => `waiting for Crossplane to look up ${wanted}`,
  }),
  ...faults({
    FieldNotSet: ({ field, isEmpty = false }: { readonly field: string; readonly isEmpty?: boolean }) =>
      `${field} is ${isEmpty ? "empty" : "not set"}`,
    InvalidSelector: ({ fault }: Fault) => fault,
    PatchFailed: ({ fault }: Fault) => fault,
    InvalidTarget: ({ fault }: Fault) => fault,
    ResourcesHeldBack: ({ fields }: Fields) =>
      `composed resources are not created until these fields have values: ${listFields(fields)}`,
    DependentNotDesired: ({ fault }: Fault) => fault,
    DependentsHeldBack: ({ names }: Names) =>
      `composed resources are not created until this XR has access and its copies are written: ${listSome(names, MAX_NAMES, brief)}`,
    DependentsRemoved: ({ names }: Names) =>
      "composed resources are deleted, because the access for which they were created has ended; they are created again once this XR has access: " +
      listSome(names, MAX_NAMES, brief),
    FieldsKept: ({ fields }: Fields) =>
      `fields of composed resources keep their present values, because no new value can be set: ${listFields(fields)}`,
    NamespaceNotSelected: ({ wanted, kind }: Wanted) =>
      `${kind} ${wanted} is namespaced: the Composition has to set select.namespace`,
    NotFound: ({ wanted, kind }: Wanted) => `found no ${kind} ${wanted}`,
    TooFewMatches: ({ wanted, found, minMatch, kind }: Wanted & Few) =>
      `found ${found} ${kind} ${wanted}, fewer than minMatch: ${minMatch}`,
    // `named`: the matches that grant access to the consumer; all matches where the consumer needs no grant.
    Ambiguous: ({ wanted, found, maxMatch, named, kind }: Wanted & Candidates) => {
      const which = named.length === found ? "matches" : "matches that grant access to this XR";
      const list = named.length === 0 ? "" : `; ${which}: ${listSome(named, MAX_NAMES, brief)}`;
      return (
        `found ${found} ${kind} ${wanted}, more than maxMatch ${maxMatch}: change their labels, or set select.sortByFieldPath in the ` +
        `Composition, which uses the first in order${list}`
      );
    },
    NoCapacity: ({ wanted, kind }: Wanted) =>
      `no ${kind} ${wanted} that grants access has capacity left: an owner has to raise consumers.capacity, or to add another ${kind}`,
    WaitingForAdmission: ({ wanted, kind }: Wanted) => `waiting for a ${kind} ${wanted} to admit this XR`,
    BeingDeleted: ({ shared, kind }: Shared) =>
      `${kind} ${shared} is being deleted, so no new copies of its connection Secret are made: select another ${kind}`,
    SharedResourceNotReady: ({ shared, kind }: Shared) => `${kind} ${shared} is not Ready yet`,
    NoConnectionSecret: ({ shared, field, kind }: Shared & { readonly field: string }) =>
      `${kind} ${shared} names no connection Secret in ${field}: set that field; if another field or none names the Secret, ` +
      "set connection.secretRef in the Composition instead",
    NoCredential: ({ shared, namespace, kind }: Shared & { readonly namespace: string }) =>
      `${kind} ${shared} has no credential for namespace ${brief(namespace)} yet; if this stays, see its condition ConsumersServed`,
    SourceNotAllowed: ({ shared, kind }: Shared) =>
      `${kind} ${shared} names a Secret in another namespace: the ${kind}'s owner has to name a Secret in the namespace of the ${kind}, or ` +
      "of its claim",
    SourceNotFound: ({ secret }: Secret) => `source Secret ${formatSecret(secret)} does not exist`,
    KeyNotFound: ({ secret, key, keys }: Secret & { readonly key?: string; readonly keys: readonly string[] }) =>
      `Secret ${formatSecret(secret)} has no ${key === undefined ? "keys" : `key ${key}: it has ${listSome(keys, MAX_NAMES, brief) || "none"}`}`,
    KeyIsNotText: ({ secret, key }: Secret & { readonly key: string }) =>
      `key ${key} of Secret ${formatSecret(secret)} is not text: copy it with from, or write {${key}|base64} in value`,
    // `remedy`: completes "its owner has to".
    AccessNotGranted: ({ shared, namespaces, remedy, isRevoked = false, kind }: Shared & Namespaces & Remedy) =>
      namespaces.includes(FOR_ALL) && !isRevoked
        ? `this XR has neither metadata.namespace nor spec.claimRef.namespace, so ${kind} ${shared} cannot grant access to it alone: create this ` +
          "XR by a claim, or set grant: None in the Composition if every XR may read the shared resource"
        : `${kind} ${shared} ${isRevoked ? "no longer grants" : "does not grant"} access to ` +
          `${namespaces.includes(FOR_ALL) ? "every namespace" : `namespace ${listNamespaces(namespaces)}`}: its owner has to ${remedy(namespaces)}`,
    TooManyTargets: () =>
      `only the first ${MAX_TARGETS} copies are made, the most for one shared resource: name fewer namespaces`,
    TooLarge: ({ excess }: { readonly excess: number }) =>
      `${excess === 1 ? "1 copy is" : `${excess} copies are`} left out, because all copies of this XR together would be too large for ` +
      "Crossplane: copy fewer keys, or name fewer namespaces",
    NamespaceNotReadable: ({ namespaces }: Namespaces) =>
      `Crossplane could not read namespace ${listNamespaces(namespaces)}, so it is not known who has access or accepts copies: apply ` +
      "deploy/function/crossplane-reads.yaml, which allows Crossplane " +
      '{apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"]}',
    ReferenceGrantsNotInstalled: () =>
      "ReferenceGrants are not installed, so it is not known who has access: install Gateway API's CRDs, or set grant to Annotation in the Composition",
    NamespaceNotAccepting: ({ namespaces, consumer }: Namespaces & { readonly consumer: string }) =>
      `namespace ${listNamespaces(namespaces)} does not exist, or does not accept copies from ${consumer}: its owner has to add ` +
      `${consumer} to the Namespace's annotation ${ACCEPT_COPIES_FROM}`,
    // `isRival`: the writer is another XR of the same claim.
    TargetTaken: ({ target, writer, isRival }: Taken) => {
      const secret = `Secret ${formatSecret(target)}`;
      if (writer === undefined)
        return (
          `${secret} exists and does not belong to this XR, so it is left unchanged: choose another secretName, or delete the Secret: ` +
          "then this XR creates its own"
        );
      return isRival
        ? `${secret} is kept by XR ${writer} of the same claim: delete the XR that the claim does not name in spec.resourceRef`
        : `${secret} is a copy made by ${writer}: choose another secretName`;
    },
    TypeKept: ({ target, type, wanted }: Types) =>
      `Secret ${formatSecret(target)} keeps type ${brief(type)}, which Kubernetes does not change: ` +
      `delete the Secret to get one of type ${brief(wanted)}, or choose another secretName`,
    // `says`: the message of its Object.
    CopyFailed: ({ target, says }: { readonly target: SecretName; readonly says: string }) =>
      `Secret ${formatSecret(target)} cannot be written: ${briefError(says)}${ELSEWHERE.test(says) ? TEXTS : ""}`,
  }),
  ...waits({
    WaitingForCopies: ({ targets }: { readonly targets: readonly SecretName[] }) =>
      `waiting for Secret ${listSome(targets, MAX_NAMES, formatSecret)} to be written`,
  }),
  ...fine({ Available: () => "" }),
};

/** Matches the error of provider-kubernetes if the cluster of its ProviderConfig does not have the source Secret. */
const ELSEWHERE = /cannot get referenced resource: .* not found/s;

const TEXTS =
  '; if the ProviderConfig is for another cluster, that cluster lacks the source Secret: in keys, write value in place of from, as in {value: "{password}", to: password}';

type Few = { readonly found: number; readonly minMatch: number };
type Types = { readonly target: SecretName; readonly type: string; readonly wanted: string };
type Candidates = { readonly found: number; readonly maxMatch: number; readonly named: readonly string[] };
type Remedy = { readonly remedy: (namespaces: readonly string[]) => string; readonly isRevoked?: boolean };

/** A reason why a shared resource, or a copy of its Secret, is not available, with the facts of the message. */
export type SharingReason = ReasonOf<typeof REASONS, "kind">;

/** Tells whether a copy is not granted, or its namespace does not accept it. */
export const isRefusal = ({ is }: SharingReason): boolean =>
  is === "AccessNotGranted" || is === "NamespaceNotAccepting";

/**
 * Joins the reasons of a share's copies. Reasons of one name that `isJoined` accepts become one reason, with all namespaces or
 * target Secrets, or their number. Other reasons stay; an object that is the reason of several targets is listed once.
 */
export function joinReasons(reasons: readonly SharingReason[]): readonly SharingReason[] {
  const groups = groupBy<SharingReason, unknown>(reasons, (reason) => (isJoined(reason) ? reason.is : reason));
  const joined = [...groups.values()].flatMap((same) => same.slice(0, 1).map((first) => joinTo(first, same)));
  return joined.sort((a, b) => FIRST.indexOf(b.is) - FIRST.indexOf(a.is));
}

/** The reasons that come before all others, in reverse order: AccessNotGranted is the very first. */
const FIRST: readonly SharingReason["is"][] = ["NamespaceNotReadable", "NamespaceNotAccepting", "AccessNotGranted"];

const isJoined = (reason: SharingReason): boolean =>
  "namespaces" in reason || "targets" in reason || ["WaitingForRequiredResources", "TooLarge"].includes(reason.is);

function joinTo(first: SharingReason, same: readonly SharingReason[]): SharingReason {
  if ("namespaces" in first) {
    const namespaces = same.flatMap((reason) => ("namespaces" in reason ? reason.namespaces : []));
    return { ...first, namespaces: [...new Set(namespaces)] };
  }
  if ("targets" in first)
    return { ...first, targets: same.flatMap((reason) => ("targets" in reason ? reason.targets : [])) };
  return "excess" in first ? { ...first, excess: same.length } : first;
}

export function explainReason(reason: SharingReason, { kind }: Pick<SharedResource, "kind">): string {
  const remark = { ...reason, kind };
  return tell(REASONS, remark);
}

/** Lists the first namespaces for a message: with all of them, the remedy at its end could be cut off. */
export const listNamespaces = (namespaces: readonly string[]): string => listSome(namespaces, MAX_NAMES, brief);

const listFields = (fields: readonly PatchedField[]): string =>
  listSome(fields, MAX_NAMES, ({ name, fieldPath }) => `${brief(name)} (${brief(formatFieldPath(fieldPath))})`);
