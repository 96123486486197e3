import { type Condition, shownCondition } from "../model/condition.ts";
import type { Document } from "../model/document.ts";

/** The condition that shows how full a shared resource is, in quarters only, since each change reconciles all consumers. */
const TYPE = "CapacityAvailable";

const REASONS: readonly string[] = ["Available", "QuarterUsed", "HalfUsed", "ThreeQuartersUsed", "Full"];

const FULL = REASONS.length - 1;

const toCondition = (load: number): Condition => ({
  type: TYPE,
  status: load === FULL ? "False" : "True",
  reason: REASONS[load] ?? "Full",
  target: "Composite",
});

export const capacityCondition = (used: number, capacity: number): Condition =>
  toCondition(Math.min(FULL, Math.floor((FULL * used) / capacity)));

/** Repeats the condition that a shared resource shows, if any. */
export function shownCapacity(shared: Document): readonly Condition[] {
  const load = readLoad(shared);
  return load === undefined ? [] : [toCondition(load)];
}

/** Reads how many quarters of its capacity a shared resource has used, 0 to 4; undefined without the condition. */
export function readLoad(shared: Document): number | undefined {
  const load = REASONS.indexOf(shownCondition(shared, TYPE)?.reason ?? "");
  return load < 0 ? undefined : load;
}

export const isFull = (shared: Document): boolean => readLoad(shared) === FULL;
