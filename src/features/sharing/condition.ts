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
import { ACCEPT_COPIES_FROM } from "./namespaces.ts";
import { formatSecret } from "./source.ts";
import type { DestinationReason, PatchedField, SearchReason, SharingReason, SourceReason } from "./verdict.ts";

const TYPE = "SharedResourcesReady";

/** The largest number of resources or namespaces that a sentence names. */
const MAX_NAMES = 10;

/**
 * The context key under which a step leaves what is not available to the later steps of this function. Crossplane takes the
 * last condition of a type, so the last step has to say what all of them have to say.
 */
const UNAVAILABLE = `${DOMAIN}/unavailable`;

export interface Reasons {
  readonly shared: SharedResource;
  /** The reasons why it is not available; none where it is. */
  readonly reasons: readonly SharingReason[];
}

/** A reason and message about one share. */
interface Remark {
  readonly reason: string;
  readonly message: string;
}

/**
 * Adds one condition for the shared resources of this step and of earlier ones: its reason is the first fault, or the first wait
 * where there is no fault; its message names all. Events are about the shared resources of this step.
 */
export function withSharingCondition(draft: Draft, shares: readonly Reasons[], call: Call): Draft {
  const names = new Set(shares.map(({ shared }) => shared.name));
  const before = call.request.context.at([UNAVAILABLE]);
  // Crossplane returns our own context to us when it calls the step again.
  const earlier = Object.entries(isObject(before) ? before : {}).filter(([name]) => !names.has(name));
  const own = shares.flatMap(({ shared, reasons }) =>
    reasons.map((reason): Remark => ({ reason: reason.is, message: `${shared.name}: ${explain(reason, shared)}` })),
  );
  const remarks = faultsFirst([...earlier.flatMap(([, entry]) => toRemarks(entry)), ...own]);
  const condition = toCondition(remarks);
  const conditioned = withCondition(draft, condition);
  const shown = shownCondition(call.composite.document, TYPE);
  const results = withResults(conditioned, findEvents(toCondition(faultsFirst(own)), own, [...names], shown));
  // What is still to be looked up is known before the next step begins.
  const lasting = own.filter(({ reason }) => reason !== "WaitingForRequiredResources");
  if (before === undefined && lasting.length === 0) return results;
  const unavailable = shares.flatMap(({ shared }) => {
    const ofShare = lasting.filter(({ message }) => message.startsWith(`${shared.name}: `));
    return ofShare.length === 0 ? [] : [[shared.name, ofShare.map(toJson)] as const];
  });
  return withContext(results, [[UNAVAILABLE, Object.fromEntries([...earlier, ...unavailable])]]);
}

/** Sorts what a person has to mend before what passes by itself: a wait must not hide a fault. */
const faultsFirst = (remarks: readonly Remark[]): readonly Remark[] => [
  ...remarks.filter(({ reason }) => !isWait(reason)),
  ...remarks.filter(({ reason }) => isWait(reason)),
];

const isWait = (reason: string): boolean => reason === "WaitingForRequiredResources" || reason === "WaitingForCopies";

/** Cut, as it is shown: a team may put a megabyte where a name is meant, and each step repeats it. */
const toJson = ({ reason, message }: Remark): JsonObject => ({ reason, message: cutMessage(message) });

const toRemarks = (entry: unknown): readonly Remark[] =>
  (Array.isArray(entry) ? entry : [])
    .filter(isObject)
    .map(({ reason, message }) => ({ reason: toPlainText(reason), message: toPlainText(message) }));

function toCondition(remarks: readonly Remark[]): Condition {
  const [first] = remarks;
  return {
    type: TYPE,
    status: toStatus(first?.reason),
    reason: first?.reason ?? "Available",
    message: first === undefined ? undefined : remarks.map(({ message }) => message).join("; "),
    target: "CompositeAndClaim",
  };
}

function toStatus(reason: string | undefined): Condition["status"] {
  if (reason === undefined) return "True";
  return reason === "WaitingForRequiredResources" ? "Unknown" : "False";
}

/**
 * The event for what has changed in this step. The condition that the XR shows may speak of other steps too, so it is
 * searched for what this step says.
 */
function findEvents(
  { status, reason, message, target }: Condition,
  own: readonly Remark[],
  names: readonly string[],
  shown: ShownCondition | undefined,
): readonly Result[] {
  if (status === "Unknown" || isShown(own, names, shown)) return [];
  const isWaiting = own.every((remark) => remark.reason === "WaitingForCopies");
  return [{ severity: isWaiting ? "Normal" : "Warning", message: message ?? `${TYPE} is ${status}`, reason, target }];
}

/** A message that was cut short may have had the rest. */
function isShown(own: readonly Remark[], names: readonly string[], shown: ShownCondition | undefined): boolean {
  if (shown === undefined || shown.status === "Unknown") return false;
  const said = `; ${shown.message}`;
  if (own.length > 0)
    return shown.status === "False" && own.every(({ message }) => said.includes(`; ${message}`) || said.endsWith("…"));
  return shown.status === "True" || names.every((name) => !said.includes(`; ${name}: `));
}

