import { toComposite } from "../../src/crossplane/composite.ts";
import { readSharedResource } from "../../src/crossplane/copies.ts";
import type { Reference } from "../../src/crossplane/references.ts";
import { toRequirement, toSecretRequirement } from "../../src/crossplane/requirement-names.ts";
import { sharing } from "../../src/features/sharing/sharing.ts";
import { parseInput } from "../../src/input/parse.ts";
import { INPUT_API_VERSION, INPUT_KIND } from "../../src/input/schema.ts";
import { documentOf } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import type { Capability, Resource, State } from "../../src/model/request.ts";
import type { ResourceSelector } from "../../src/model/requirement.ts";
import { RECORD_NAME } from "../../src/ownership/record.ts";
import { type NewCall, runFeature } from "./run-feature.ts";

/** Builders of what tests start from: a team's XR that uses another team's database. */

export const ALLOWED = "shared-infrastructure.fn.crossplane.io/allowed-namespaces";

export const ACCEPT = "shared-infrastructure.fn.crossplane.io/accept-copies-from";

export const namespaceOf = (name: string, annotations: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, annotations },
});

/** An XR of team-a, bound to its claim, that names the database it uses, and has composed something. */
export const xr = (overrides: JsonObject = {}): JsonObject => ({
  apiVersion: "apps.example.org/v1",
  kind: "XShop",
  metadata: { name: "shop-x7k2p" },
  spec: {
    claimRef: { apiVersion: "apps.example.org/v1", kind: "Shop", namespace: "team-a", name: "shop" },
    parameters: { database: "orders" },
    resourceRefs: [{ apiVersion: "v1", kind: "ConfigMap", name: "composed" }],
  },
  ...overrides,
});

const POSTGRES = { apiVersion: "data.example.org/v1", kind: "XPostgres" };

/** The database, granted to team-a. */
export const database = ({ annotations = { [ALLOWED]: "team-a" }, ...overrides }: JsonObject = {}): JsonObject => ({
  ...POSTGRES,
  metadata: { name: "orders", annotations },
  spec: { writeConnectionSecretToRef: { namespace: "databases", name: "orders-conn" } },
  status: { endpoint: "orders.db.example.org" },
  ...overrides,
});

/** The names under which Crossplane answers what the XR above asks for. */
export const REQUIRED = {
  database: toRequirement("shared-resource/db", { ...POSTGRES, match: { name: "orders" } }).name,
  secret: toSecretRequirement("shared-resource/db/secret", { namespace: "databases", name: "orders-conn" }).name,
  /** The target of a copy, by the copy's name in the Composition. */
  target: (copy = "shared/db/team-a/orders-db") =>
    toSecretRequirement(`${copy}/target`, { namespace: "team-a", name: "orders-db" }).name,
  /** The same on Crossplane v1, which finds it by its label. */
  labelledTarget: toRequirement("shared/db/team-a/orders-db/target", {
    apiVersion: "v1",
    kind: "Secret",
    match: { labels: { "shared-infrastructure.fn.crossplane.io/target": "f07cf4748c39cf683541dc52581d1666984278d9" } },
  }).name,
} as const;

/** A shared resource of the input: the database by name, and one copy of its Secret. */
export const shared = (overrides: JsonObject = {}): JsonObject => ({
  name: "db",
  ...POSTGRES,
  select: { name: { fromCompositeFieldPath: "spec.parameters.database" } },
  connection: { copies: [{ secretName: "orders-db" }] },
  ...overrides,
});

export const inputOf = (spec: JsonValue): JsonObject => ({ apiVersion: INPUT_API_VERSION, kind: INPUT_KIND, spec });

export interface CallParts {
  readonly xr?: JsonObject;
  readonly sharedResources?: readonly JsonObject[];
  /**
   * Answers by shared resource name, or the rest of another requirement's name. One that is not here is pending; but a
   * target that is not here is free.
   */
  readonly answers?: Readonly<Record<string, readonly JsonObject[] | "pending">>;
  /** Namespaces that take copies from everybody; others are pending. */
  readonly spaces?: readonly string[];
  readonly observed?: Readonly<Record<string, JsonObject>>;
  readonly context?: JsonObject;
  readonly capabilities?: readonly Capability[];
  readonly responseTTL?: string;
  /** More of the input's spec. */
  readonly spec?: JsonObject;
  /** The resources that earlier steps desire. */
  readonly desired?: Readonly<Record<string, JsonObject>>;
  /** The XR's connection details. */
  readonly details?: Readonly<Record<string, string>>;
  /** Who else stands for the same cloud resource, whichever it is; undefined is pending. */
  readonly contenders?: readonly JsonObject[];
  /** Schemas by kind; one that is not here is pending. */
  readonly schemas?: Readonly<Record<string, JsonObject>>;
  readonly tags?: JsonObject;
}

export function callOf(parts: CallParts): NewCall {
  const { observed = {}, capabilities = [], sharedResources = [shared()], responseTTL = "60s" } = parts;
  const { tags, schemas = {} } = parts;
  const composite = documentOf(parts.xr ?? xr());
  const all = { ...recordOf(observed), ...observed };
  return {
    composite: toComposite(composite),
    input: parseInput(inputOf({ responseTTL, sharedResources, ...parts.spec, ...(tags && { tags }) })),
    request: {
      tag: "test",
      capabilities: new Set(capabilities),
      observed: { composite: resourceOf(composite.toObject(), parts.details), resources: resourcesOf(all) },
      desired: { composite: resourceOf({}), resources: resourcesOf(parts.desired ?? {}) },
      input: documentOf({}),
      context: documentOf(parts.context ?? {}),
      requiredSchema: (name) => {
        const schema = schemas[name.split("/").at(-1) ?? ""];
        return schema === undefined ? { is: "pending" } : { is: "resolved", schema: documentOf(schema) };
      },
      required: (name) => {
        const items = answerTo(toBaseName(name), parts);
        return items === "pending" ? { is: "pending" } : { is: "resolved", items: items.map(documentOf) };
      },
    },
  };
}

