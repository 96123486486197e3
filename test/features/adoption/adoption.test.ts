import { describe, expect, test } from "vitest";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { adoption } from "../../../src/features/adoption/adoption.ts";
import { toSentences } from "../../../src/features/adoption/condition.ts";
import { documentOf } from "../../../src/model/document.ts";
import { emptyDraft } from "../../../src/model/draft.ts";
import type { FieldPath } from "../../../src/model/field-path.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { namesRecordName } from "../../../src/ownership/names.ts";
import { RECORD_KINDS, recordOf } from "../../../src/ownership/record.ts";
import {
  adopt,
  answerOf,
  bucket,
  composedCall,
  controlledBy,
  referring,
  restoredStore,
  store,
} from "../../../testing/builders/composed.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { requirementsIn } from "../../../testing/builders/sharing.ts";

const REQUIREMENT = "adoption/Bucket.cloud.example.org/a";
const shown = (reason: string, message: string): JsonObject => ({
  status: { conditions: [{ type: "ResourcesAdopted", status: "True", reason, message }] },
});

test("adoption changes nothing without its section of the input", () => {
  const call = composedCall({ spec: {}, observed: { a: bucket("a") } });
  expect(runFeature(adoption, call)).toBe(emptyDraft);
});

test("adoption requires nothing and changes nothing in steady state", () => {
  const observed = { a: bucket("a", controlledBy("uid-now")), b: bucket("b", controlledBy("uid-now")) };
  const { resources, requirements, conditions, results } = adopt({
    xr: store({ ...referring("a", "b"), ...shown("Adopted", "") }),
    observed,
    desired: { a: {}, b: {} },
  });
  expect([resources.size, requirements.size, results]).toEqual([0, 0, []]);
  expect(conditions).toEqual([
    { type: "ResourcesAdopted", status: "True", reason: "Adopted", message: undefined, target: "Composite" },
  ]);
});

describe("a restored resource that is not desired", () => {
  const parts = {
    xr: restoredStore(referring("a")),
    observed: { a: bucket("a", { labels: { "crossplane.io/composite": "store", team: "x" } }) },
  };

  test("is put back as observed, without fields that the API server fills in, and marked", () => {
    const { resources, conditions, results } = adopt(parts);
    const labels = { "crossplane.io/composite": "store", team: "x" };
    const annotations = {
      "crossplane.io/composition-resource-name": "a",
      "shared-infrastructure.fn.crossplane.io/adoption": "pending",
    };
    const kind = { apiVersion: "cloud.example.org/v1", kind: "Bucket" };
    const object = { ...kind, metadata: { name: "a", labels, annotations }, spec: { region: "eu" } };
    expect(resources.get("a")).toEqual({ is: "set", ready: "True", object });
    const message =
      "a (Bucket.cloud.example.org/a): desired again until this XR controls it, so that Crossplane can delete it properly";
    expect(conditions).toMatchObject([{ status: "False", reason: "Adopting", message }]);
    expect(results).toEqual([{ severity: "Normal", message, reason: "Adopting", target: "Composite" }]);
  });

  test("has no spec afterwards where it had none", () => {
    const { spec: _, ...withoutSpec } = bucket("a");
    const edit = adopt({ ...parts, observed: { a: withoutSpec } }).resources.get("a");
    expect(edit?.is === "set" && edit.object && Object.keys(edit.object)).toEqual(["apiVersion", "kind", "metadata"]);
  });

  test("is left out once the XR controls it, so that Crossplane deletes it", () => {
    const observed = { a: bucket("a", controlledBy("uid-now")) };
    const { resources, conditions } = adopt({ xr: store(referring("a")), observed });
    expect(resources.size).toBe(0);
    expect(conditions).toMatchObject([{ status: "True", reason: "NoLongerDesired" }]);
  });

  test("is kept without its references while it is a nested XR that does not control its own resources yet", () => {
    const inner = restoredStore({ metadata: { name: "inner", ...controlledBy("uid-now") } });
    const spec = { size: 1, crossplane: { compositionRef: { name: "c" }, resourceRefs: [{ name: "x" }] } };
    const { resources, conditions } = adopt({
      xr: store(referring("inner")),
      observed: { inner: { ...inner, spec } },
      policy: { onUnadopted: "Block" },
    });
    expect(resources.get("inner")).toMatchObject({
      object: { metadata: { name: "inner" }, spec: { size: 1, crossplane: { compositionRef: { name: "c" } } } },
    });
    expect(JSON.stringify([...resources])).not.toContain("resourceRefs");
    expect(conditions).toMatchObject([{ reason: "Adopting", message: expect.stringContaining("kept until") }]);
  });

  test("is not put back while it is being deleted", () => {
    const observed = { a: bucket("a", { deletionTimestamp: "2026-01-01T00:00:00Z" }) };
    expect(adopt({ ...parts, observed }).resources.size).toBe(0);
  });

  test("is left alone as soon as it is desired, because Crossplane adopts it then", () => {
    const { resources, conditions } = adopt({ ...parts, desired: { a: { spec: {} } } });
    expect(resources.size).toBe(0);
    expect(conditions).toMatchObject([{ reason: "Adopted" }]);
  });

  test("stops the XR under onUnadopted: Block", () => {
    const { results, resources, conditions } = adopt({ ...parts, policy: { onUnadopted: "Block" } });
    const message =
      "cannot go on without losing resources that this XR refers to and does not control:\n" +
      "  a (Bucket.cloud.example.org/a): it has no controller; desire it again until this XR controls it, or set onUnadopted: Adopt";
    expect(results).toEqual([{ severity: "Fatal", reason: "Unadopted", target: "Composite", message }]);
    expect(resources.size).toBe(0);
    expect(conditions).toMatchObject([{ status: "False", reason: "Unadopted" }]);
  });
});

