import { type Condition, cutMessage, type Result, shownCondition } from "../model/condition.ts";
import { type Draft, withCondition, withResults } from "../model/draft.ts";
import type { Call } from "./feature.ts";

/** The sentences of a condition, by reason. Each is made of the facts that it tells. */
type Sentences = Readonly<Record<string, (facts: never) => string>>;

/**
 * A reason of a condition, with the facts of its sentence.
 *
 * @typeParam Common the names of facts that `tell` adds, since they are the same for all reasons.
 */
export type ReasonOf<Table extends Sentences, Common extends string> = {
  readonly [Is in keyof Table]: { readonly is: Is } & Omit<Parameters<Table[Is]>[0] & object, Common>;
}[keyof Table];

/** Makes the sentence of a reason. */
export function tell<Is extends string>(
  sentences: Readonly<Record<Is, (facts: never) => string>>,
  reason: { readonly is: Is },
  common: object,
): string {
  return sentences[reason.is]({ ...reason, ...common } as never);
}

/** The remark of a condition on a resource, by the verdict on it; undefined for a verdict that needs none. */
export type Remarks<Verdict extends { readonly is: string }, Facts, Reason> = {
  readonly [Is in Verdict["is"]]: (
    verdict: Extract<Verdict, { readonly is: Is }>,
    facts: Facts,
  ) => readonly [reason: Reason, sentence: string] | undefined;
};

/** The reasons of a condition on many resources, by priority: the first is the condition's, with its status and its event's severity. */
export type Reasons = Readonly<Record<string, readonly [Condition["status"], Result["severity"]]>>;

export function sortByReason<T extends { readonly reason: string }>(
  remarks: readonly T[],
  reasons: Reasons,
): readonly T[] {
  const priorities = Object.keys(reasons);
  return remarks.toSorted((a, b) => priorities.indexOf(a.reason) - priorities.indexOf(b.reason));
}

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
