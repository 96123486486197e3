import { describe, expect, test } from "vitest";
import type { Condition, Resource } from "../../../cli/render/protocol.ts";
import { toStruct } from "../../../cli/render/protocol.ts";
import { toDocuments } from "../../../cli/render/render.ts";
import type { JsonObject } from "../../../src/model/json.ts";

const xr = (metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "example.org/v1",
  kind: "XApp",
  metadata: { name: "app", uid: "u1", ...metadata },
  spec: { a: 1 },
});

const lastTransitionTime = "2024-01-01T00:00:00Z";
const available = { lastTransitionTime, type: "Ready", status: "True", reason: "Available" };
const creating = { lastTransitionTime, type: "Ready", status: "False", reason: "Creating" };

interface Desired extends Pick<Resource, "ready"> {
  readonly resource?: JsonObject;
}

/** The XR's document, of a pipeline that desires it so, with these resources not ready. */
function compositeOf(
  { resource, ready = "READY_UNSPECIFIED" }: Desired,
  unready: readonly string[] = [],
  conditions: readonly Condition[] = [],
) {
  const resources = Object.fromEntries(unready.map((name) => [name, {}]));
  const composite: Resource = { ready, ...(resource && { resource: toStruct(resource) }) };
  const outcome = { desired: { composite, resources }, conditions, results: [], context: null };
  return toDocuments(outcome, { xr: xr(), observed: [] }, {})[0];
}

function readConditions(desired: Desired, unready: readonly string[] = [], conditions: readonly Condition[] = []) {
  const status = compositeOf(desired, unready, conditions)?.["status"] as JsonObject | undefined;
  return status?.["conditions"];
}

test("the XR is who it is, with the status that the pipeline desires", () => {
  const desired = { resource: { kind: "Other", status: { b: 2 } } };
  expect(compositeOf(desired)).toEqual({
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

const controller = {
  apiVersion: "example.org/v1",
  blockOwnerDeletion: true,
  controller: true,
  kind: "XApp",
  name: "app",
  uid: "u1",
};

/** The metadata of a composed resource `a`, of an XR and an observed resource as given. */
function metadataOf(desired: JsonObject, xrMetadata: JsonObject = {}, observed?: JsonObject) {
  const annotations = { "crossplane.io/composition-resource-name": "a" };
  const resources = { a: { resource: toStruct({ kind: "ConfigMap", metadata: desired }) } };
  return toDocuments(
    { desired: { resources }, conditions: [], results: [], context: null },
    { xr: xr(xrMetadata), observed: observed === undefined ? [] : [{ metadata: { ...observed, annotations } }] },
    {},
  )[1]?.["metadata"];
}

const added = {
  annotations: { "crossplane.io/composition-resource-name": "a" },
  labels: { "crossplane.io/composite": "app" },
  ownerReferences: [controller],
};

const origin = {
  "crossplane.io/composite": "root",
  "crossplane.io/claim-name": "claim",
  "crossplane.io/claim-namespace": "team-a",
};
const stranger = { uid: "u2", kind: "Other" };

test.each<{ reason: string; desired: JsonObject; xr?: JsonObject; observed?: JsonObject; metadata: JsonObject }>([
  { reason: "a new one gets a prefix for its name", desired: {}, metadata: { generateName: "app-" } },
  { reason: "one with a name keeps it", desired: { name: "b" }, metadata: { name: "b" } },
  { reason: "so does one with a prefix", desired: { generateName: "b-" }, metadata: { generateName: "b-" } },
  {
    reason: "one that exists keeps its identity",
    desired: { name: "b", namespace: "c" },
    observed: { name: "d", generateName: "app-" },
    metadata: { name: "d", generateName: "app-" },
  },
  {
    reason: "a namespaced XR composes into its own namespace",
    desired: { name: "b", namespace: "elsewhere" },
    xr: { namespace: "team-a" },
    metadata: { name: "b", namespace: "team-a" },
  },
  {
    reason: "a nested XR hands down its root and its claim",
    desired: {},
    xr: { labels: origin },
    metadata: { generateName: "root-", labels: origin },
  },
  {
    reason: "labels that are no strings are no labels",
    desired: { labels: { a: 1, b: "c" } },
    metadata: { generateName: "app-" },
  },
  {
    reason: "other owners stay",
    desired: { ownerReferences: [stranger] },
    metadata: { generateName: "app-", ownerReferences: [stranger, controller] },
  },
  {
    reason: "an owner reference of the XR becomes its controller reference",
    desired: { ownerReferences: [{ uid: "u1", kind: "XApp" }] },
    metadata: { generateName: "app-" },
  },
])("the metadata of a composed resource: $reason", ({ desired, xr: xrMetadata, observed, metadata }) => {
  expect(metadataOf(desired, xrMetadata, observed)).toEqual({ ...added, ...metadata });
});
