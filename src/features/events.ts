import { type Condition, type Result, shownCondition } from "../model/condition.ts";
import type { Call } from "./feature.ts";

/**
 * The event for a condition that says something new. Crossplane calls us every minute, so what the XR already shows is not
 * said again; neither is Unknown, which passes within the same reconcile.
 */
export function eventsOf(
  condition: Condition,
  severity: Exclude<Result["severity"], "Fatal">,
  { composite }: Call,
): readonly Result[] {
  const { type, status, reason, message = "", target } = condition;
  const shown = shownCondition(composite.document, type);
  const isShown = shown?.status === status && shown.reason === reason && shown.message === message;
  if (status === "Unknown" || isShown) return [];
  return [{ severity, message: message || `${type} is ${status}`, reason, target }];
}
