import type { JsonObject } from "../../src/model/json.ts";
import { bucket, controlledBy, restoredStore, store } from "../../testing/builders/composed.ts";
import type { OurParts } from "../requests/last-call.ts";
import { list, map, type Row, rowsOf, textMap } from "./row.ts";

const nameOf = (index: number): string => `bucket-${index}`;
const refs = (count: number): JsonObject => ({
  spec: {
    resourceRefs: list(count, (index) => ({ apiVersion: "cloud.example.org/v1", kind: "Bucket", name: nameOf(index) })),
  },
});

/** Buckets that the XR refers to, that are observed and that nobody desires. */
const leftOut = (count: number, metadata: JsonObject, xr: JsonObject = {}, adoption: JsonObject = {}): OurParts => ({
  xr: store({ ...refs(count), ...xr }),
  spec: { adoption },
  observed: map(count, (index) => [nameOf(index), bucket(nameOf(index), metadata)]),
});

const unproven = { labels: { "crossplane.io/composite": "other" } };
const labelledRoot = { labels: { "crossplane.io/composite": "root" } };
const root = {
  apiVersion: "apps.example.org/v1",
  kind: "XRoot",
  metadata: { name: "root", uid: "uid-of-root", ...labelledRoot },
};
const { metadata } = store() as { readonly metadata: JsonObject };

export const adoptionRows: readonly Row[] = rowsOf("adoption", {
  "observed resources, desired": (n) => ({
    ...leftOut(n, {}),
    desired: map(n, (index) => [nameOf(index), { kind: "Bucket" }]),
  }),
  "observed resources, the XR's own, left out": (n) => leftOut(n, controlledBy("uid-now")),
  "observed resources that nobody controls": (n) => leftOut(n, {}),
  "observed resources that nobody composed": (n) => leftOut(n, unproven),
  "observed resources that nobody composed, released": (n) => leftOut(n, unproven, {}, { onUnproven: "Release" }),
  "observed resources of a former self": (n) => leftOut(n, controlledBy("uid-before")),
  "observed resources, as many labels of the XR": (n) =>
    leftOut(n, {}, { metadata: { ...metadata, labels: textMap(n) } }),
  "observed resources, as many owners of the XR": (n) =>
    leftOut(n, labelledRoot, {
      metadata: { ...metadata, ...labelledRoot, ownerReferences: list(n, (index) => ({ name: `owner-${index}` })) },
    }),
  "observed resources of a nested XR, as many references of its controller": (n) => ({
    ...leftOut(n, labelledRoot, {
      metadata: { ...metadata, ...labelledRoot, ...controlledBy("uid-of-root", "root", "XRoot") },
    }),
    cluster: [{ ...root, ...refs(n) }],
  }),
  "references, none of them there": (n) => ({ xr: store(refs(n)), spec: { adoption: {} } }),
  "references of a restored XR, none of them there": (n) => ({ xr: restoredStore(refs(n)), spec: { adoption: {} } }),
  "references of a restored XR, as many conditions": (n) => ({
    xr: restoredStore({ ...refs(n), status: { conditions: list(n, (index) => ({ type: `Type${index}` })) } }),
    spec: { adoption: {} },
  }),
  "references, all of them somebody else's": (n) => ({
    xr: store(refs(n)),
    spec: { adoption: {} },
    cluster: list(n, (index) => bucket(nameOf(index), controlledBy("other", "other", "XOther"))),
  }),
  "references, all of them just restored": (n) => ({
    xr: store(refs(n)),
    spec: { adoption: {} },
    cluster: list(n, (index) => bucket(nameOf(index))),
  }),
  "managers of an observed resource": (n) =>
    leftOut(1, { managedFields: list(n, (index) => ({ manager: `manager-${index}` })) }),
  "a resource that is put back": (n) => ({
    ...leftOut(1, {}),
    observed: { a: bucket("a", {}, { spec: textMap(n) }) },
  }),
  "the message of the condition": (n) => ({
    ...leftOut(1, controlledBy("uid-now")),
    xr: store({
      ...refs(1),
      status: { conditions: [{ type: "ResourcesAdopted", status: "True", reason: "LeftOut", message: "a".repeat(n) }] },
    }),
  }),
});
