import type { JsonObject } from "../../model/json.ts";
import { type JudgedConsumer, toListed } from "../../ownership/consumer.ts";

/** The largest number of consumers that the status lists, and the step in which it counts more: each change of it wakes them all. */
const STEP = 50;

/** Rounds a number down to the step, beyond the first one. */
const toCoarse = (count: number): number => (count <= STEP ? count : count - (count % STEP));

/** Formats a number that was rounded down: `100+`. */
export const formatCoarse = (count: number): string => `${toCoarse(count)}${count > STEP ? "+" : ""}`;

/**
 * Makes the status. Beyond 50 it lists only what is granted, and beyond 50 of these only counts. So a team that writes many records
 * into its namespace hides nobody with a grant.
 */
export function toStatus(consumers: readonly JudgedConsumer[]): JsonObject {
  const granted = consumers.filter(({ isGranted }) => isGranted);
  const listed = consumers.length <= STEP ? consumers : granted;
  return {
    count: toCoarse(consumers.length),
    withoutGrant: toCoarse(consumers.length - granted.length),
    ...(listed.length <= STEP && { items: listed.map(toListed) }),
  };
}