/** The record of an XR with these copies: it is bound to what they are made from. */
function recordOf(observed: Readonly<Record<string, JsonObject>>): Readonly<Record<string, JsonObject>> {
  const copies = Object.entries(observed).flatMap(([key, object]) => {
    const origin = readSharedResource(documentOf(object));
    return origin === undefined ? [] : [[key.split("/")[1] ?? "", origin] as const];
  });
  return copies.length === 0 ? {} : { [RECORD_NAME]: boundTo(Object.fromEntries(copies)) };
}

/** A record with which an XR is bound to resources, by share. */
export function boundTo(resources: Readonly<Record<string, Omit<Reference, "namespace">>>): JsonObject {
  const bindingOf = (resource: object): string => JSON.stringify([{ ...resource, access: "Granted" }]);
  return { data: Object.fromEntries(Object.entries(resources).map(([share, one]) => [share, bindingOf(one)])) };
}

/** Runs the feature, and leaves the record out of what it composes. */
export function runSharing(call: NewCall): Draft {
  const draft = runFeature(sharing, call);
  if (!draft.resources.has(RECORD_NAME)) return draft;
  return { ...draft, resources: new Map([...draft.resources].filter(([name]) => name !== RECORD_NAME)) };
}

export const sharingDraft = (parts: CallParts): Draft => runSharing(callOf(parts));

/** Runs the feature on Crossplane v2 for one copy of the database's Secret, with more fields of the input. */
export const draftOfCopy = (copy: JsonObject, parts: CallParts = {}): Draft =>
  sharingDraft({
    capabilities: ["Capabilities", "RequiredResources"],
    sharedResources: [shared({ connection: { copies: [{ secretName: "orders-db", ...copy }] } })],
    ...parts,
    answers: { db: [database()], ...parts.answers },
  });

/** A text as Secrets hold it. */
export const base64 = (text: string): string => Buffer.from(text).toString("base64");

const LOGIN = { username: base64("app"), password: base64("p@ss/1") };

/** The connection Secret of the database. */
export const connectionSecret = (data: JsonObject = LOGIN): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace: "databases", name: "orders-conn", resourceVersion: "42" },
  data,
});

/** The resources that Crossplane finds for a requirement, whose name is without its hash. */
function answerTo(name: string, parts: CallParts): readonly JsonObject[] | "pending" {
  const { answers = {}, contenders = "pending", spaces = [] } = parts;
  if (name.startsWith("tags/first/")) return answers["first"] ?? "pending";
  if (name.startsWith("tags/")) return answers[name.split("/").at(-1) ?? ""] ?? contenders;
  const [kind, space = ""] = name.split("/");
  if (kind === "namespace" && spaces.includes(space)) return [namespaceOf(space, { [ACCEPT]: "*" })];
  return answers[name.replace("shared-resource/", "")] ?? (name.endsWith("/target") ? [] : "pending");
}

/** A requirement's name without the hash of its selector. */
export const toBaseName = (name: string): string => name.replace(/#[0-9a-f]{32}$/, "");

/** A draft's requirements, by their names without hashes. */
export const requirementsIn = ({ requirements }: Draft): ReadonlyMap<string, ResourceSelector> =>
  new Map([...requirements].map(([name, selector]) => [toBaseName(name), selector]));

export const resourceOf = (object: JsonObject, details: Readonly<Record<string, string>> = {}): Resource => ({
  document: documentOf(object),
  ready: "Unspecified",
  connectionDetails: new Map(Object.entries(details).map(([key, text]) => [key, Buffer.from(text)])),
});

export const resourcesOf = (objects: Readonly<Record<string, JsonObject>>): State["resources"] =>
  new Map(Object.entries(objects).map(([name, object]) => [name, resourceOf(object)]));

/** The annotation by which what is composed for a copy names the shared resource that it was made from. */
export const RECORD = "shared-infrastructure.fn.crossplane.io/shared-resource";

/** The record of a copy of the database. */
export const recorded = (name = "orders", more: JsonObject = {}): JsonObject => ({
  [RECORD]: JSON.stringify({ ...POSTGRES, ...more, name }),
});

/** The metadata of the Object that makes a copy of the database's Secret. */
export const copyMetadata = (): JsonObject => ({
  annotations: { "shared-infrastructure.fn.crossplane.io/owner": "Shop.apps.example.org/team-a/shop", ...recorded() },
});

/** An Object of provider-kubernetes as it is observed: with all that the provider and Crossplane fill in. */
export const observedObject = (status: { ready: string; synced?: string }): JsonObject => ({
  apiVersion: "kubernetes.crossplane.io/v1alpha2",
  kind: "Object",
  metadata: { name: "shop-x7k2p-abc", uid: "1", resourceVersion: "7", managedFields: [] },
  spec: {
    deletionPolicy: "Delete",
    forProvider: {
      manifest: {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "orders-db", namespace: "team-a" },
        type: "Opaque",
        data: { password: "aHVudGVyMg==" },
      },
    },
    providerConfigRef: { name: "default" },
    references: [{ patchesFrom: { apiVersion: "v1", kind: "Secret", fieldPath: "data" }, toFieldPath: "data" }],
  },
  status: {
    atProvider: { manifest: { data: { password: "aHVudGVyMg==" } } },
    conditions: [
      { type: "Ready", status: status.ready },
      { type: "Synced", status: status.synced ?? "True" },
    ],
  },
});
