import { describe, expect, test } from "vitest";
import { renderComposite } from "../../../cli/render/composite.ts";
import type { Condition, Resource } from "../../../cli/render/protocol.ts";
import type { JsonObject } from "../../../src/model/json.ts";

const xr: JsonObject = {
  apiVersion: "example.org/v1",
  kind: "XApp",
  metadata: { name: "app", uid: "u1" },
  spec: { a: 1 },
};
const lastTransitionTime = "2024-01-01T00:00:00Z";
const available = { lastTransitionTime, type: "Ready", status: "True", reason: "Available" };
const creating = { lastTransitionTime, type: "Ready", status: "False", reason: "Creating" };

const readConditions = (desired: Resource, unready: readonly string[], conditions: readonly Condition[] = []) =>
  (renderComposite(xr, desired, unready, conditions)["status"] as JsonObject)["conditions"];

test("the XR is who it is, with the status that the pipeline desires", () => {
  const desired = { resource: { kind: "Other", status: { b: 2 } } };
  expect(renderComposite(xr, desired, [], [])).toEqual({
    apiVersion: "example.org/v1",
    kind: "XApp",
    metadata: { name: "app" },
    status: { b: 2, conditions: [available] },
  });
});

describe("the condition Ready", () => {
  const message = (names: string): JsonObject => ({ ...creating, message: `Unready resources: ${names}` });
  test.each<{ reason: string; ready?: Resource["ready"]; unready: readonly string[]; condition: JsonObject }>([
    { reason: "True where nothing is unready", unready: [], condition: available },
    { reason: "True where the pipeline says so", ready: "READY_TRUE", unready: ["a"], condition: available },
    { reason: "False where it says not", ready: "READY_FALSE", unready: [], condition: creating },
    { reason: "False where something is unready", unready: ["b", "a"], condition: message("a, b") },
    {
      reason: "False with the names of three unready resources",
      unready: ["a", "b", "c"],
      condition: message("a, b, and c"),
    },
    {
      reason: "False with three names and the number of the others",
      unready: ["d", "c", "b", "a", "e"],
      condition: message("a, b, c, and 2 more"),
    },
  ])("the condition Ready is $reason", ({ ready, unready, condition }) => {
    expect(readConditions(ready ? { ready } : {}, unready)).toEqual([condition]);
  });
});

describe("conditions of functions", () => {
  const condition = (parts: Partial<Condition>): Condition => ({
    type: "A",
    status: "STATUS_CONDITION_TRUE",
    reason: "R",
    ...parts,
  });
  const shown = { lastTransitionTime, type: "A", status: "True", reason: "R" };

  test.each<{ reason: string; conditions: readonly Condition[]; after: readonly JsonObject[] }>([
    { reason: "follow Ready", conditions: [condition({})], after: [shown] },
    { reason: "keep their message", conditions: [condition({ message: "m" })], after: [{ ...shown, message: "m" }] },
    { reason: "have no empty message", conditions: [condition({ message: "" })], after: [shown] },
    {
      reason: "can be False",
      conditions: [condition({ status: "STATUS_CONDITION_FALSE" })],
      after: [{ ...shown, status: "False" }],
    },
    {
      reason: "are Unknown where they do not say",
      conditions: [condition({ status: "STATUS_CONDITION_UNSPECIFIED" })],
      after: [{ ...shown, status: "Unknown" }],
    },
    { reason: "cannot be Crossplane's own", conditions: [condition({ type: "Synced" })], after: [] },
    {
      reason: "replace one of their type where it stands",
      conditions: [condition({}), condition({ type: "B" }), condition({ reason: "Later" })],
      after: [
        { ...shown, reason: "Later" },
        { ...shown, type: "B" },
      ],
    },
  ])("the conditions of a pipeline $reason", ({ conditions, after }) => {
    expect(readConditions({}, [], conditions)).toEqual([available, ...after]);
  });

  test("replace one that the pipeline desires", () => {
    const desired = { resource: { status: { conditions: [{ type: "A", status: "False" }] } } };
    expect(readConditions(desired, [], [condition({})])).toEqual([shown, available]);
  });
});