/** The sentence for a reason. */
export function explain(reason: SharingReason, shared: SharedResource): string {
  switch (reason.is) {
    case "NoConnectionSecret":
    case "SourceNotAllowed":
    case "NoCredential":
    case "SourceNotFound":
    case "KeyNotFound":
    case "KeyIsNotText":
    case "AccessNotGranted":
      return explainSource(reason, shared);
    case "InvalidTarget":
    case "TooManyTargets":
    case "TooLarge":
    case "NamespaceNotAccepting":
    case "NamespaceNotReadable":
    case "TargetTaken":
    case "CopyFailed":
    case "WaitingForCopies":
      return explainDestination(reason);
    default:
      return explainSearch(reason, shared);
  }
}

function explainSearch(reason: SearchReason, { kind }: SharedResource): string {
  switch (reason.is) {
    case "WaitingForRequiredResources":
      return `waiting for Crossplane to look up ${reason.wanted}`;
    case "FieldNotSet":
      return `${reason.field} is not set`;
    case "InvalidSelector":
    case "PatchFailed":
      return reason.fault;
    case "ResourcesHeldBack":
      return `not created before its field is available: ${listSome(reason.fields, MAX_NAMES, formatField)}`;
    case "FieldsKept":
      return `what exists keeps its field until then: ${listSome(reason.fields, MAX_NAMES, formatField)}`;
    case "NamespaceNotSelected":
      return `${kind} ${reason.wanted} lies in a namespace, and the Composition does not say in which: it has to set select.namespace`;
    case "NotFound":
      return `there is no ${kind} ${reason.wanted}`;
    case "TooFewMatches":
      return `${reason.found} ${kind} match ${reason.wanted}, and ${reason.minMatch} are wanted`;
    case "Ambiguous":
      return `${reason.found} ${kind} match ${reason.wanted}, and at most ${reason.maxMatch} may${listNamed(reason.named)}`;
    case "BeingDeleted":
      return `${kind} ${reason.shared} is being deleted, so no new copy is made of its connection Secret`;
  }
}

const listNamed = (named: readonly string[]): string =>
  named.length === 0 ? "" : `: ${listSome(named, MAX_NAMES, brief)}`;

const formatField = ({ resource, path }: PatchedField): string =>
  `${brief(resource)} (${brief(formatFieldPath(path))})`;

function explainSource(reason: SourceReason, { kind }: SharedResource): string {
  switch (reason.is) {
    case "NoConnectionSecret":
      return `${kind} ${reason.shared} names no connection Secret in ${reason.field}`;
    case "NoCredential":
      return `${kind} ${reason.shared} has no credential for namespace ${reason.namespace} yet`;
    case "SourceNotAllowed":
      return `${kind} ${reason.shared} names a Secret in another namespace, but may share those of its own namespace only`;
    case "SourceNotFound":
      return `there is no Secret ${formatSecret(reason.secret)}`;
    case "KeyNotFound":
      return `Secret ${formatSecret(reason.secret)} has no key ${reason.key}`;
    case "KeyIsNotText":
      return `key ${reason.key} of Secret ${formatSecret(reason.secret)} is not text, so no template can hold it`;
    case "AccessNotGranted": {
      const namespaces =
        reason.namespaces.length === 0
          ? "every namespace"
          : `namespace ${listSome(reason.namespaces, MAX_NAMES, String)}`;
      return `${kind} ${reason.shared} does not grant access to ${namespaces}: whoever owns it has to ${reason.remedy}`;
    }
  }
}

function explainDestination(reason: DestinationReason): string {
  switch (reason.is) {
    case "InvalidTarget":
      return reason.fault;
    case "TooManyTargets":
      return `only the first ${MAX_TARGETS} copies are made: a shared resource is copied ${MAX_TARGETS} times at most`;
    case "TooLarge":
      return `${reason.excess === 1 ? "1 copy is" : `${reason.excess} copies are`} left out: with all of them the answer would be more than Crossplane takes`;
    case "NamespaceNotReadable":
      return (
        `Crossplane could not read namespace ${listSome(reason.namespaces, MAX_NAMES, String)}, so nothing is written there: grant it ` +
        '{apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"]}, as deploy/function/crossplane-reads.yaml does'
      );
    case "NamespaceNotAccepting":
      return (
        `namespace ${listSome(reason.namespaces, MAX_NAMES, String)} takes no copies from ${reason.consumer}: whoever owns it has to add ` +
        `${reason.consumer} to its Namespace's annotation ${ACCEPT_COPIES_FROM}`
      );
    case "TargetTaken":
      return `Secret ${formatSecret(reason.target)} ${explainHolder(reason.holder)}`;
    case "CopyFailed":
      return `Secret ${formatSecret(reason.target)} cannot be written: ${brief(reason.says)}`;
    case "WaitingForCopies":
      return `waiting for Secret ${listSome(reason.targets, MAX_NAMES, formatSecret)} to be written`;
  }
}

const explainHolder = (holder: string | undefined): string =>
  holder === undefined
    ? "exists and is no copy of ours, so it is left alone: choose another secretName, or remove it"
    : `is a copy that ${brief(holder)} made, and is left to it: choose another secretName`;
