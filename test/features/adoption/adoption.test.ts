import { describe, expect, test } from "vitest";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { adoption } from "../../../src/features/adoption/adoption.ts";
import { documentOf } from "../../../src/model/document.ts";
import { emptyDraft, withResource } from "../../../src/model/draft.ts";
import type { FieldPath } from "../../../src/model/field-path.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { DOMAIN } from "../../../src/model/names.ts";
import { NAMES_NAME, namesRecordName } from "../../../src/records/names-record.ts";
import { RECORD_KINDS, recordId } from "../../../src/records/record.ts";
import {
  adopt,
  bucket,
  composedCall,
  controlledBy,
  recordOf,
  referring,
  restoredStore,
  store,
  withMetadata,
} from "../../../testing/builders/composed.ts";
import { at, reasonIn, requirementsIn } from "../../../testing/builders/read-draft.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";

const REQUIREMENT = "adoption/Bucket.cloud.example.org/a";
test("adoption changes nothing without its section of the input", () => {
  const call = composedCall({ spec: {}, observed: { a: bucket("a") } });
  expect(runFeature(adoption, call)).toBe(emptyDraft);
});

const shown = { type: "ResourcesAdopted", status: "True", reason: "Adopted", message: "" };
test("adoption requires nothing and changes nothing in steady state", () => {
  const observed = { a: bucket("a", controlledBy("uid-now")), b: bucket("b", controlledBy("uid-now")) };
  const xr = store({ ...referring("a", "b"), status: { conditions: [shown] } });
  const { resources, requirements, conditions, results } = adopt({ xr, observed, desired: { a: {}, b: {} } });
  expect([resources.size, requirements.size, results]).toEqual([0, 0, []]);
  expect(conditions).toEqual([{ ...shown, message: undefined, target: "Composite" }]);
});

describe("a restored resource that is not desired", () => {
  const xr = restoredStore(referring("a"));
  const labels = { "crossplane.io/composite": "store", team: "x" };

  test("is put back as observed, without fields that the API server fills in, and marked", () => {
    const annotations = { "crossplane.io/composition-resource-name": "a", [`${DOMAIN}/adoption`]: "pending" };
    const kind = { apiVersion: "cloud.example.org/v1", kind: "Bucket" };
    const finalizers = ["finalizer.managedresource.crossplane.io"];
    const own = { generateName: "store-", namespace: "team-a", finalizers };
    const object = { ...kind, metadata: { name: "a", ...own, labels, annotations }, spec: { region: "eu" } };
    const { resources } = adopt({ xr, observed: { a: bucket("a", { labels, ...own }) } });
    expect(resources.get("a")).toEqual({ is: "set", ready: "True", object });
  });

  test("is kept while a status may be missing, once more after that, and then given up", () => {
    const managed = { spec: { providerConfigRef: { name: "default" } } };
    const condition = { type: "Synced", status: "True", lastTransitionTime: "2026-01-03T00:00:00Z" };
    const looked = { status: { conditions: [condition] } };
    const mine = controlledBy("uid-now");
    const marked = (mark: string) => bucket("a", { ...mine, annotations: { [`${DOMAIN}/adoption`]: mark } });
    const go = (mark: string, network: JsonObject, more: Readonly<Record<string, JsonObject>> = {}) => {
      const observed = { a: marked(mark), network: bucket("network", mine, { ...managed, ...network }) };
      const draft = adopt({ xr, observed, desired: { network: {}, ...more } });
      const edit = draft.resources.get("a");
      const object = edit?.is === "set" ? (edit.object as JsonObject) : {};
      return [at(object, `metadata.annotations[${DOMAIN}/adoption]`), draft.conditions[0]?.reason];
    };
    const isNew = go("looked", looked, { subnet: {} }); // its status may be what the pipeline waits for
    expect([go("pending", {}), isNew]).toEqual(Array(2).fill(["pending", "Adopting"]));
    expect(go("pending", looked)).toEqual(["looked", "Adopting"]);
    expect(go("looked", looked)).toEqual([undefined, "NoLongerDesired"]);
  });

  const spec = { providerConfigRef: { name: "default" } };
  const network = (metadata: JsonObject = {}, status: JsonObject = {}) => bucket("network", metadata, { spec, status });
  const looked = { conditions: [{ type: "Synced", status: "True" }] };
  const record = recordOf({ network: { kind: "Bucket.cloud.example.org", name: "network" } })[NAMES_NAME] ?? {};
  const known = { [NAMES_NAME]: withMetadata(record, controlledBy("uid-now")) };
  test.each<[is: string, reason: string, others: Readonly<Record<string, JsonObject>>, xr?: JsonObject]>([
    [
      "Adopting",
      "another one was restored, without the status that the pipeline may depend on",
      { network: network() },
    ],
    ["Adopting", "another one was lost, as the record tells", known],
    ["NoLongerDesired", "that one has its status", { network: network({}, looked) }],
    ["NoLongerDesired", "that one is the XR's, as a new one is", { network: network(controlledBy("uid-now")) }],
    ["NoLongerDesired", "that one is new, and does not exist yet", {}],
    [
      "NoLongerDesired",
      "it is rendered, without owners and statuses",
      { network: network() },
      store({ metadata: { name: "store" } }),
    ],
  ])("is kept or not, if the XR lives and controls it (%s): %s", (is, _reason, others, own = xr) => {
    const observed = { a: bucket("a", controlledBy("uid-now")), ...others };
    expect(reasonIn(adopt({ xr: own, observed, desired: { network: {}, ...others } }))).toBe(is);
  });

  test.each([
    ["a", emptyDraft, ["a"]],
    ["shared/db/team-a/orders-db", emptyDraft, []], // a copy whose grant was taken back
    ["push", withResource(emptyDraft, "push", { is: "removed" }), []], // a dependent whose grant was taken back
  ])("is not kept for a status if it went with a grant: %s", (name, draft, kept) => {
    const annotations = { [`${DOMAIN}/adoption`]: "pending" };
    const paused = bucket("b", controlledBy("uid-now"), { spec: { providerConfigRef: { name: "default" } } });
    const observed = { [name]: bucket("a", { ...controlledBy("uid-now"), annotations }), paused };
    const { resources } = adopt({ xr, observed, desired: { paused: {}, push: {} } }, draft);
    expect([...resources].flatMap(([key, edit]) => (edit.is === "set" ? [key] : []))).toEqual(kept);
  });

  test("has no spec afterwards where it had none", () => {
    const { spec: _, ...withoutSpec } = bucket("a");
    const edit = adopt({ xr, observed: { a: withoutSpec } }).resources.get("a");
    expect(edit?.is === "set" && edit.object && Object.keys(edit.object)).toEqual(["apiVersion", "kind", "metadata"]);
  });

  test("is kept without its references while it is a nested XR that does not control its own resources yet", () => {
    const inner = restoredStore({ metadata: { name: "inner", ...controlledBy("uid-now") } });
    const spec = { size: 1, crossplane: { compositionRef: { name: "c" }, resourceRefs: [{ name: "x" }] } };
    const observed = { inner: { ...inner, spec } };
    const { resources } = adopt({ xr: store(referring("inner")), observed, policy: { onUnadopted: "Block" } });
    const kept = { size: 1, crossplane: { compositionRef: { name: "c" } } };
    expect(resources.get("inner")).toMatchObject({ object: { metadata: { name: "inner" }, spec: kept } });
    expect(JSON.stringify([...resources])).not.toContain("resourceRefs");
  });
});

