import { groupKindOf } from "../../crossplane/api-group.ts";
import type { Composite } from "../../crossplane/composite.ts";
import { type Result, type ShownCondition, shownCondition, withMessageCut } from "../../model/condition.ts";
import { type Draft, withCondition, withContext, withResults } from "../../model/draft.ts";
import { isList, isObject, type JsonValue, objectOf, toPlainText } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import { faults, toTold } from "../conditions.ts";
import type { Call } from "../feature.ts";
import type { Outcome } from "./judgement.ts";
import { explainReason, REASONS } from "./reasons.ts";

const TYPE = "SharedResourcesReady";

/** The most reasons of a share that later steps get. A condition's message shows fewer. */
const MAX_REASONS = 10;

/** Context key: the reasons of earlier steps. Crossplane keeps only the last step's condition, which has to cover all steps. */
const UNAVAILABLE = `${DOMAIN}/unavailable`;

interface Remark {
  readonly is: string;
  readonly message: string;
}

/**
 * Adds one condition for the shared resources of this step and of earlier steps. Its reason is the first fault, else the
 * first wait. Its message has all faults and waits. Events are about this step only.
 */
export function withSharingCondition(draft: Draft, shares: readonly Outcome[], call: Call): Draft {
  const before = call.request.context.at([UNAVAILABLE]);
  const said = shares.map(({ shared, reasons }) => {
    const sentences = new Map(reasons.map((reason) => [explainReason(reason, shared), reason.is])); // two patches may lack one field
    const remarks = [...sentences].map(([sentence, is]): Remark => ({ is, message: `${shared.name}: ${sentence}` }));
    return { shared, remarks, told: tellRemarks(remarks) };
  });
  const names = new Set(shares.map(({ shared }) => shared.name));
  // In a repeated call the context already has the reasons of this step.
  const earlier = Object.entries(objectOf(before)).filter(([name]) => !names.has(name));
  const own = said.flatMap(({ remarks }) => remarks);
  const { condition } = tellRemarks([...earlier.flatMap(([, entry]) => readRemarks(entry)), ...own]);
  const outcomes = said.map(({ shared, told }) => ({ kind: groupKindOf(shared), reason: told.condition.reason }));
  const conditioned = { ...withCondition(draft, condition), shares: outcomes };
  const results = withResults(conditioned, findEvents(own, [...names], call.composite));
  const unavailable = said.flatMap(({ shared, remarks }) => {
    // Crossplane looks up what this step waits for before it runs the next step, so no later step reports that wait.
    // Messages are cut: a team may write a name of a megabyte.
    const lasting = remarks.filter(({ is }) => is !== "WaitingForRequiredResources").slice(0, MAX_REASONS);
    const entries = lasting.map(({ is: reason, message }) => withMessageCut({ reason, message }));
    return entries.length === 0 ? [] : [[shared.name, entries] as const];
  });
  if (before === undefined && unavailable.length === 0) return results;
  return withContext(results, [[UNAVAILABLE, Object.fromEntries([...earlier, ...unavailable])]]);
}

const readRemarks = (entry: JsonValue): readonly Remark[] =>
  (isList(entry) ? entry : [])
    .filter(isObject)
    .map(({ reason, message }) => ({ is: toPlainText(reason), message: toPlainText(message) }));

/** The reasons that pass by themselves, in the order of the message. docs/conditions.md lists them, too. */
const WAITS: readonly (keyof typeof REASONS)[] = [
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

/** Makes the condition, and sorts the remarks: faults come before waits, so that no wait hides a fault. */
function tellRemarks(remarks: readonly Remark[]) {
  // Unknown reasons, such as those of another version of this function, are faults.
  const others = remarks.filter(({ is }) => is === "Available" || !Object.hasOwn(REASONS, is));
  const foreign = faults<Record<string, never>>(Object.fromEntries(others.map(({ is }) => [is, () => ""])));
  const reasons: typeof foreign = others.length === 0 ? REASONS : { ...REASONS, ...foreign };
  const kind = { type: TYPE, target: "CompositeAndClaim", reasons, otherwise: "Available", last: WAITS } as const;
  return toTold(kind, remarks, (sorted) => sorted.map(({ message }) => message));
}

/** Makes the event for a change in this step, if the XR's condition does not show the messages of this step yet. */
function findEvents(own: readonly Remark[], names: readonly string[], composite: Composite): readonly Result[] {
  const { condition, severity } = tellRemarks(own);
  const { status, reason, message = `${TYPE} is ${status}`, target } = condition;
  const shown = shownCondition(composite.document, TYPE);
  return status === "Unknown" || isShown(own, names, shown) ? [] : [{ severity, message, reason, target }];
}

/** Tells whether the XR's condition already shows these remarks. A cut message counts as showing all of them. */
function isShown(own: readonly Remark[], names: readonly string[], shown: ShownCondition | undefined): boolean {
  if (shown === undefined || shown.status === "Unknown") return false;
  const said = `; ${shown.message}`; // so that each message follows "; "
  if (own.length > 0)
    return shown.status === "False" && own.every(({ message }) => said.includes(`; ${message}`) || said.endsWith("…"));
  return names.every((name) => !said.includes(`; ${name}: `));
}
