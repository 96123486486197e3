import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import {
  type CallParts,
  callOf,
  database,
  requirementsIn,
  runSharing,
  shared,
  xr,
} from "../../../testing/builders/sharing.ts";

const KEY = "shared-infrastructure.fn.crossplane.io/shared-resources";
const ENVIRONMENT = "apiextensions.crossplane.io/environment";
const draftOf = (parts: CallParts): Draft => runSharing(callOf(parts));
const says = ({ conditions }: Draft) => `${conditions[0]?.reason}: ${conditions[0]?.message}`;

const { connection: _, ...alone } = shared({ grant: "None", into: "db" });
const resource = (name: string, spec: JsonObject = {}): JsonObject => database({ metadata: { name }, spec });
const byLabels = (more: JsonObject = {}) => ({
  ...alone,
  select: { matchLabels: { db: "orders" }, ...more },
});

/** The names of what was found, as later steps see them. */
const namesIn = ({ context }: Draft) => {
  const found = context.get(KEY) as { db: readonly { toObject(): { metadata: { name: string } } }[] } | undefined;
  return found?.db.map((item) => item.toObject().metadata.name);
};

describe("several resources by labels", () => {
  const three = [resource("c", { size: 3 }), resource("a", { size: 20 }), resource("b", { size: "20" })];
  test.each<{ reason: string; select: JsonObject; items: readonly JsonObject[]; names?: string[]; condition: string }>([
    {
      reason: "as many as the input allows, by name",
      select: { maxMatch: 3 },
      items: three,
      names: ["a", "b", "c"],
      condition: "Available: undefined",
    },
    {
      reason: "one more than the input allows is ambiguous",
      select: { maxMatch: 2 },
      items: three,
      condition: "Ambiguous: db: found 3 XPostgres with labels db=orders, more than maxMatch: 2: a, b, c",
    },
    {
      reason: "unless the input says which come first: texts before numbers, numbers by size",
      select: { maxMatch: 2, sortByFieldPath: "spec.size" },
      items: three,
      names: ["b", "c"],
      condition: "Available: undefined",
    },
    {
      reason: "what lacks the field comes last, so that a decoy needs the field at least",
      select: { maxMatch: 4, sortByFieldPath: "spec.size" },
      items: [...three, resource("0")],
      names: ["b", "c", "a", "0"],
      condition: "Available: undefined",
    },
    {
      reason: "too few of them",
      select: { minMatch: 2, maxMatch: 3 },
      items: [resource("a")],
      condition: "TooFewMatches: db: found 1 XPostgres with labels db=orders, fewer than minMatch: 2",
    },
    {
      reason: "none is enough, which is an empty list for later steps",
      select: { minMatch: 0 },
      items: [],
      names: [],
      condition: "Available: undefined",
    },
    {
      reason: "none at all",
      select: {},
      items: [],
      condition: "NotFound: db: found no XPostgres with labels db=orders",
    },
  ])("$reason", ({ select, items, names, condition }) => {
    const draft = draftOf({ sharedResources: [byLabels(select)], answers: { db: items } });
    expect([namesIn(draft), says(draft)]).toEqual([names, condition]);
  });
});

describe("an Optional shared resource", () => {
  test.each<{ reason: string; parts: CallParts; condition: string; ready: string | undefined }>([
    { reason: "may be missing", parts: { answers: { db: [] } }, condition: "Available: undefined", ready: undefined },
    {
      reason: "may have no name yet",
      parts: { xr: xr({ spec: {} }) },
      condition: "Available: undefined",
      ready: undefined,
    },
    {
      reason: "is waited for until it was looked up",
      parts: {},
      condition: "WaitingForRequiredResources: db: waiting for Crossplane to look up XPostgres",
      ready: "False",
    },
    {
      reason: "needs a grant all the same",
      parts: { answers: { db: [database({ annotations: {} })] } },
      condition:
        "AccessNotGranted: db: XPostgres orders does not grant access to namespace team-a: its owner " +
        "has to add team-a to its annotation shared-infrastructure.fn.crossplane.io/allowed-namespaces",
      ready: "False",
    },
  ])("$reason", ({ parts, condition, ready }) => {
    const draft = draftOf({ ...parts, sharedResources: [shared({ resolution: "Optional" })] });
    expect([says(draft), draft.compositeReady]).toEqual([condition, ready]);
  });
});

