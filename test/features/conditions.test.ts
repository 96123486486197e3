import { expect, test } from "vitest";
import {
  eventsFor,
  faults,
  fine,
  type ReasonOf,
  stops,
  tell,
  toTold,
  withTold,
} from "../../src/features/conditions.ts";
import type { Condition } from "../../src/model/condition.ts";
import { emptyDraft } from "../../src/model/draft.ts";
import { callOf } from "../../testing/builders/calls.ts";
import { begin } from "../../testing/builders/run-feature.ts";
import { xr } from "../../testing/builders/sharing.ts";

const condition: Condition = { type: "T", status: "False", reason: "R", message: "m", target: "CompositeAndClaim" };
const event = { severity: "Warning", message: "m", reason: "R", target: "CompositeAndClaim" };

const shownAs = (more: object): object => ({ type: "T", status: "False", reason: "R", message: "m", ...more });
const tooLong = shownAs({ message: `${"m".repeat(1021)}…` });
const bare = { type: "T", status: "True", reason: "R" };
const nowTrue: Partial<Condition> = { status: "True", message: undefined };

test.each<[reason: string, shown: object[], events: object[], now?: Partial<Condition>]>([
  ["a condition that the XR does not carry is an event", [], [event]],
  ["a condition that the XR shows already is no event", [shownAs({})], []],
  ["a message that is longer than the XR can show is no second event", [tooLong], [], { message: "m".repeat(5000) }],
  ["a new message is an event", [shownAs({ message: "x" })], [event]],
  ["a new reason is an event", [shownAs({ reason: "X" })], [event]],
  ["a new status is an event", [shownAs({ status: "True" })], [event]],
  ["a new type is an event", [shownAs({ type: "X" })], [event]],
  ["a condition that is still Unknown is no event", [], [], { status: "Unknown" }],
  ["a condition without a message, which Crossplane leaves out, is no second event", [bare], [], nowTrue],
])("%s", (_reason, shown, events, now) => {
  const call = begin(callOf({ xr: xr({ status: { conditions: shown as never } }) }));
  expect(eventsFor({ ...condition, ...now }, "Warning", call)).toEqual(events);
});

const reasons = {
  ...faults({ First: () => "a", Second: ({ fact }: { readonly fact: string }) => fact }),
  ...stops({ Stopped: () => "stopped" }),
  ...fine({ Last: () => "last", "First/other": () => "other", Fine: () => "" }),
};

const second = { is: "Second", fact: "b" } as const;

type Remarks = readonly ReasonOf<typeof reasons>[];

test.each<[reason: string, remarks: Remarks, told: object, last?: readonly "Last"[]]>([
  ["is fine where nothing is remarked", [], { status: "True", reason: "Fine", message: undefined }],
  ["tells remarks in the order of its rows", [second, { is: "First" }], { reason: "First", message: "a; b" }],
  ["tells as found what is not told last", [second, { is: "First" }], { reason: "Second", message: "b; a" }, ["Last"]],
  ["tells last what is told last", [{ is: "Last" }, second], { reason: "Second", message: "b; last" }, ["Last"]],
  ["tells a variant under its reason", [{ is: "First/other" }], { status: "True", reason: "First", message: "other" }],
])("a condition %s", (_reason, remarks, told, last) => {
  const kind = { type: "T", target: "Composite", reasons, otherwise: "Fine", ...(last && { last }) } as const;
  const toSentences = (sorted: Remarks) => sorted.map((remark) => tell(reasons, remark));
  expect(toTold(kind, remarks, toSentences).condition).toMatchObject(told);
});

test("one remark that ends the reconcile is enough, wherever it is told", () => {
  const kind = { type: "T", target: "Composite", reasons, otherwise: "Fine" } as const;
  const remarks: Remarks = [{ is: "First" }, { is: "Stopped" }];
  const told = toTold(kind, remarks, (sorted) => sorted.map((remark) => tell(reasons, remark)));
  const { results } = withTold(emptyDraft, told, begin(callOf({ xr: xr() })));
  expect(results).toEqual([{ severity: "Fatal", message: "a; stopped", reason: "First", target: "Composite" }]);
});