const ADOPTED = { status: { conditions: [{ type: "ResourcesAdopted", status: "True", reason: "Adopted" }] } };

test.each<[reason: string, is: string, nested: JsonObject, xr?: JsonObject]>([
  [
    "is named until it has adopted its own, since it keeps the XRs above from deleting this one",
    "Adopting",
    restoredStore(referring("x")),
  ],
  ["is not named after that", "Adopted", store(referring("x"))],
  ["is not named by an XR that has said Adopted since its restore", "Adopted", restoredStore(referring("x")), ADOPTED],
])("a desired nested XR %s", (_reason, is, nested, xr = {}) => {
  const draft = adopt({ xr: store({ ...referring("store"), ...xr }), observed: { nested }, desired: { nested: {} } });
  expect([draft.conditions[0]?.reason, draft.resources.size]).toEqual([is, 0]);
});

describe("a reference to a resource that is not observed", () => {
  test("is looked up in its own namespace by a namespaced XR, and not by namespace on Crossplane v1, which would fail the XR", () => {
    const kind = { apiVersion: "v1", kind: "ConfigMap" };
    const metadata = { name: "store", namespace: "team-a", uid: "u" };
    const inTeam = store({ metadata, spec: { crossplane: { resourceRefs: [{ ...kind, name: "a" }] } } });
    const onV1 = store({ spec: { resourceRefs: [{ ...kind, name: "a", namespace: "x" }] } });
    const asked = [inTeam, onV1].map((xr) => [...requirementsIn(adopt({ xr, capabilities: [] }))]);
    const selector = { ...kind, namespace: "team-a", match: { name: "a" } };
    expect(asked).toEqual([[["adoption/ConfigMap/team-a/a", selector]], []]);
  });

  test("is required in the order of names, also on Crossplane v1 where it has no namespace", () => {
    const requirements = requirementsIn(adopt({ xr: store(referring("b", "a", "c")), capabilities: [] }));
    const kind = { apiVersion: "cloud.example.org/v1", kind: "Bucket" };
    const selectors = ["a", "b", "c"].map((name) => ({ ...kind, match: { name } }));
    const asked = selectors.map((one) => [`adoption/Bucket.cloud.example.org/${one.match.name}`, one]);
    expect([...requirements]).toEqual(asked);
  });

  test("is not looked for, and nothing read, where as many resources are observed as there are references", () => {
    const xr = store({ ...referring("a"), ...ADOPTED });
    const parts = { xr, observed: { b: {} }, desired: { b: {} } };
    const call = composedCall({ ...parts, spec: { adoption: {} } });
    const never = (): never => expect.unreachable("nothing has to be read");
    const document = { at: never, toObject: never, with: never };
    const resources = new Map([["b", { document, ready: "True", hasConnectionDetails: false } as const]]);
    const request = { ...call.request, observed: { ...call.request.observed, resources } };
    expect(runFeature(adoption, { ...call, request }).requirements.size).toBe(0);
  });

  test("leads to no requirement when it is a placeholder of Crossplane, which has no name", () => {
    expect(adopt({ xr: store(referring("")) }).requirements.size).toBe(0);
  });

  test("leads to no requirement when it is the XR's own record, which the backup may lack and the XR composes anew", () => {
    const name = namesRecordName(recordId(toComposite(documentOf(restoredStore()))));
    const own = restoredStore({ spec: { resourceRefs: [{ ...RECORD_KINDS.EnvironmentConfig, name }] } });
    expect(adopt({ xr: own }).requirements.size).toBe(0);
    expect(adopt({ xr: own }).conditions).toMatchObject([{ reason: "Adopted" }]);
  });
});