describe("what a share may not be without", () => {
  const vital = { ...alone, resolution: "Fail" };
  const other = { ...alone, name: "other" };
  const fatal = ({ results }: Draft) =>
    results.flatMap(({ severity, message }) => (severity === "Fatal" ? [message] : []));

  test.each<{ reason: string; parts: CallParts; message?: string }>([
    {
      reason: "stops the XR",
      parts: { sharedResources: [vital], answers: { db: [] } },
      message: "cannot go on without the shared resources:\n  db: found no XPostgres orders",
    },
    {
      reason: "as does a field that says which one it is",
      parts: { xr: xr({ spec: {} }), sharedResources: [vital] },
      message: "cannot go on without the shared resources:\n  db: spec.parameters.database of the XR is not set",
    },
    {
      reason: "but not before all are looked up",
      parts: { sharedResources: [vital, other], answers: { db: [] } },
    },
    { reason: "nor where another one is missing", parts: { sharedResources: [other], answers: { other: [] } } },
    { reason: "nor where it is there", parts: { sharedResources: [vital], answers: { db: [database()] } } },
  ])("$reason", ({ parts, message }) => {
    expect(fatal(draftOf(parts))).toEqual(message === undefined ? [] : [message]);
  });
});

test("optional labels none of which is set ask for nothing, and later steps find an empty list", () => {
  const optional = (key: string) => ({ fromCompositeFieldPath: `spec.${key}`, optional: true });
  const matchLabels = { a: optional("a"), b: optional("b") };
  const draft = draftOf({ sharedResources: [{ ...alone, select: { matchLabels } }] });
  expect([says(draft), draft.requirements.size, draft.compositeReady]).toEqual(["Available: undefined", 0, undefined]);
  expect(draft.context.get("shared-infrastructure.fn.crossplane.io/shared-resources")).toEqual({ db: [] });
});

test("an XR that is shared itself asks for its targets only, and needs no grant", () => {
  const copies = [{ secretName: "pushed", namespaces: ["team-b", "team-c"] }];
  const own = { name: "own", select: { self: {} }, connection: { copies } };
  const self = xr({ spec: { writeConnectionSecretToRef: { namespace: "system", name: "own-conn" } } });
  const draft = draftOf({ xr: self, sharedResources: [own] });
  const { resources, context } = draft;
  expect([...resources.keys()]).toEqual(["shared/own/team-b/pushed", "shared/own/team-c/pushed"]);
  expect([...requirementsIn(draft).keys()]).toEqual([...resources.keys()].map((copy) => `${copy}/target`));
  expect([...context.keys()]).toEqual(["shared-infrastructure.fn.crossplane.io/unavailable"]);
});

