import { expect, test } from "vitest";
import { eventsFor } from "../../src/features/events.ts";
import type { Condition } from "../../src/model/condition.ts";
import { callOf, xr } from "../../testing/builders/sharing.ts";

const condition: Condition = { type: "T", status: "False", reason: "R", message: "m", target: "CompositeAndClaim" };
const event = { severity: "Warning", message: "m", reason: "R", target: "CompositeAndClaim" };

test.each<{ reason: string; shown: object[]; now?: Partial<Condition>; events: object[] }>([
  { reason: "a condition that the XR does not carry", shown: [], events: [event] },
  {
    reason: "one that says what the XR shows",
    shown: [{ type: "T", status: "False", reason: "R", message: "m" }],
    events: [],
  },
  { reason: "another message", shown: [{ type: "T", status: "False", reason: "R", message: "x" }], events: [event] },
  { reason: "another reason", shown: [{ type: "T", status: "False", reason: "X", message: "m" }], events: [event] },
  { reason: "another status", shown: [{ type: "T", status: "True", reason: "R", message: "m" }], events: [event] },
  { reason: "another type", shown: [{ type: "X", status: "False", reason: "R", message: "m" }], events: [event] },
  { reason: "what will be known in the same reconcile", shown: [], now: { status: "Unknown" }, events: [] },
  {
    reason: "no message, which Crossplane leaves out",
    shown: [{ type: "T", status: "True", reason: "R" }],
    now: { status: "True", message: undefined },
    events: [],
  },
])("$reason has $events.length events", ({ shown, now, events }) => {
  const call = callOf({ xr: xr({ status: { conditions: shown as never } }) });
  expect(eventsFor({ ...condition, ...now }, "Warning", call)).toEqual(events);
});
