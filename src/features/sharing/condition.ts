import { toApiGroup, toGroupKind } from "../../crossplane/api-group.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { type Condition, cutMessage, type Result, type ShownCondition, shownCondition } from "../../model/condition.ts";
import {
  type Draft,
  type ShareOutcome,
  withCondition,
  withContext,
  withResults,
  withShareOutcomes,
} from "../../model/draft.ts";
import { isObject, type JsonObject, toPlainText } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import type { Call } from "../feature.ts";
import { explainReason, type SharingReason } from "./reasons.ts";

const TYPE = "SharedResourcesReady";

/** The most reasons of a share that later steps get: the message of the condition has room for fewer. */
const MAX_REASONS = 10;

/** The context key with the faults of earlier steps: Crossplane takes the last condition of a type, which has to cover all steps. */
const UNAVAILABLE = `${DOMAIN}/unavailable`;

export interface Reasons {
  readonly shared: SharedResource;
  /** The reasons why it is not available; empty if it is. */
  readonly reasons: readonly SharingReason[];
}

interface SharingRemark {
  readonly reason: string;
  readonly message: string;
}

interface SaidShare {
  readonly shared: SharedResource;
  readonly remarks: readonly SharingRemark[];
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
  const said = shares.map(toSaid);
  const own = said.flatMap(({ remarks }) => remarks);
  const remarks = faultsFirst([...earlier.flatMap(([, entry]) => toRemarks(entry)), ...own]);
  const conditioned = withShareOutcomes(withCondition(draft, toSharingCondition(remarks)), said.map(toOutcome));
  const shown = shownCondition(call.composite.document, TYPE);
  const results = withResults(conditioned, findEvents(toSharingCondition(faultsFirst(own)), own, [...names], shown));
  const unavailable = said.flatMap(toContextEntries);
  if (before === undefined && unavailable.length === 0) return results;
  return withContext(results, [[UNAVAILABLE, Object.fromEntries([...earlier, ...unavailable])]]);
}

const toSaid = ({ shared, reasons }: Reasons): SaidShare => ({
  shared,
  remarks: reasons.map((reason) => ({
    reason: reason.is,
    message: `${shared.name}: ${explainReason(reason, shared)}`,
  })),
});

const toOutcome = ({ shared, remarks }: SaidShare): ShareOutcome => ({
  kind: toGroupKind(shared.kind, toApiGroup(shared.apiVersion)),
  reason: toSharingCondition(faultsFirst(remarks)).reason,
});

/** Sorts faults, which a person has to fix, before waits, which pass: a wait must not hide a fault. */
const faultsFirst = (remarks: readonly SharingRemark[]): readonly SharingRemark[] => [
  ...remarks.filter(({ reason }) => !isWait(reason)),
  ...remarks.filter(({ reason }) => isWait(reason)),
];

/** The reasons that pass without a person. docs/conditions.md lists them too, for health checks. */
const WAITS: readonly string[] = [
  "WaitingForRequiredResources",
  "WaitingForCopies",
  "WaitingForAdmission",
  "FieldNotSet",
  "NoCredential",
  "SourceNotFound",
  "ResourcesHeldBack",
];

const isWait = (reason: string): boolean => WAITS.includes(reason);

/** Converts remarks to JSON, cut as in the condition: a team may write a name of a megabyte, and each step repeats it. */
function toContextEntries({ shared, remarks }: SaidShare): readonly (readonly [string, readonly JsonObject[]])[] {
  // Pending answers are known before the next step begins.
  const lasting = remarks.filter(({ reason }) => reason !== "WaitingForRequiredResources").slice(0, MAX_REASONS);
  const entries = lasting.map(({ reason, message }) => ({ reason, message: cutMessage(message) }));
  return entries.length === 0 ? [] : [[shared.name, entries]];
}

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

/** Makes the event for a change in this step: searches the XR's condition, which covers other steps too, for its messages. */
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