describe("the environment", () => {
  const config = (data: JsonObject): JsonObject => ({ kind: "EnvironmentConfig", metadata: { name: "e" }, data });
  const environment = { ...alone, toEnvironment: { fromFieldPath: "data" } };
  test.each<{ reason: string; parts: CallParts; merged: JsonObject | undefined }>([
    {
      reason: "begins with what is shared",
      parts: { sharedResources: [environment], answers: { db: [config({ a: { b: 1 } })] } },
      merged: { apiVersion: "internal.crossplane.io/v1alpha1", kind: "Environment", a: { b: 1 } },
    },
    {
      reason: "shared over what earlier steps left, and that over the defaults; lists as a whole",
      parts: {
        sharedResources: [environment],
        answers: { db: [config({ a: { b: 1 }, list: [3] })] },
        context: { [ENVIRONMENT]: { kind: "Mine", a: { b: 0, c: 2 }, list: [1, 2] } },
        spec: { environment: { defaultData: { a: { c: 0, d: 3 }, e: 4 } } },
      },
      merged: { kind: "Mine", a: { b: 1, c: 2, d: 3 }, list: [3], e: 4 },
    },
    {
      reason: "shared over what earlier steps left, before the defaults: a list in between hides none of them",
      parts: {
        sharedResources: [environment],
        answers: { db: [config({ a: {} })] },
        context: { [ENVIRONMENT]: { kind: "Mine", a: [1] } },
        spec: { environment: { defaultData: { a: { b: 1 } } } },
      },
      merged: { kind: "Mine", a: { b: 1 } },
    },
    {
      reason: "at a path of its own",
      parts: {
        sharedResources: [{ ...alone, toEnvironment: { fromFieldPath: "data", toFieldPath: "db.main" } }],
        answers: { db: [config({ host: "h" })] },
      },
      merged: {
        apiVersion: "internal.crossplane.io/v1alpha1",
        kind: "Environment",
        db: { main: { host: "h" } },
      },
    },
    {
      reason: "is of no type that the owner of what is shared has chosen: no later step could read it",
      parts: {
        sharedResources: [environment],
        answers: { db: [config({ kind: "", apiVersion: "a/b/c", a: 1 })] },
      },
      merged: { apiVersion: "internal.crossplane.io/v1alpha1", kind: "Environment", a: 1 },
    },
    {
      reason: "of defaults alone",
      parts: { sharedResources: [], spec: { environment: { defaultData: { a: 1 } } } },
      merged: { apiVersion: "internal.crossplane.io/v1alpha1", kind: "Environment", a: 1 },
    },
    { reason: "is not touched where nothing is found", parts: { sharedResources: [environment] }, merged: undefined },
    {
      reason: "nor where what should be in it is missing",
      parts: { sharedResources: [environment], answers: { db: [] } },
      merged: undefined,
    },
    {
      reason: "is there for templates where nothing need be in it",
      parts: { sharedResources: [{ ...environment, resolution: "Optional" }], answers: { db: [] } },
      merged: { apiVersion: "internal.crossplane.io/v1alpha1", kind: "Environment" },
    },
  ])("$reason", ({ parts, merged }) => {
    expect(draftOf(parts).context.get(ENVIRONMENT)).toEqual(merged);
  });
});

test.each<{ reason: string; parts: CallParts; found: JsonObject | undefined }>([
  { reason: "is not there before Crossplane has answered", parts: { sharedResources: [alone] }, found: undefined },
  {
    reason: "nor where what should be in it is missing",
    parts: { sharedResources: [alone], answers: { db: [] } },
    found: undefined,
  },
  {
    reason: "is there for templates where nothing need be in it",
    parts: { sharedResources: [{ ...alone, resolution: "Optional" }], answers: { db: [] } },
    found: {},
  },
])("the context of shared resources $reason", ({ parts, found }) => {
  expect(draftOf(parts).context.get(KEY)).toEqual(found);
});

test("later steps find shared resources under the key that the input says", () => {
  const contextKey = "apiextensions.crossplane.io/extra-resources";
  const { context } = draftOf({ sharedResources: [alone], answers: { db: [database()] }, spec: { contextKey } });
  expect([...context.keys()]).toEqual([contextKey]);
});

test("later steps do not pay for a shared resource without a key, nor for managed fields", () => {
  const { into: _into, ...unnamed } = alone;
  const managed = database({ metadata: { name: "orders", managedFields: [{ manager: "crossplane" }] } });
  const contextOf = (share: JsonObject) =>
    draftOf({ sharedResources: [share], answers: { db: [managed] } }).context.get(KEY) as
      | { readonly db: readonly { toObject(): JsonObject }[] }
      | undefined;
  expect(contextOf(unnamed)).toBeUndefined();
  expect(contextOf(alone)?.db[0]?.toObject()["metadata"]).toEqual({ name: "orders", managedFields: [] });
});
