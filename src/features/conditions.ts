import { isManaged } from "../crossplane/managed-resource.ts";
import { isBeingDeleted } from "../crossplane/metadata.ts";
import { isOwnName } from "../input/shared-resource.ts";
import { compareTexts } from "../model/collections.ts";
import {
  brief,
  type Condition,
  cutMessage,
  listSome,
  MAX_NAMES,
  type Result,
  shownCondition,
} from "../model/condition.ts";
import { type Draft, withCondition, withResults } from "../model/draft.ts";
import type { Call } from "./feature.ts";

/** A reason: its condition's status, its event's severity, and its sentence, made from the facts of a remark. */
interface Row<Facts> {
  readonly status: Condition["status"];
  readonly severity: Result["severity"];
  readonly sentence: (facts: Facts) => string;
}

/** The rows of a condition by reason. A variant of a reason has its own row, under `Reason/variant`. */
type Rows<All> = { readonly [Is in keyof All]: Row<All[Is]> };

const rowsOf =
  (status: Condition["status"], severity: Result["severity"]) =>
  <All>(sentences: { readonly [Is in keyof All]: (facts: All[Is]) => string }): Rows<All> =>
    Object.fromEntries(
      Object.entries(sentences).map(([is, sentence]) => [is, { status, severity, sentence }]),
    ) as Rows<All>;

// Each of these makes rows of one status and severity from the sentences of their reasons.
export const stops = rowsOf("False", "Fatal"); // the reconcile ends: nothing is applied or deleted
export const faults = rowsOf("False", "Warning"); // with a Warning event
export const waits = rowsOf("False", "Normal"); // with a Normal event
export const unknown = rowsOf("Unknown", "Normal"); // passes within the reconcile
export const notes = rowsOf("True", "Warning"); // with a Warning event: a person should know
export const fine = rowsOf("True", "Normal");

type Remark<All, Is extends keyof All> = { readonly [Key in Is]: { readonly is: Key } & All[Key] }[Is];

/** A remark: a reason with the facts for its sentence. `Common` names facts that all reasons share, and that are added later. */
export type ReasonOf<Table, Common extends string = never> = {
  readonly [Is in keyof Table]: Table[Is] extends Row<infer Facts> ? { readonly is: Is } & Omit<Facts, Common> : never;
}[keyof Table];

export const tell = <All, Is extends keyof All>(reasons: Rows<All>, remark: Remark<All, Is>): string =>
  reasons[remark.is].sentence(remark);

/** A type of condition, with its reasons by precedence. */
interface ConditionType<All> extends Pick<Condition, "type" | "target"> {
  readonly reasons: Rows<All>;
  /** The reason if there is no remark. */
  readonly otherwise: keyof All;
  /** If set, these reasons come last, in this order, and all others in the order of the remarks. */
  readonly last?: readonly (keyof All)[];
}

/** A condition, the severity of its event or result, and its remarks in the order of the message. */
export interface Told<T = unknown> {
  readonly condition: Condition;
  readonly severity: Result["severity"];
  readonly sorted: readonly T[];
}

/** Makes one condition of all remarks. The first in order gives status, reason and severity; any Fatal remark makes the severity Fatal. */
export function toTold<All, T extends { readonly is: keyof All }>(
  { type, target, reasons, otherwise, last }: ConditionType<All>,
  remarks: readonly T[],
  toSentences: (sorted: readonly T[]) => readonly string[],
): Told<T> {
  const order: readonly PropertyKey[] = last ?? Object.keys(reasons);
  const sorted = remarks.toSorted((a, b) => order.indexOf(a.is) - order.indexOf(b.is));
  const is = sorted[0]?.is ?? otherwise;
  const { status, severity } = reasons[is];
  const message = toSentences(sorted).join("; ") || undefined;
  const condition = { type, status, reason: String(is).replace(/\/.*/, ""), message, target };
  const isFatal = sorted.some((one) => reasons[one.is].severity === "Fatal");
  return { condition, severity: isFatal ? "Fatal" : severity, sorted };
}

/** Adds a condition, and a Fatal result or, if the condition has changed, an event. @param fatal the text of the Fatal result */
export function withTold(draft: Draft, told: Told, call: Call, fatal = told.condition.message ?? ""): Draft {
  const { condition, severity } = told;
  const { reason, target } = condition;
  const results =
    severity === "Fatal" ? [{ severity, message: fatal, reason, target }] : eventsFor(condition, severity, call);
  return withResults(withCondition(draft, condition), results);
}

/** Makes the event for a condition that has changed. Unknown gets none, since it passes within the same reconcile. */
export function eventsFor(
  condition: Condition,
  severity: Exclude<Result["severity"], "Fatal">,
  { composite }: Call,
): readonly Result[] {
  const { type, status, reason, target } = condition;
  const message = cutMessage(condition.message ?? ""); // as the XR shows it
  const shown = shownCondition(composite.document, type);
  const isShown = shown?.status === status && shown.reason === reason && shown.message === message;
  if (status === "Unknown" || isShown) return [];
  return [{ severity, message: message || `${type} is ${status}`, reason, target }];
}

/**
 * Says that this step comes too early: managed resources exist, and no earlier step desires any resource. Later steps compose them, and
 * this step looks at none. Returns no sentence otherwise.
 */
export function explainTooEarly({ request: { desired, observed } }: Call, draft: Draft): readonly string[] {
  if (desired.resources.size > 0) return [];
  const later = [...observed.resources].filter(
    ([name, { document }]) =>
      !isOwnName(name) && !draft.resources.has(name) && isManaged(document) && !isBeingDeleted(document),
  );
  const list = listSome(later.map(([name]) => name).sort(compareTexts), MAX_NAMES, brief);
  return list === ""
    ? []
    : [`the steps before this one desire no resource: move this step behind those that compose ${list}`];
}
