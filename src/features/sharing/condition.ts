import type { SharedResource } from "../../input/shared-resource.ts";
import {
  brief,
  type Condition,
  cutMessage,
  listSome,
  type Result,
  type ShownCondition,
  shownCondition,
} from "../../model/condition.ts";
import { type Draft, withCondition, withContext, withResults } from "../../model/draft.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import { isObject, type JsonObject, toPlainText } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import type { Call } from "../feature.ts";
import { MAX_TARGETS } from "./copies/targets.ts";
import { ACCEPT_COPIES_FROM, listNamespaces } from "./namespaces.ts";
import { formatSecret } from "./source.ts";
import type { PatchedField, SharingReason } from "./verdict.ts";

const TYPE = "SharedResourcesReady";

/** The most resources or namespaces that a sentence names. */
const MAX_NAMES = 10;

/**
 * The context key with the unavailable shared resources of earlier steps. Crossplane takes the last condition of a type, so the last
 * step's condition has to cover all steps.
 */
const UNAVAILABLE = `${DOMAIN}/unavailable`;

export interface Reasons {
  readonly shared: SharedResource;
  /** The reasons why it is not available; empty if it is. */
  readonly reasons: readonly SharingReason[];
}

/** A reason and message about one share. */
interface SharingRemark {
  readonly reason: string;
  readonly message: string;
}

/**
 * Adds one condition for the shared resources of this step and of earlier ones: its reason is the first fault, or without a fault
 * the first wait; its message has all. Events are about the shared resources of this step only.
 */
export function withSharingCondition(draft: Draft, shares: readonly Reasons[], call: Call): Draft {
  const names = new Set(shares.map(({ shared }) => shared.name));
  const before = call.request.context.at([UNAVAILABLE]);
  // Crossplane returns our own context to us when it calls the step again.
  const earlier = Object.entries(isObject(before) ? before : {}).filter(([name]) => !names.has(name));
  const own = shares.flatMap(({ shared, reasons }) =>
    reasons.map(
      (reason): SharingRemark => ({ reason: reason.is, message: `${shared.name}: ${explainReason(reason, shared)}` }),
    ),
  );
  const remarks = faultsFirst([...earlier.flatMap(([, entry]) => toRemarks(entry)), ...own]);
  const condition = toSharingCondition(remarks);
  const conditioned = withCondition(draft, condition);
  const shown = shownCondition(call.composite.document, TYPE);
  const results = withResults(conditioned, findEvents(toSharingCondition(faultsFirst(own)), own, [...names], shown));
  // Pending answers are known before the next step begins.
  const lasting = own.filter(({ reason }) => reason !== "WaitingForRequiredResources");
  if (before === undefined && lasting.length === 0) return results;
  const unavailable = shares.flatMap(({ shared }) => {
    const ofShare = lasting.filter(({ message }) => message.startsWith(`${shared.name}: `));
    // The message of the condition has room for fewer, and each later step gets all of them.
    return ofShare.length === 0 ? [] : [[shared.name, ofShare.slice(0, MAX_NAMES).map(toContextEntry)] as const];
  });
  return withContext(results, [[UNAVAILABLE, Object.fromEntries([...earlier, ...unavailable])]]);
}

/** Sorts what a person has to mend before what passes by itself: a wait must not hide a fault. */
const faultsFirst = (remarks: readonly SharingRemark[]): readonly SharingRemark[] => [
  ...remarks.filter(({ reason }) => !isWait(reason)),
  ...remarks.filter(({ reason }) => isWait(reason)),
];

const isWait = (reason: string): boolean => reason === "WaitingForRequiredResources" || reason === "WaitingForCopies";

/** Converts a remark to JSON, its message cut as in the condition: a team may write a name of a megabyte, and each step repeats it. */
const toContextEntry = ({ reason, message }: SharingRemark): JsonObject => ({ reason, message: cutMessage(message) });

const toRemarks = (entry: unknown): readonly SharingRemark[] =>
  (Array.isArray(entry) ? entry : [])
    .filter(isObject)
    .map(({ reason, message }) => ({ reason: toPlainText(reason), message: toPlainText(message) }));

function toSharingCondition(remarks: readonly SharingRemark[]): Condition {
  const [first] = remarks;
  return {
    type: TYPE,
    status: toSharingStatus(first?.reason),
    reason: first?.reason ?? "Available",
    message: first === undefined ? undefined : remarks.map(({ message }) => message).join("; "),
    target: "CompositeAndClaim",
  };
}

function toSharingStatus(reason: string | undefined): Condition["status"] {
  if (reason === undefined) return "True";
  return reason === "WaitingForRequiredResources" ? "Unknown" : "False";
}

/**
 * Makes the event for a change in this step. The XR's condition may cover other steps too, so it is searched for this step's
 * messages.
 */
function findEvents(
  { status, reason, message, target }: Condition,
  own: readonly SharingRemark[],
  names: readonly string[],
  shown: ShownCondition | undefined,
): readonly Result[] {
  if (status === "Unknown" || isShown(own, names, shown)) return [];
  const isWaiting = own.every((remark) => remark.reason === "WaitingForCopies");
  return [{ severity: isWaiting ? "Normal" : "Warning", message: message ?? `${TYPE} is ${status}`, reason, target }];
}