describe("a resource without proof that this XR composed it", () => {
  const parts = { xr: restoredStore(referring("a")), observed: { a: bucket("a", { labels: {} }) } };

  test("stops the XR, and is not put back", () => {
    const { results, resources } = adopt(parts);
    expect(resources.size).toBe(0);
    const message = expect.stringContaining(
      "its label crossplane.io/composite is not set instead of store; if this XR did, set its label",
    );
    expect(results).toMatchObject([{ severity: "Fatal", message }]);
  });

  test("is released with a warning under onUnproven: Release", () => {
    const { results, resources, conditions } = adopt({ ...parts, policy: { onUnproven: "Release" } });
    expect(resources.size).toBe(0);
    expect(results).toMatchObject([{ severity: "Warning", reason: "Released" }]);
    expect(conditions).toMatchObject([{ status: "True" }]);
  });
});

describe("a reference to a resource that is not observed", () => {
  test("leads to a requirement by name", () => {
    const draft = adopt({ xr: store(referring("a")) });
    const { conditions, results } = draft;
    expect([...requirementsIn(draft)]).toEqual([
      [REQUIREMENT, { apiVersion: "cloud.example.org/v1", kind: "Bucket", match: { name: "a" } }],
    ]);
    expect(conditions).toMatchObject([{ status: "Unknown", reason: "WaitingForRequiredResources" }]);
    expect(results).toEqual([]);
  });

  test("is looked up in its own namespace by a namespaced XR, and not by namespace on Crossplane v1, which would fail the XR", () => {
    const kind = { apiVersion: "v1", kind: "ConfigMap" };
    const inTeam = store({
      metadata: { name: "store", namespace: "team-a", uid: "u" },
      spec: { crossplane: { resourceRefs: [{ ...kind, name: "a" }] } },
    });
    const onV1 = store({ spec: { resourceRefs: [{ ...kind, name: "a", namespace: "x" }] } });
    const asked = [inTeam, onV1].map((xr) => [...requirementsIn(adopt({ xr, capabilities: [] }))]);
    const selector = { ...kind, namespace: "team-a", match: { name: "a" } };
    expect(asked).toEqual([[["adoption/ConfigMap/team-a/a", selector]], []]);
  });

  test("is required in the order of names, also on Crossplane v1 where it has no namespace", () => {
    const requirements = requirementsIn(adopt({ xr: store(referring("b", "a", "c")), capabilities: [] }));
    expect([...requirements.keys()]).toEqual(
      ["a", "b", "c"].map((name) => `adoption/Bucket.cloud.example.org/${name}`),
    );
    expect(requirements.get(REQUIREMENT)).toEqual({
      apiVersion: "cloud.example.org/v1",
      kind: "Bucket",
      match: { name: "a" },
    });
  });

  test("is not looked for, and nothing read, where as many resources are observed as there are references", () => {
    const parts = { xr: store(referring("a")), observed: { b: {} }, desired: { b: {} } };
    const call = composedCall({ ...parts, spec: { adoption: {} } });
    const never = (): never => expect.unreachable("nothing has to be read");
    const document = { at: never, toObject: never, with: never };
    const resources = new Map([["b", { document, ready: "True", connectionDetails: new Map() } as const]]);
    const request = { ...call.request, observed: { ...call.request.observed, resources } };
    expect(runFeature(adoption, { ...call, request }).requirements.size).toBe(0);
  });

  test("leads to no requirement when it is a placeholder of Crossplane, which has no name", () => {
    expect(adopt({ xr: store(referring("")) }).requirements.size).toBe(0);
  });

  test("leads to no requirement when it is the XR's own record, which the backup may lack and the XR composes anew", () => {
    const name = namesRecordName(recordOf(toComposite(documentOf(restoredStore()))));
    const own = restoredStore({ spec: { resourceRefs: [{ ...RECORD_KINDS.EnvironmentConfig, name }] } });
    expect(adopt({ xr: own }).requirements.size).toBe(0);
    expect(adopt({ xr: own }).conditions).toMatchObject([{ reason: "Adopted" }]);
  });

  test("that is gone after a restore is composed anew under onMissing: Recreate", () => {
    const xr = restoredStore(referring("a"));
    const { conditions, results } = adopt({ xr, answers: answerOf(), policy: { onMissing: "Recreate" } });
    expect([conditions[0]?.reason, results.map(({ severity }) => severity)]).toEqual(["Adopted", ["Normal"]]);
  });
});

