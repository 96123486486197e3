import type { SharedResource } from "../../input/shared-resource.ts";
import { type Condition, type Result, type ShownCondition, shownCondition } from "../../model/condition.ts";
import { type Draft, withCondition, withContext, withResults } from "../../model/draft.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import type { Call } from "../feature.ts";
import { explain, type SharingReason } from "./reason.ts";

const TYPE = "SharedResourcesReady";

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
 * Adds one condition for the shared resources of this step and of earlier ones: its reason is the first thing that stands in
 * the way, its message names all. Events are about the shared resources of this step.
 */
export function withSharingCondition(draft: Draft, shares: readonly Reasons[], call: Call): Draft {
  const names = new Set(shares.map(({ shared }) => shared.name));
  const before = call.request.context.at([UNAVAILABLE]);
  // Crossplane returns our own context to us when it calls the step again.
  const earlier = Object.entries(isObject(before) ? before : {}).filter(([name]) => !names.has(name));
  const own = shares.flatMap(({ shared, reasons }) =>
    reasons.map((reason): Remark => ({ reason: reason.is, message: `${shared.name}: ${explain(reason, shared)}` })),
  );
  const remarks = [...earlier.flatMap(([, entry]) => toRemarks(entry)), ...own];
  const condition = toCondition(remarks);
  const conditioned = withCondition(draft, condition);
  const shown = shownCondition(call.composite.document, TYPE);
  const results = withResults(conditioned, findEvents(toCondition(own), own, [...names], shown));
  // What is still to be looked up is known before the next step begins.
  const lasting = own.filter(({ reason }) => reason !== "WaitingForRequiredResources");
  if (before === undefined && lasting.length === 0) return results;
  const unavailable = shares.flatMap(({ shared }) => {
    const ofShare = lasting.filter(({ message }) => message.startsWith(`${shared.name}: `));
    return ofShare.length === 0 ? [] : [[shared.name, ofShare.map(toJson)] as const];
  });
  return withContext(results, [[UNAVAILABLE, Object.fromEntries([...earlier, ...unavailable])]]);
}

const toJson = ({ reason, message }: Remark): JsonObject => ({ reason, message });

const toRemarks = (entry: unknown): readonly Remark[] =>
  (Array.isArray(entry) ? entry : [])
    .filter(isObject)
    .map(({ reason, message }) => ({ reason: String(reason), message: String(message) }));

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
