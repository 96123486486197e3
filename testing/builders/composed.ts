import { adoption } from "../../src/features/adoption/adoption.ts";
import { parseInput } from "../../src/input/parse.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Capability } from "../../src/model/request.ts";
import { NAMES_NAME } from "../../src/records/names-record.ts";
import { callOf } from "./calls.ts";
import { type NewCall, runFeature } from "./run-feature.ts";
import { inputOf } from "./sharing.ts";

// Builders for tests of adoption and external names: an XR, and Buckets that it composed.

const UID = "uid-now";

/** An XR that refers to these Buckets, as Crossplane has written it; a restored one has no managed fields. */
export const store = (overrides: JsonObject = {}): JsonObject => ({
  apiVersion: "apps.example.org/v1",
  kind: "XStore",
  metadata: {
    name: "store",
    uid: UID,
    creationTimestamp: "2026-01-01T00:00:00Z",
    managedFields: [
      {
        manager: "apiextensions.crossplane.io/composite",
        operation: "Apply",
        time: "2026-01-01T00:00:01Z",
        fieldsV1: { "f:spec": { "f:resourceRefs": {} } },
      },
    ],
  },
  spec: { resourceRefs: [] },
  ...overrides,
});

export const restoredStore = (overrides: JsonObject = {}): JsonObject =>
  store({ metadata: { name: "store", uid: UID, creationTimestamp: "2026-01-01T00:00:00Z" }, ...overrides });

export const referring = (...names: readonly string[]): JsonObject => ({
  spec: { resourceRefs: names.map((name) => ({ apiVersion: "cloud.example.org/v1", kind: "Bucket", name })) },
});

/** The label that names the XR at the root of what it composes. */
export const labelled = (name: string, more: JsonObject = {}) => ({
  labels: { "crossplane.io/composite": name, ...more },
});

/** Answers the look-up of Bucket a. */
export const answerOf = (...resources: readonly JsonObject[]) => ({ "adoption/Bucket.cloud.example.org/a": resources });

export const controlledBy = (uid: string, name = "store", kind = "XStore"): JsonObject => ({
  ownerReferences: [{ apiVersion: "apps.example.org/v1", kind, name, uid, controller: true }],
});

/** An observed Bucket; the XR has composed it, unless its labels are overridden. */
export const bucket = (name: string, metadata: JsonObject = {}, rest: JsonObject = {}): JsonObject => ({
  apiVersion: "cloud.example.org/v1",
  kind: "Bucket",
  metadata: {
    name,
    uid: `uid-of-${name}`,
    resourceVersion: "7",
    generation: 2,
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels: { "crossplane.io/composite": "store" },
    annotations: { "crossplane.io/composition-resource-name": name },
    ...metadata,
  },
  spec: { region: "eu" },
  status: { ready: true },
  ...rest,
});

/** The metadata of a managed resource with this external name. */
export const externallyNamed = (name: string): JsonObject => ({
  metadata: { annotations: { "crossplane.io/external-name": name } },
});

/** The observed record of names, of what an XR has composed. */
export const recordOf = (names: Readonly<Record<string, JsonObject>>): Readonly<Record<string, JsonObject>> => ({
  [NAMES_NAME]: {
    apiVersion: "apiextensions.crossplane.io/v1beta1",
    kind: "EnvironmentConfig",
    metadata: { name: "names" },
    data: Object.fromEntries(
      Object.entries(names).map(([resource, entry]) => [resource, JSON.stringify({ resource, ...entry })]),
    ),
  },
});

export interface ComposedParts {
  readonly xr?: JsonObject;
  readonly observed?: Readonly<Record<string, JsonObject>>;
  readonly desired?: Readonly<Record<string, JsonObject>>;
  /** Answers by requirement name; one that is not here is pending. */
  readonly answers?: Readonly<Record<string, readonly JsonObject[]>>;
  readonly capabilities?: readonly Capability[];
  readonly spec: JsonObject;
}

/** Runs adoption with this section of the input. */
export const adopt = ({ policy = {}, ...parts }: AdoptionParts, draft?: Draft): Draft =>
  runFeature(adoption, composedCall({ ...parts, spec: { adoption: policy } }), draft);

export type AdoptionParts = Omit<ComposedParts, "spec"> & { readonly policy?: JsonObject };

export function composedCall({ xr = store(), spec, ...parts }: ComposedParts): NewCall {
  const { observed = {}, desired = {}, answers = {}, capabilities = ["RequiredResources"] } = parts;
  const call = callOf({ xr, observed, desired, answers, capabilities, sharedResources: [] });
  return { ...call, input: parseInput(inputOf(spec)) };
}

/** The object with more of its metadata; its annotations are added to those that it has. */
export function withMetadata(object: JsonObject, { annotations, ...more }: JsonObject): JsonObject {
  const metadata = object["metadata"] as Record<string, JsonObject>;
  const all = { ...metadata["annotations"], ...(annotations as JsonObject | undefined) };
  return { ...object, metadata: { ...metadata, ...more, annotations: all } };
}

export const withPolicies = (object: JsonObject, ...managementPolicies: readonly string[]): JsonObject => ({
  ...object,
  spec: { ...(object["spec"] as JsonObject), managementPolicies },
});