/** Tells whether the XR's condition shows these remarks already. A message that was cut may have contained them. */
function isShown(own: readonly SharingRemark[], names: readonly string[], shown: ShownCondition | undefined): boolean {
  if (shown === undefined || shown.status === "Unknown") return false;
  const said = `; ${shown.message}`;
  if (own.length > 0)
    return shown.status === "False" && own.every(({ message }) => said.includes(`; ${message}`) || said.endsWith("…"));
  return shown.status === "True" || names.every((name) => !said.includes(`; ${name}: `));
}

type Sentences = {
  readonly [Is in SharingReason["is"]]: (
    reason: Extract<SharingReason, { readonly is: Is }>,
    shared: SharedResource,
  ) => string;
};

const SENTENCES: Sentences = {
  WaitingForRequiredResources: ({ wanted }) => `waiting for Crossplane to look up ${wanted}`,
  FieldNotSet: ({ field }) => `${field} is not set`,
  InvalidSelector: ({ fault }) => fault,
  PatchFailed: ({ fault }) => fault,
  InvalidTarget: ({ fault }) => fault,
  ResourcesHeldBack: ({ fields }) =>
    `composed resources are not created before their field is available: ${listFields(fields)}`,
  FieldsKept: ({ fields }) => `composed resources keep the present value of their field: ${listFields(fields)}`,
  NamespaceNotSelected: ({ wanted }, { kind }) =>
    `${kind} ${wanted} is namespaced: the Composition has to set select.namespace`,
  NotFound: ({ wanted }, { kind }) => `found no ${kind} ${wanted}`,
  TooFewMatches: ({ wanted, found, minMatch }, { kind }) =>
    `found ${found} ${kind} ${wanted}, fewer than minMatch: ${minMatch}`,
  Ambiguous: ({ wanted, found, maxMatch, named }, { kind }) =>
    `found ${found} ${kind} ${wanted}, more than maxMatch: ${maxMatch}${named.length === 0 ? "" : `: ${listSome(named, MAX_NAMES, brief)}`}`,
  BeingDeleted: ({ shared }, { kind }) =>
    `${kind} ${shared} is being deleted, so its connection Secret is not copied again`,
  NoConnectionSecret: ({ shared, field }, { kind }) => `${kind} ${shared} names no connection Secret in ${field}`,
  NoCredential: ({ shared, namespace }, { kind }) =>
    `${kind} ${shared} has no credential for namespace ${namespace} yet`,
  SourceNotAllowed: ({ shared }, { kind }) =>
    `${kind} ${shared} names a Secret in another namespace, but may share Secrets of its own namespace only`,
  SourceNotFound: ({ secret }) => `Secret ${formatSecret(secret)} does not exist`,
  KeyNotFound: ({ secret, key }) => `Secret ${formatSecret(secret)} has no key ${key}`,
  KeyIsNotText: ({ secret, key }) =>
    `key ${key} of Secret ${formatSecret(secret)} is not text, so a template cannot contain it`,
  AccessNotGranted: ({ shared, namespaces, isRevoked = false, remedy }, { kind }) =>
    `${kind} ${shared} ${isRevoked ? "no longer grants" : "does not grant"} access to ${namespaces.length === 0 ? "every namespace" : `namespace ${listNamespaces(namespaces)}`}: ` +
    `its owner has to ${remedy}`,
  TooManyTargets: () => `only the first ${MAX_TARGETS} copies are made, the most for one shared resource`,
  TooLarge: ({ excess }) =>
    `${excess === 1 ? "1 copy is" : `${excess} copies are`} left out: the response would exceed Crossplane's limit`,
  NamespaceNotReadable: ({ namespaces }) =>
    `Crossplane could not read namespace ${listNamespaces(namespaces)}, so nothing is written there: grant it ` +
    '{apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"]}, as deploy/function/crossplane-reads.yaml does',
  NamespaceNotAccepting: ({ namespaces, consumer }) =>
    `namespace ${listNamespaces(namespaces)} does not accept copies from ${consumer}: its owner has to add ` +
    `${consumer} to the Namespace's annotation ${ACCEPT_COPIES_FROM}`,
  TargetTaken: ({ target, holder }) =>
    holder === undefined
      ? `Secret ${formatSecret(target)} exists and is not a copy of ours, so it is left unchanged: choose another secretName, or delete it`
      : `Secret ${formatSecret(target)} is a copy made by ${brief(holder)}: choose another secretName`,
  CopyFailed: ({ target, says }) => `Secret ${formatSecret(target)} cannot be written: ${brief(says)}`,
  WaitingForCopies: ({ targets }) => `waiting for Secret ${listSome(targets, MAX_NAMES, formatSecret)} to be written`,
};

const listFields = (fields: readonly PatchedField[]): string =>
  listSome(fields, MAX_NAMES, ({ resource, path }) => `${brief(resource)} (${brief(formatFieldPath(path))})`);

/** Explains a reason to the team whose claim or XR shows it. */
export function explainReason(reason: SharingReason, shared: SharedResource): string {
  const toSentence: (reason: never, shared: SharedResource) => string = SENTENCES[reason.is];
  return toSentence(reason as never, shared);
}
