import type { Document } from "./document.ts";
import { isObject, type JsonObject } from "./json.ts";

/** The objects that show a condition or an event. */
export type Target = "Composite" | "CompositeAndClaim";

/** A condition of the XR (and its claim). Crossplane makes one that is not returned Unknown, so it is on every response. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** PascalCase, from a closed set: it is also a label of our metrics. */
  readonly reason: string;
  readonly message?: string | undefined;
  readonly target: Target;
}

/** An event of the XR (and its claim), or, when Fatal, the end of this reconcile: nothing is applied or deleted. */
export interface Result {
  readonly severity: "Fatal" | "Warning" | "Normal";
  readonly message: string;
  readonly reason?: string | undefined;
  readonly target: Target;
}

/** A condition as a resource shows it; a field that is not a string reads as "". */
export interface ShownCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The entries of the resource's `status.conditions`. */
export function conditionsOf(resource: Document): readonly JsonObject[] {
  const conditions = resource.at(["status", "conditions"]);
  return Array.isArray(conditions) ? conditions.filter(isObject) : [];
}

/** The condition of that type in the resource's `status.conditions`. */
export function shownCondition(resource: Document, type: string): ShownCondition | undefined {
  const condition = conditionsOf(resource).find((candidate) => candidate["type"] === type);
  if (condition === undefined) return undefined;
  const text = (key: string): string => (typeof condition[key] === "string" ? condition[key] : "");
  return { status: text("status"), reason: text("reason"), message: text("message") };
}
