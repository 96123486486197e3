import { describe, expect, test } from "vitest";
import { publishing } from "../../src/features/publish.ts";
import { type Draft, emptyDraft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { type CallParts, callOf } from "../../testing/builders/calls.ts";
import { runFeature } from "../../testing/builders/run-feature.ts";
import { fromXr } from "../../testing/builders/shared-database.ts";
import { xr } from "../../testing/builders/sharing.ts";

const OWNER = "shared-infrastructure.fn.crossplane.io/owner";
const KEY = "publish/environment-config/orders";
const environmentConfig = {
  name: "orders",
  labels: { db: "orders" },
  data: [
    { value: fromXr("status.endpoint"), toFieldPath: "db.host" },
    { value: true, toFieldPath: "db.options.tls" },
  ],
};
const draftOf = (parts: CallParts, config: JsonObject = {}): Draft => {
  const spec = { publish: { environmentConfig: { ...environmentConfig, ...config } } };
  return runFeature(publishing, callOf({ sharedResources: [], ...parts, spec }));
};

const owner = "Shop.apps.example.org/team-a/shop";
const published = (data: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "apiextensions.crossplane.io/v1beta1",
  kind: "EnvironmentConfig",
  metadata: { name: "orders", labels: { db: "orders" }, annotations: { [OWNER]: owner }, ...metadata },
  data,
});
const shown = { ...xr(), status: { endpoint: "new.example.org" } };
const now = published({ db: { host: "new.example.org", options: { tls: true } } });
const old = published({ db: { host: "old.example.org", options: { tls: true } } });

describe("an EnvironmentConfig", () => {
  const fromXrField = (path: string, toFieldPath: string) => ({ value: fromXr(path), toFieldPath });
  const free = { [KEY]: [] };
  const record = { [OWNER]: owner, "crossplane.io/composition-resource-name": "shared-infrastructure/record" };
  const labels = { db: "orders", "crossplane.io/composite": "x" };
  const filledIn = { ...old, metadata: { ...(old["metadata"] as JsonObject), uid: "1", labels } };
  const withStatus = (status: JsonObject) => ({ ...xr(), status });
  const overlapping = { data: [fromXrField("status.db", "db"), fromXrField("status.endpoint", "db.host")] };
  const gapped = { data: [fromXrField("status.other", "hosts[0]"), fromXrField("status.endpoint", "hosts[1]")] };
  const named = (path: string) => ({ name: fromXr(path) });
  const taken = (annotations: JsonObject) => ({ answers: { [KEY]: [published({}, { annotations })] } });
  const full = { observed: { [KEY]: filledIn } };
  const there = { observed: { [KEY]: old } };
  const teams = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", namespace: "team-a" } };
  const byAnnotation = { observed: { [KEY]: teams }, ...taken({}) };
  const calledBy = (name: string) => ({ xr: withStatus({ name }), ...there });
  const withText = { xr: withStatus({ endpoint: "new.example.org", db: "text" }), answers: free };
  const NAMES = "shared-infrastructure-names-0";
  type Row = [reason: string, composed: JsonObject | undefined, says: string, parts: CallParts, config?: JsonObject];
  test.each<Row>([
    ["is looked up first", undefined, "Unknown WaitingForRequiredResources", {}],
    ["is published where nobody has the name", now, "True Published", { answers: free }],
    ["or where it is ours, from before a restore", now, "True Published", { answers: { [KEY]: [old] } }],
    ["is left alone where it is somebody else's", undefined, "False NameTaken", taken({})],
    ["is left alone where it is this XR's record", undefined, "False NameTaken", taken(record)],
    ["or where a team calls another object by its name", undefined, "False NameTaken", byAnnotation],
    ["follows its XR", now, "True Published", there],
    ["keeps what it said of a field that is not set now", old, "False FieldNotSet", { xr: xr(), ...there }],
    ["stays without a name, and without what Crossplane added", old, "False FieldNotSet", full, named("spec.none")],
    ["or while it is no name", old, "False InvalidName", calledBy("Orders!"), named("status.name")],
    ["or while it is a record's", old, "False InvalidName", calledBy(NAMES), named("status.name")],
    ["is published without what has no place", published({ db: "text" }), "False InvalidData", withText, overlapping],
    ["nor with a list that has gaps", published({}), "False InvalidData", { answers: free }, gapped],
  ])("%s", (_reason, composed, says, given, config) => {
    const parts = { xr: shown, ...given };
    const { resources, conditions, compositeReady } = draftOf(parts, config);
    expect(compositeReady).toBe(says === "True Published" ? undefined : "False");
    const edit = resources.get(KEY);
    expect(edit?.is === "set" ? edit.object : undefined).toEqual(composed);
    expect(conditions.map(({ status, reason }) => `${status} ${reason}`)).toEqual([says]);
  });

  test("of a namespaced XR cannot be, and the fault says why", () => {
    expect(() => draftOf({ xr: xr({ metadata: { name: "shop", namespace: "team-a" } }) })).toThrow(
      "spec.publish.environmentConfig: needs a cluster-scoped XR, because a namespaced XR composes into its own namespace only",
    );
  });
});

test("without publish in the input nothing is changed", () => {
  expect(runFeature(publishing, callOf({}))).toBe(emptyDraft);
});

test("all that was published stays while the name is not set, however much it is", () => {
  const before = Array.from({ length: 80_000 }, (_, i) => [`publish/environment-config/${i}`, old] as const);
  const draft = draftOf({ observed: Object.fromEntries(before) }, { name: fromXr("spec.none") });
  expect(draft.resources.size).toBe(80_000);
});
