import { expect, test } from "vitest";
import { eventsFor } from "../../src/features/transition-events.ts";
import type { Condition } from "../../src/model/condition.ts";
import { begin } from "../../testing/builders/run-feature.ts";
import { callOf, xr } from "../../testing/builders/sharing.ts";

const condition: Condition = { type: "T", status: "False", reason: "R", message: "m", target: "CompositeAndClaim" };
const event = { severity: "Warning", message: "m", reason: "R", target: "CompositeAndClaim" };

test.each<{ reason: string; shown: object[]; now?: Partial<Condition>; events: object[] }>([
  { reason: "a condition that the XR does not carry is an event", shown: [], events: [event] },
  {
    reason: "a condition that the XR shows already is no event",
    shown: [{ type: "T", status: "False", reason: "R", message: "m" }],
    events: [],
  },
  {
    reason: "a message that is longer than the XR can show is no second event",
    shown: [{ type: "T", status: "False", reason: "R", message: `${"m".repeat(1021)}…` }],
    now: { message: "m".repeat(5000) },
    events: [],
  },
  {
    reason: "a new message is an event",
    shown: [{ type: "T", status: "False", reason: "R", message: "x" }],
    events: [event],
  },
  {
    reason: "a new reason is an event",
    shown: [{ type: "T", status: "False", reason: "X", message: "m" }],
    events: [event],
  },
  {
    reason: "a new status is an event",
    shown: [{ type: "T", status: "True", reason: "R", message: "m" }],
    events: [event],
  },
  {
    reason: "a new type is an event",
    shown: [{ type: "X", status: "False", reason: "R", message: "m" }],
    events: [event],
  },
  { reason: "a condition that is still Unknown is no event", shown: [], now: { status: "Unknown" }, events: [] },
  {
    reason: "a condition without a message, which Crossplane leaves out, is no second event",
    shown: [{ type: "T", status: "True", reason: "R" }],
    now: { status: "True", message: undefined },
    events: [],
  },
])("$reason", ({ shown, now, events }) => {
  const call = begin(callOf({ xr: xr({ status: { conditions: shown as never } }) }));
  expect(eventsFor({ ...condition, ...now }, "Warning", call)).toEqual(events);
});
