import { expect, test } from "vitest";
import { renderComposed } from "../../../cli/render/composed.ts";
import type { JsonObject } from "../../../src/model/json.ts";

const xr = (metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "example.org/v1",
  kind: "XApp",
  metadata: { name: "app", uid: "u1", ...metadata },
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
  const composed = {
    name: "a",
    desired: { kind: "ConfigMap", metadata: desired },
    observed: observed && { metadata: observed },
  };
  return renderComposed(composed, xr(xrMetadata))["metadata"];
}

const added = {
  annotations: { "crossplane.io/composition-resource-name": "a" },
  labels: { "crossplane.io/composite": "app" },
  ownerReferences: [controller],
};

test.each<{ reason: string; desired: JsonObject; xr?: JsonObject; observed?: JsonObject; metadata: JsonObject }>([
  { reason: "a new one gets a prefix for its name", desired: {}, metadata: { ...added, generateName: "app-" } },
  { reason: "one with a name keeps it", desired: { name: "b" }, metadata: { ...added, name: "b" } },
  { reason: "so does one with a prefix", desired: { generateName: "b-" }, metadata: { ...added, generateName: "b-" } },
  {
    reason: "one that exists keeps its identity",
    desired: { name: "b", namespace: "c" },
    observed: { name: "d", generateName: "app-" },
    metadata: { ...added, name: "d", generateName: "app-" },
  },
  {
    reason: "a namespaced XR composes into its own namespace",
    desired: { name: "b", namespace: "elsewhere" },
    xr: { namespace: "team-a" },
    metadata: { ...added, name: "b", namespace: "team-a" },
  },
  {
    reason: "a nested XR hands down its root and its claim",
    desired: {},
    xr: {
      labels: {
        "crossplane.io/composite": "root",
        "crossplane.io/claim-name": "claim",
        "crossplane.io/claim-namespace": "team-a",
      },
    },
    metadata: {
      ...added,
      generateName: "root-",
      labels: {
        "crossplane.io/composite": "root",
        "crossplane.io/claim-name": "claim",
        "crossplane.io/claim-namespace": "team-a",
      },
    },
  },
  {
    reason: "labels that are no strings are no labels",
    desired: { labels: { a: 1, b: "c" } },
    metadata: { ...added, generateName: "app-" },
  },
  {
    reason: "other owners stay",
    desired: { ownerReferences: [{ uid: "u2", kind: "Other" }] },
    metadata: { ...added, generateName: "app-", ownerReferences: [{ uid: "u2", kind: "Other" }, controller] },
  },
  {
    reason: "an owner reference of the XR becomes its controller reference",
    desired: { ownerReferences: [{ uid: "u1", kind: "XApp" }] },
    metadata: { ...added, generateName: "app-" },
  },
])("the metadata of a composed resource: $reason", ({ desired, xr: xrMetadata, observed, metadata }) => {
  expect(metadataOf(desired, xrMetadata, observed)).toEqual(metadata);
});

test("what somebody else controls is an error", () => {
  const ownerReferences = [{ uid: "u2", kind: "Other", name: "other", controller: true }];
  expect(() => metadataOf({ name: "b", ownerReferences })).toThrow(
    'cannot set composite resource "app" as controller ref of composed resource: b is already controlled by Other other (UID u2)',
  );
});
