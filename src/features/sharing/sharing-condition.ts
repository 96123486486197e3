import { groupKindOf } from "../../crossplane/api-group.ts";
import type { Composite } from "../../crossplane/composite.ts";
import {
  type Condition,
  type Result,
  type ShownCondition,
  shownCondition,
  withMessageCut,
} from "../../model/condition.ts";
import { type Draft, withCondition, withContext, withResults } from "../../model/draft.ts";
import { isList, isObject, type JsonValue, toPlainText } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import type { Call } from "../feature.ts";
import type { Outcome } from "./judgement.ts";
import { explainReason } from "./reasons.ts";

const TYPE = "SharedResourcesReady";

/** The most reasons of a share that later steps get: the message of the condition has room for fewer. */
const MAX_REASONS = 10;

/** The context key with the faults of earlier steps: Crossplane takes the last condition of a type, which has to cover all steps. */
const UNAVAILABLE = `${DOMAIN}/unavailable`;

type Remark = { readonly reason: string; readonly message: string };

/**
 * Adds one condition for the shared resources of this step and of earlier ones: its reason is the first fault, or without a fault
 * the first wait; its message has all. Events are about the shared resources of this step only.
 */
export function withSharingCondition(draft: Draft, shares: readonly Outcome[], call: Call): Draft {
  const names = new Set(shares.map(({ shared }) => shared.name));
  const before = call.request.context.at([UNAVAILABLE]);
  // Crossplane returns our own context to us when it calls the step again.
  const earlier = Object.entries(isObject(before) ? before : {}).filter(([name]) => !names.has(name));
  const said = shares.map(({ shared, reasons }) => ({
    shared,
    remarks: reasons.map((reason) => ({
      reason: reason.is,
      message: `${shared.name}: ${explainReason(reason, shared)}`,
    })),
  }));
  const own = said.flatMap(({ remarks }) => remarks);
  const condition = toSharingCondition([...earlier.flatMap(([, entry]) => readRemarks(entry)), ...own]);
  const outcomes = said.map(({ shared, remarks }) => ({
    kind: groupKindOf(shared),
    reason: toSharingCondition(remarks).reason,
  }));
  const conditioned = { ...withCondition(draft, condition), shares: outcomes };
  const results = withResults(conditioned, findEvents(own, [...names], call.composite));
  const unavailable = said.flatMap(({ shared, remarks }) => {
    // Pending answers are known before the next step begins. Cut: a team may write a name of a megabyte, and each step repeats it.
    const lasting = remarks.filter(({ reason }) => reason !== "WaitingForRequiredResources").slice(0, MAX_REASONS);
    return lasting.length === 0 ? [] : [[shared.name, lasting.map(withMessageCut)] as const];
  });
  if (before === undefined && unavailable.length === 0) return results;
  return withContext(results, [[UNAVAILABLE, Object.fromEntries([...earlier, ...unavailable])]]);
}

const readRemarks = (entry: JsonValue): readonly Remark[] =>
  (isList(entry) ? entry : [])
    .filter(isObject)
    .map(({ reason, message }) => ({ reason: toPlainText(reason), message: toPlainText(message) }));

/** The reasons that pass without a person, in the order in which they are told. docs/conditions.md lists them too, for health checks. */
const WAITS: readonly string[] = [
  "WaitingForRequiredResources",
  "WaitingForAdmission",
  "SharedResourceNotReady",
  "FieldNotSet",
  "NoCredential",
  "SourceNotFound",
  "ResourcesHeldBack",
  "DependentsHeldBack",
  "DependentsRemoved",
  "WaitingForCopies",
];

/** Makes the condition. Faults, which a person has to fix, come before waits, which pass: a wait must not hide a fault. */
function toSharingCondition(remarks: readonly Remark[]): Condition {
  const sorted = [...remarks].sort((a, b) => WAITS.indexOf(a.reason) - WAITS.indexOf(b.reason));
  const common = { type: TYPE, target: "CompositeAndClaim" } as const;
  const [first] = sorted;
  if (first === undefined) return { ...common, status: "True", reason: "Available" };
  return {
    ...common,
    status: first.reason === "WaitingForRequiredResources" ? "Unknown" : "False",
    reason: first.reason,
    message: sorted.map(({ message }) => message).join("; "),
  };
}

/** Makes the event for a change in this step: searches the XR's condition, which covers other steps too, for its messages. */
function findEvents(own: readonly Remark[], names: readonly string[], composite: Composite): readonly Result[] {
  const { status, reason, message = `${TYPE} is ${status}`, target } = toSharingCondition(own);
  const shown = shownCondition(composite.document, TYPE);
  if (status === "Unknown" || isShown(own, names, shown)) return [];
  const isWaiting = own.every((remark) => remark.reason === "WaitingForCopies");
  return [{ severity: isWaiting ? "Normal" : "Warning", message, reason, target }];
}

/** Tells whether the XR's condition shows these remarks already. A message that was cut may have contained them. */
function isShown(own: readonly Remark[], names: readonly string[], shown: ShownCondition | undefined): boolean {
  if (shown === undefined || shown.status === "Unknown") return false;
  const said = `; ${shown.message}`;
  if (own.length > 0)
    return shown.status === "False" && own.every(({ message }) => said.includes(`; ${message}`) || said.endsWith("…"));
  return shown.status === "True" || names.every((name) => !said.includes(`; ${name}: `));
}
