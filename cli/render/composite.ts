import { isObject, type JsonObject, ownValue, withKey } from "../../src/model/json.ts";
import { metadataString, withMetadata } from "./metadata.ts";
import { objectAt } from "./objects.ts";
import type { Condition, Resource } from "./protocol.ts";

/** The time of all conditions: the real one would change every output. */
const TRANSITION = "2024-01-01T00:00:00Z";

/** Conditions that only Crossplane sets. */
const SYSTEM = new Set(["Ready", "Synced", "Healthy"]);

/**
 * Renders the XR that the pipeline desires: its kind and name, its status, and its conditions, `Ready` first.
 *
 * Source: crossplane v2.2, cmd/crank/render/render.go Render.
 */
export function renderComposite(
  xr: JsonObject,
  desired: Resource,
  unready: readonly string[],
  conditions: readonly Condition[],
): JsonObject {
  const body = {
    ...desired.resource,
    apiVersion: String(xr["apiVersion"]),
    kind: String(xr["kind"]),
  };
  const identified = withMetadata(body, {
    name: metadataString(xr, "name"),
    namespace: metadataString(xr, "namespace"),
  });
  const own = conditions.filter(({ type }) => !SYSTEM.has(type)).map(toJson);
  return [readyCondition(desired.ready, unready), ...own].reduce(withCondition, identified);
}

function readyCondition(ready: Resource["ready"], unready: readonly string[]): JsonObject {
  const base = { lastTransitionTime: TRANSITION, type: "Ready" };
  if (ready === "READY_FALSE") return { ...base, reason: "Creating", status: "False" };
  if (ready === "READY_TRUE" || unready.length === 0) return { ...base, reason: "Available", status: "True" };
  return { ...base, message: `Unready resources: ${shorten(unready)}`, reason: "Creating", status: "False" };
}

/** Lists the first three names, and the number of the others. */
function shorten(names: readonly string[]): string {
  const sorted = [...names].sort();
  const first = sorted.slice(0, 3).join(", ");
  if (sorted.length > 3) return `${first}, and ${String(sorted.length - 3)} more`;
  return sorted.length === 3 ? first.replace(/, (?=[^,]*$)/, ", and ") : first;
}

const statuses: Readonly<Record<string, string>> = {
  STATUS_CONDITION_TRUE: "True",
  STATUS_CONDITION_FALSE: "False",
};

const toJson = ({ type, status, reason, message }: Condition): JsonObject => ({
  lastTransitionTime: TRANSITION,
  ...(message && { message }),
  reason,
  status: statuses[status] ?? "Unknown",
  type,
});

/** Adds a condition, or replaces the one of the same type in its place. */
function withCondition(xr: JsonObject, condition: JsonObject): JsonObject {
  const status = objectAt(xr, "status");
  const known = ownValue(status, "conditions");
  const conditions = Array.isArray(known) ? known.filter(isObject) : [];
  const at = conditions.findIndex(({ type }) => type === condition["type"]);
  const next = at < 0 ? [...conditions, condition] : conditions.with(at, condition);
  return withKey(xr, "status", withKey(status, "conditions", next));
}
