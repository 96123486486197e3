import { type Condition, cutMessage, type Result, shownCondition } from "../model/condition.ts";
import { type Draft, withCondition, withResults } from "../model/draft.ts";
import type { Call } from "./feature.ts";

type EventSeverity = Exclude<Result["severity"], "Fatal">;

/** Adds a condition, and an event if it has changed. */
export const withConditionAndEvent = (draft: Draft, condition: Condition, severity: EventSeverity, call: Call): Draft =>
  withResults(withCondition(draft, condition), eventsFor(condition, severity, call));

/**
 * Makes the event for a condition that has changed. Crossplane calls this function every minute, so a condition that the XR already
 * shows gets no event; nor does Unknown, which passes within the same reconcile.
 */
export function eventsFor(condition: Condition, severity: EventSeverity, { composite }: Call): readonly Result[] {
  const { type, status, reason, target } = condition;
  const message = cutMessage(condition.message ?? ""); // as the XR shows it
  const shown = shownCondition(composite.document, type);
  const isShown = shown?.status === status && shown.reason === reason && shown.message === message;
  if (status === "Unknown" || isShown) return [];
  return [{ severity, message: message || `${type} is ${status}`, reason, target }];
}
