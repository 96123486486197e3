import { describe, expect, test } from "vitest";
import type { Condition, Resource } from "../../../cli/render/protocol.ts";
import { toStruct } from "../../../cli/render/protocol.ts";
import { toDocuments } from "../../../cli/render/render.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { objectOf } from "../../../testing/builders/kubernetes.ts";

const xr = (metadata: JsonObject = {}): JsonObject =>
  objectOf("example.org/v1", "XApp", { name: "app", uid: "u1", ...metadata }, { spec: { a: 1 } });

const lastTransitionTime = "2024-01-01T00:00:00Z";
const available = { lastTransitionTime, type: "Ready", status: "True", reason: "Available" };
const creating = { lastTransitionTime, type: "Ready", status: "False", reason: "Creating" };

/** The XR's document, of a pipeline that desires it so, with these resources not ready. */
function compositeOf(composite: Resource, unready: readonly string[] = [], conditions: readonly Condition[] = []) {
  const resources = Object.fromEntries(unready.map((name) => [name, {}]));
  const outcome = { desired: { composite, resources }, conditions, results: [], context: null };
  return toDocuments(outcome, { xr: xr(), observed: [] }, {})[0];
}

const readConditions = (...parts: Parameters<typeof compositeOf>) =>
  (compositeOf(...parts)?.["status"] as JsonObject | undefined)?.["conditions"];

test("the XR is who it is, with the status that the pipeline desires", () => {
  const { spec: _, ...own } = xr();
  const status = { b: 2, conditions: [available] };
  const composite = compositeOf({ resource: toStruct({ kind: "Other", status: { b: 2 } }) });
  expect(composite).toEqual({ ...own, metadata: { name: "app" }, status });
});

const message = (names: string): JsonObject => ({ ...creating, message: `Unready resources: ${names}` });
test.each<[reason: string, unready: readonly string[], condition: JsonObject, ready?: Resource["ready"]]>([
  ["True where nothing is unready", [], available],
  ["True where the pipeline says so", ["a"], available, "READY_TRUE"],
  ["False where it says not", [], creating, "READY_FALSE"],
  ["False where something is unready", ["b", "a"], message("a, b")],
  ["False with the names of three unready resources", ["a", "b", "c"], message("a, b, and c")],
  ["False with three names and the number of the others", ["d", "c", "b", "a", "e"], message("a, b, c, and 2 more")],
])("the condition Ready is %s", (_, unready, condition, ready) => {
  expect(readConditions(ready ? { ready } : {}, unready)).toEqual([condition]);
});

describe("conditions of functions", () => {
  const own: Condition = { type: "A", status: "STATUS_CONDITION_TRUE", reason: "R" };
  const shown = { lastTransitionTime, type: "A", status: "True", reason: "R" };

  test.each<[reason: string, conditions: readonly Condition[], after: readonly JsonObject[]]>([
    ["follow Ready", [own], [shown]],
    ["keep their message", [{ ...own, message: "m" }], [{ ...shown, message: "m" }]],
    ["have no empty message", [{ ...own, message: "" }], [shown]],
    ["can be False", [{ ...own, status: "STATUS_CONDITION_FALSE" }], [{ ...shown, status: "False" }]],
    ["may be Unknown", [{ ...own, status: "STATUS_CONDITION_UNSPECIFIED" }], [{ ...shown, status: "Unknown" }]],
    ["cannot be Crossplane's own", [{ ...own, type: "Synced" }], []],
    [
      "replace one of their type where it stands",
      [own, { ...own, type: "B" }, { ...own, reason: "Later" }],
      [
        { ...shown, reason: "Later" },
        { ...shown, type: "B" },
      ],
    ],
  ])("the conditions of a pipeline %s", (_, conditions, after) => {
    expect(readConditions({}, [], conditions)).toEqual([available, ...after]);
  });

  test("replace one that the pipeline desires", () => {
    const resource = toStruct({ status: { conditions: [{ type: "A", status: "False" }] } });
    expect(readConditions({ resource }, [], [own])).toEqual([shown, available]);
  });
});

const { spec: _, metadata, ...app } = xr();
const controller = { ...app, name: "app", uid: "u1", controller: true, blockOwnerDeletion: true };

/** The metadata of a composed resource `a`, of an XR and an observed resource as given. */
function metadataOf(desired: JsonObject, xrMetadata: JsonObject = {}, observed?: JsonObject) {
  const annotations = { "crossplane.io/composition-resource-name": "a" };
  const resources = { a: { resource: toStruct({ kind: "ConfigMap", metadata: desired }) } };
  const outcome = { desired: { resources }, conditions: [], results: [], context: null };
  const inputs = { xr: xr(xrMetadata), observed: observed ? [{ metadata: { ...observed, annotations } }] : [] };
  return toDocuments(outcome, inputs, {})[1]?.["metadata"];
}

const added = {
  annotations: { "crossplane.io/composition-resource-name": "a" },
  labels: { "crossplane.io/composite": "app" },
  ownerReferences: [controller],
};

const claimed = { "crossplane.io/claim-name": "claim", "crossplane.io/claim-namespace": "team-a" };
const origin = { "crossplane.io/composite": "root", ...claimed };
const stranger = { uid: "u2", kind: "Other" };
const named = { generateName: "app-" };
const existing = { name: "d", generateName: "app-" };

const own = { ownerReferences: [{ uid: "u1", kind: "XApp" }] };
test.each<[reason: string, desired: JsonObject, metadata: JsonObject, xr?: JsonObject, observed?: JsonObject]>([
  ["a new one gets a prefix for its name", {}, { generateName: "app-" }],
  ["one with a name keeps it", { name: "b" }, { name: "b" }],
  ["so does one with a prefix", { generateName: "b-" }, { generateName: "b-" }],
  ["one that exists keeps its identity", { name: "b", namespace: "c" }, existing, {}, existing],
  [
    "a namespaced XR composes into its own namespace",
    { name: "b", namespace: "elsewhere" },
    { name: "b", namespace: "team-a" },
    { namespace: "team-a" },
  ],
  ["a nested XR hands down its root and its claim", {}, { generateName: "root-", labels: origin }, { labels: origin }],
  ["labels that are no strings are no labels", { labels: { a: 1, b: "c" } }, { generateName: "app-" }],
  ["other owners stay", { ownerReferences: [stranger] }, { ...named, ownerReferences: [stranger, controller] }],
  ["an owner reference of the XR becomes its controller reference", own, { generateName: "app-" }],
])("the metadata of a composed resource: %s", (_, desired, metadata, xrMetadata, observed) => {
  expect(metadataOf(desired, xrMetadata, observed)).toEqual({ ...added, ...metadata });
});
