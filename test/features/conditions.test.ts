import { expect, test } from "vitest";
import { eventsFor } from "../../src/features/conditions.ts";
import type { Condition } from "../../src/model/condition.ts";
import { callOf } from "../../testing/builders/calls.ts";
import { begin } from "../../testing/builders/run-feature.ts";
import { xr } from "../../testing/builders/sharing.ts";

const condition: Condition = { type: "T", status: "False", reason: "R", message: "m", target: "CompositeAndClaim" };
const event = { severity: "Warning", message: "m", reason: "R", target: "CompositeAndClaim" };

const shownAs = (more: object): object => ({ type: "T", status: "False", reason: "R", message: "m", ...more });
const tooLong = shownAs({ message: `${"m".repeat(1021)}…` });
const bare = { type: "T", status: "True", reason: "R" };
const fine: Partial<Condition> = { status: "True", message: undefined };

test.each<[reason: string, shown: object[], events: object[], now?: Partial<Condition>]>([
  ["a condition that the XR does not carry is an event", [], [event]],
  ["a condition that the XR shows already is no event", [shownAs({})], []],
  ["a message that is longer than the XR can show is no second event", [tooLong], [], { message: "m".repeat(5000) }],
  ["a new message is an event", [shownAs({ message: "x" })], [event]],
  ["a new reason is an event", [shownAs({ reason: "X" })], [event]],
  ["a new status is an event", [shownAs({ status: "True" })], [event]],
  ["a new type is an event", [shownAs({ type: "X" })], [event]],
  ["a condition that is still Unknown is no event", [], [], { status: "Unknown" }],
  ["a condition without a message, which Crossplane leaves out, is no second event", [bare], [], fine],
])("%s", (_reason, shown, events, now) => {
  const call = begin(callOf({ xr: xr({ status: { conditions: shown as never } }) }));
  expect(eventsFor({ ...condition, ...now }, "Warning", call)).toEqual(events);
});
