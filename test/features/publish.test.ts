import { describe, expect, test } from "vitest";
import { publishing } from "../../src/features/publish.ts";
import { type Draft, emptyDraft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { runFeature } from "../../testing/builders/run-feature.ts";
import { type CallParts, callOf, xr } from "../../testing/builders/sharing.ts";

const OWNER = "shared-infrastructure.fn.crossplane.io/owner";
const KEY = "publish/environment-config/orders";
const environmentConfig = {
  name: "orders",
  labels: { db: "orders" },
  data: [
    { value: { fromCompositeFieldPath: "status.endpoint" }, toFieldPath: "db.host" },
    { value: true, toFieldPath: "db.options.tls" },
  ],
};
const draftOf = (parts: CallParts, config: JsonObject = {}): Draft =>
  runFeature(
    publishing,
    callOf({
      sharedResources: [],
      ...parts,
      spec: { publish: { environmentConfig: { ...environmentConfig, ...config } } },
    }),
  );

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
  test.each<{ reason: string; parts: CallParts; config?: JsonObject; composed: JsonObject | undefined; says: string }>([
    {
      reason: "is looked up first",
      parts: { xr: shown },
      composed: undefined,
      says: "Unknown WaitingForRequiredResources",
    },
    {
      reason: "is published where nobody has the name",
      parts: { xr: shown, answers: { [KEY]: [] } },
      composed: now,
      says: "True Published",
    },
    {
      reason: "or where it is ours, from before a restore",
      parts: { xr: shown, answers: { [KEY]: [old] } },
      composed: now,
      says: "True Published",
    },
    {
      reason: "is left alone where it is somebody else's",
      parts: { xr: shown, answers: { [KEY]: [published({}, { annotations: {} })] } },
      composed: undefined,
      says: "False NameTaken",
    },
    {
      reason: "is left alone where it is this XR's record",
      parts: {
        xr: shown,
        answers: {
          [KEY]: [
            published(
              {},
              {
                annotations: {
                  [OWNER]: owner,
                  "crossplane.io/composition-resource-name": "shared-infrastructure/record",
                },
              },
            ),
          ],
        },
      },
      composed: undefined,
      says: "False NameTaken",
    },
    { reason: "follows its XR", parts: { xr: shown, observed: { [KEY]: old } }, composed: now, says: "True Published" },
    {
      reason: "keeps what it said of a field that is not set now",
      parts: { observed: { [KEY]: old } },
      composed: old,
      says: "False FieldNotSet",
    },
    {
      reason: "stays as it is while its name is not set, without what Crossplane added",
      parts: {
        xr: shown,
        observed: {
          [KEY]: {
            ...old,
            metadata: {
              ...(old["metadata"] as JsonObject),
              uid: "1",
              labels: { db: "orders", "crossplane.io/composite": "x" },
            },
          },
        },
      },
      config: { name: { fromCompositeFieldPath: "spec.nothing" } },
      composed: old,
      says: "False FieldNotSet",
    },
    {
      reason: "or while it is no name",
      parts: { xr: { ...xr(), status: { name: "Orders!" } }, observed: { [KEY]: old } },
      config: { name: { fromCompositeFieldPath: "status.name" } },
      composed: old,
      says: "False InvalidName",
    },
    {
      reason: "or while it is that of a record",
      parts: { xr: { ...xr(), status: { name: "shared-infrastructure-names-0" } }, observed: { [KEY]: old } },
      config: { name: { fromCompositeFieldPath: "status.name" } },
      composed: old,
      says: "False InvalidName",
    },
    {
      reason: "is published without a field that another's value leaves no place for, and says so",
      parts: { xr: { ...xr(), status: { endpoint: "new.example.org", db: "text" } }, answers: { [KEY]: [] } },
      config: {
        data: [
          { value: { fromCompositeFieldPath: "status.db" }, toFieldPath: "db" },
          { value: { fromCompositeFieldPath: "status.endpoint" }, toFieldPath: "db.host" },
        ],
      },
      composed: published({ db: "text" }),
      says: "False InvalidData",
    },
    {
      reason: "nor with an item of a list without those before it",
      parts: { xr: shown, answers: { [KEY]: [] } },
      config: {
        data: [
          { value: { fromCompositeFieldPath: "status.other" }, toFieldPath: "hosts[0]" },
          { value: { fromCompositeFieldPath: "status.endpoint" }, toFieldPath: "hosts[1]" },
        ],
      },
      composed: published({}),
      says: "False InvalidData",
    },
  ])("$reason", ({ parts, config, composed, says }) => {
    const { resources, conditions, compositeReady } = draftOf(parts, config);
    expect(compositeReady).toBe(says === "True Published" ? undefined : "False");
    const edit = resources.get(KEY);
    expect(edit?.is === "set" ? edit.object : undefined).toEqual(composed);
    expect(conditions.map(({ status, reason }) => `${status} ${reason}`)).toEqual([says]);
  });

  test("of a namespaced XR cannot be, and the fault says why", () => {
    expect(() => draftOf({ xr: xr({ metadata: { name: "shop", namespace: "team-a" } }) })).toThrow(
      "spec.publish.environmentConfig: needs a cluster-scoped XR: a namespaced one composes into its own namespace only",
    );
  });
});

test("without publish in the input nothing is changed", () => {
  expect(runFeature(publishing, callOf({}))).toBe(emptyDraft);
});

test("all that was published stays while the name is not set, however much it is", () => {
  const before = Array.from({ length: 80_000 }, (_, i) => [`publish/environment-config/${i}`, old] as const);
  const draft = draftOf({ observed: Object.fromEntries(before) }, { name: { fromCompositeFieldPath: "spec.none" } });
  expect(draft.resources.size).toBe(80_000);
});