describe("whether an XR counts as restored", () => {
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
  const missing = { type: "ResourcesAdopted", status: "False", reason: "MissingAfterRestore" };
  test.each<[isRestored: boolean, reason: string, xr: JsonObject]>([
    [true, "it has no status, and its references come from the backup", { metadata }],
    [true, "its status is from before it was created", { metadata, ...synced("2026-01-01T00:00:00Z") }],
    [true, "its managed fields come from the backup", writtenAt("2026-01-01T00:00:00Z")],
    [true, "it still waits for missing resources", having(unsynced, missing)],
    [
      true,
      "only another manager has written to it since",
      { metadata: { ...metadata, managedFields: [{ manager: "velero", time: later }] } },
    ],
    [
      true,
      "only another of its conditions is True since",
      having({ type: "Ready", status: "True", lastTransitionTime: later }),
    ],
    [true, "Crossplane has written its status only", writtenAt("2026-01-02T00:00:00Z", { subresource: "status" })],
    [false, "Crossplane has written its references", writtenAt("2026-01-02T00:00:00Z")],
    [false, "Crossplane has synced it", { metadata, ...synced("2026-01-02T00:00:00Z") }],
    [false, "it is rendered, without the metadata of an API server", { metadata: { name: "store" }, ...synced("x") }],
  ])("is %s when %s", (isRestored, _reason, xr) => {
    const { conditions } = adopt({ xr: store({ ...referring("a"), ...xr }), answers: { [REQUIREMENT]: [] } });
    expect(conditions[0]?.reason).toBe(isRestored ? "MissingAfterRestore" : "Adopted");
  });
});

test("a Fatal result names all resources at once, and only when every lookup is answered", () => {
  const parts = { xr: restoredStore(referring("a", "x")), observed: { x: bucket("x", { labels: {} }) } };
  expect(adopt(parts).results).toEqual([]);
  const { results } = adopt({ ...parts, answers: { [REQUIREMENT]: [bucket("a", controlledBy("uid-then"))] } });
  expect(results).toHaveLength(1);
  expect(results[0]?.message.split("\n")).toEqual([
    "cannot go on without losing resources that this XR refers to and does not control:",
    expect.stringMatching(/^ {2}x \(Bucket\.cloud\.example\.org\/x\): it has no controller/),
    expect.stringMatching(/^ {2}Bucket\.cloud\.example\.org\/a: it is controlled by UID uid-then/),
  ]);
});

describe("a step after adoption that desires resources", () => {
  const parts = { xr: store(referring("a")), observed: { a: bucket("a", controlledBy("uid-now")) } };
  const messageOf = (xr: JsonObject) => adopt({ ...parts, xr }).conditions[0]?.message ?? "";

  test("is reported when a resource that was left out is still there in the next reconcile, and stays reported", () => {
    const first = messageOf(parts.xr);
    const again = adopt({ ...parts, xr: store({ ...referring("a"), ...shown("NoLongerDesired", first) }) });
    expect(again.conditions).toMatchObject([{ status: "False", reason: "StepNotLast" }]);
    expect(again.results).toMatchObject([{ severity: "Warning", reason: "StepNotLast" }]);
    const xr = store({ ...referring("a"), ...shown("StepNotLast", again.conditions[0]?.message ?? "") });
    expect(adopt({ ...parts, xr }).conditions).toMatchObject([{ reason: "StepNotLast" }]);
  });
});

test("of half a million resources that share a sentence, ten are named", () => {
  const standings = Array.from({ length: 500_000 }, (_, index) => ({
    reason: "NoLongerDesired" as const,
    resource: `r${index}`,
    sentence: "not desired any more",
  }));
  expect(toSentences(standings)).toEqual([
    "r0, r1, r2, r3, r4, r5, r6, r7, r8, r9 and 499990 more: not desired any more",
  ]);
});

test("what an XR says of itself is read once, and not for each resource that it refers to", () => {
  const count = 5_000;
  let reads = 0;
  const composite = documentOf(store());
  const call = composedCall({
    spec: { adoption: {} },
    observed: Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, bucket(`a${index}`)])),
  });
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