const metadata = { name: "store", uid: "uid-now", creationTimestamp: "2026-01-02T00:00:00Z" };
const synced = (lastTransitionTime: string): JsonObject => ({
  status: { conditions: [{ type: "Synced", status: "True", reason: "ReconcileSuccess", lastTransitionTime }] },
});
const writtenAt = (time: string, more: JsonObject = {}): JsonObject => ({
  metadata: { ...metadata, managedFields: [{ manager: "apiextensions.crossplane.io/composite", time, ...more }] },
});
const later = "2026-01-03T00:00:00Z";
const having = (...conditions: readonly JsonObject[]): JsonObject => ({ metadata, status: { conditions } });
const unsynced = { type: "Synced", status: "False", lastTransitionTime: later };
const velero = { manager: "velero", time: later };
const missing = { type: "ResourcesAdopted", status: "False", reason: "MissingAfterRestore" };
test.each<[isRestored: boolean, reason: string, xr: JsonObject]>([
  [true, "it has no status, and its references come from the backup", { metadata }],
  [true, "its status is from before it was created", { metadata, ...synced("2026-01-01T00:00:00Z") }],
  [true, "its managed fields come from the backup", writtenAt("2026-01-01T00:00:00Z")],
  [true, "it still waits for missing resources", having(unsynced, missing)],
  [true, "only another manager has written to it since", { metadata: { ...metadata, managedFields: [velero] } }],
  [true, "only another of its conditions is True since", having({ ...unsynced, type: "Ready", status: "True" })],
  [true, "Crossplane has written its status only", writtenAt("2026-01-02T00:00:00Z", { subresource: "status" })],
  [false, "Crossplane has written its references", writtenAt("2026-01-02T00:00:00Z")],
  [false, "Crossplane has synced it", { metadata, ...synced("2026-01-02T00:00:00Z") }],
  [false, "it is rendered, without the metadata of an API server", { metadata: { name: "store" }, ...synced("x") }],
])("that an XR counts as restored is %s when %s", (isRestored, _reason, xr) => {
  const { conditions } = adopt({ xr: store({ ...referring("a"), ...xr }), answers: { [REQUIREMENT]: [] } });
  expect(conditions[0]?.reason).toBe(isRestored ? "MissingAfterRestore" : "Adopted");
});

test("a Fatal result names all resources at once, and only when every lookup is answered", () => {
  const parts = { xr: restoredStore(referring("a", "x")), observed: { x: bucket("x", { labels: {} }) } };
  expect(adopt(parts).results).toEqual([]);
  const { results } = adopt({ ...parts, answers: { [REQUIREMENT]: [bucket("a", controlledBy("uid-then"))] } });
  expect(results).toHaveLength(1);
  expect(results[0]?.message.split("\n")).toEqual([
    "cannot go on without losing resources that this XR refers to, or composing some of them a second time:",
    expect.stringMatching(/^ {2}x \(Bucket\.cloud\.example\.org\/x\): it has no controller/),
    expect.stringMatching(/^ {2}Bucket\.cloud\.example\.org\/a: it is controlled by UID uid-then/),
  ]);
});

test("what an XR says of itself is read once, and not for each resource that it refers to", () => {
  const count = 5_000;
  let reads = 0;
  const composite = documentOf(store());
  const names = Array.from({ length: count }, (_, index) => `a${index}`);
  const observed = Object.fromEntries(names.map((name) => [name, bucket(name)]));
  const call = composedCall({ spec: { adoption: {} }, observed });
  const counting = {
    toObject: () => composite.toObject(),
    with: composite.with,
    at: (path: FieldPath) => {
      reads += 1;
      return composite.at(path);
    },
  };
  runFeature(adoption, { ...call, composite: { ...call.composite, document: counting } });
  expect(reads).toBeLessThan(20);
});
