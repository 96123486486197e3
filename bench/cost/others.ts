import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { NAMES_NAME } from "../../src/records/names-record.ts";
import { xr } from "../../testing/builders/sharing.ts";
import { bucket } from "../../testing/builders/tags.ts";
import type { OurParts } from "../requests/last-call.ts";
import { list, map, type Row, rowsOf } from "./row.ts";

const nameOf = (index: number): string => `bucket-${index}`;
const label = (index: number): readonly [string, string] => [`label-${index}`, "text"];
const KIND = "Bucket.s3.aws.upbound.io";

const observed = (annotations: JsonObject): JsonObject =>
  bucket({}, { metadata: { annotations }, status: { atProvider: { id: "id" } } });
const managed = (annotations: JsonObject): JsonObject => {
  const { spec, ...rest } = observed(annotations);
  return { ...rest, spec: { ...(spec as JsonObject), providerConfigRef: { name: "default" } } };
};
/** A namespaced XR whose team has written the record of names, n entries. */
const recording = (n: number, entry: (index: number) => JsonObject, parts: Partial<OurParts> = {}): OurParts => ({
  xr: { ...xr(), metadata: { name: "shop", namespace: "team-a" }, spec: {} },
  spec: { externalNames: {} },
  ...parts,
  observed: {
    ...parts.observed,
    [NAMES_NAME]: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "shop-names", namespace: "team-a" },
      data: map(n, (index) => [`entry-${index}`, JSON.stringify({ kind: KIND, name: "name", ...entry(index) })]),
    },
  },
});
const named = (annotations: JsonObject) => (index: number) => [nameOf(index), managed(annotations)] as const;
const desired = (count: number) => map(count, (index) => [nameOf(index), bucket()]);

export const externalNameRows: readonly Row[] = rowsOf("external names", {
  "managed resources, named": (n) => ({
    xr: xr(),
    spec: { externalNames: {} },
    desired: desired(n),
    observed: map(n, named({ "crossplane.io/external-name": "name" })),
  }),
  "managed resources, unnamed": (n) => ({
    xr: xr(),
    spec: { externalNames: {} },
    desired: desired(n),
    observed: map(n, named({})),
  }),
  "names in the record": (n) => recording(n, (index) => ({ resource: nameOf(index), externalName: "name" })),
  "names in the record, as many resources, of another name": (n) =>
    recording(n, (index) => ({ resource: nameOf(index), externalName: "before" }), {
      desired: desired(n),
      observed: map(n, named({ "crossplane.io/external-name": "name" })),
    }),
  "entries of one name in the record": (n) =>
    recording(n, (index) => ({ resource: nameOf(0), kind: `Kind${index}.example.org`, externalName: "name" }), {
      desired: desired(1),
    }),
  "an external name": (n) =>
    recording(1, () => ({ resource: nameOf(0) }), {
      desired: desired(1),
      observed: map(1, named({ "crossplane.io/external-name": "a".repeat(n) })),
    }),
});

const publishing = (name: JsonValue, field: JsonValue): JsonObject => ({
  publish: { environmentConfig: { name, data: [{ value: field, toFieldPath: "found" }] } },
});
const FIELD = { fromCompositeFieldPath: "spec.found" };

const published = (index: number): JsonObject => ({
  apiVersion: "apiextensions.crossplane.io/v1beta1",
  kind: "EnvironmentConfig",
  metadata: { name: nameOf(index), labels: { team: "orders" } },
  data: { found: "text" },
});

/** All features at once, and what every one of them steps over. */
const everything: JsonObject = {
  ...publishing("orders", FIELD),
  tags: { add: [{ key: "a", value: { fromCompositeFieldPath: "spec.found.a" } }] },
  externalNames: {},
  adoption: {},
};
const steppedOver = (more: JsonObject, parts: Partial<OurParts> = {}): OurParts => ({
  xr: xr(more),
  spec: everything,
  ...parts,
});

export const publishRows: readonly Row[] = rowsOf("publish", {
  "a map of the XR": (n) => ({
    xr: xr({ spec: { found: map(n, label) } }),
    spec: publishing("orders", FIELD),
  }),
  "a name of the XR": (n) => ({
    xr: xr({ spec: { found: "a".repeat(n) } }),
    spec: publishing(FIELD, "text"),
  }),
  "EnvironmentConfigs published before, the name not set": (n) => ({
    xr: xr(),
    spec: publishing(FIELD, "text"),
    observed: map(n, (index) => [`publish/environment-config/${nameOf(index)}`, published(index)]),
  }),
});

/** Fields that every feature reads or steps over. */
export const allRows: readonly Row[] = rowsOf("all", {
  "labels and annotations of the XR": (n) =>
    steppedOver({ metadata: { name: "shop", labels: map(n, label), annotations: map(n, label) } }),
  "conditions of the XR": (n) =>
    steppedOver({ status: { conditions: list(n, (index) => ({ type: `Type${index}`, status: "True" })) } }),
  "the XR's name": (n) => steppedOver({ metadata: { name: "a".repeat(n) } }),
  "names of composed resources": (n) =>
    steppedOver({}, { desired: { ["a".repeat(n)]: bucket() }, observed: { ["a".repeat(n)]: managed({}) } }),
  "desired and observed resources": (n) =>
    steppedOver({}, { desired: desired(n), observed: map(n, named({ "crossplane.io/external-name": "name" })) }),
  "desired resources that are no managed ones": (n) =>
    steppedOver({}, { desired: map(n, (index) => [nameOf(index), { apiVersion: "v1", kind: "ConfigMap" }]) }),
  "the context": (n) => steppedOver({}, { context: map(n, label) }),
  "lists in lists": (n) => steppedOver({ spec: { found: list(n, (index) => [[index]]) } }),
});
