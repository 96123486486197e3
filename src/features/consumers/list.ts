import type { JsonObject } from "../../model/json.ts";
import { type JudgedConsumer, toListed } from "../../ownership/consumer.ts";

/** The largest number of consumers that the status lists, and the step in which it counts more. */
const STEP = 50;

/**
 * Rounds a number down to the step where more consumers than that watch the XR: each of its changes wakes them all, so that one new
 * consumer or grant must change nothing.
 */
export const toCoarse = (count: number, watching: number): number =>
  watching <= STEP ? count : count - (count % STEP);

/** Formats a number that is not 0: `7`, or `100+` where it is rounded down. */
export const formatCoarse = (count: number, watching: number): string =>
  watching <= STEP ? String(count) : `${toCoarse(count, watching) || 1}+`;

/**
 * Makes the status. Beyond 50 it lists only what is granted, and beyond 50 of these only counts. So a team that has no
 * grant hides none that has one, however many records it writes.
 */
export function toStatus(consumers: readonly JudgedConsumer[], watching: number): JsonObject {
  const granted = consumers.filter(({ isGranted }) => isGranted);
  const listed = consumers.length <= STEP ? consumers : granted;
  return {
    count: toCoarse(consumers.length, watching),
    withoutGrant: toCoarse(consumers.length - granted.length, watching),
    ...(listed.length <= STEP && { items: listed.map(toListed) }),
  };
}
