import { expect, test } from "vitest";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { DOMAIN } from "../../../src/model/names.ts";
import { type CallParts, sharingDraft as draftOf } from "../../../testing/builders/calls.ts";
import { withoutCopies } from "../../../testing/builders/copies.ts";
import { fatalsIn, reasonIn, requirementsIn, says } from "../../../testing/builders/read-draft.ts";
import { fromXr, refused } from "../../../testing/builders/shared-database.ts";
import { database, shared, xr } from "../../../testing/builders/sharing.ts";

const KEY = `${DOMAIN}/shared-resources`;
const ENVIRONMENT = "apiextensions.crossplane.io/environment";
const alone = withoutCopies({ grant: "None", into: "db" });
const resource = (name: string, spec: JsonObject = {}): JsonObject => database({ metadata: { name }, spec });
const byLabels = (more: JsonObject = {}) => ({ ...alone, select: { matchLabels: { db: "orders" }, ...more } });
const AVAILABLE = "Available: undefined";

/** The names of what was found, as later steps see them. */
const namesIn = ({ context }: Draft) => {
  const found = context.get(KEY) as { db: readonly { toObject(): { metadata: { name: string } } }[] } | undefined;
  return found?.db.map((item) => item.toObject().metadata.name);
};

const three = [resource("c", { size: 3 }), resource("a", { size: 20 }), resource("b", { size: "20" })];
const labelled = "XPostgres with labels db=orders";
const wanted = `found 3 ${labelled}, more than maxMatch 2: change their labels, or set select.sortByFieldPath in the Composition, which uses the first in order; matches: a, b, c`;
const tooFew = `found 1 ${labelled}, fewer than minMatch: 2`;
const sorted = { maxMatch: 4, sortByFieldPath: "spec.size" };
const placed = [
  ["a-b", "c"],
  ["a", "z"],
].map(([namespace, name]) => database({ metadata: { namespace, name } } as JsonObject));
type Row = [reason: string, select: JsonObject, items: readonly JsonObject[], condition: string, names?: string[]];
test.each<Row>([
  ["as many as the input allows, by name", { maxMatch: 3 }, three, AVAILABLE, ["a", "b", "c"]],
  ["one more than the input allows is ambiguous", { maxMatch: 2 }, three, `Ambiguous: db: ${wanted}`],
  ["the first by texts, then numbers by size", { ...sorted, maxMatch: 2 }, three, AVAILABLE, ["b", "c"]],
  ["what lacks the field last, as a decoy may", sorted, [...three, resource("0")], AVAILABLE, ["b", "c", "a", "0"]],
  ["equal ones by namespace, then by name", { ...sorted, namespace: "*" }, placed, AVAILABLE, ["z", "c"]],
  ["too few of them", { minMatch: 2, maxMatch: 3 }, [resource("a")], `TooFewMatches: db: ${tooFew}`],
  ["none is enough, which is an empty list for later steps", { minMatch: 0 }, [], AVAILABLE, []],
  ["none at all", {}, [], `NotFound: db: found no ${labelled}`],
])("several resources by labels: %s", (_reason, select, items, condition, names) => {
  const draft = draftOf({ sharedResources: [byLabels(select)], answers: { db: items } });
  expect([namesIn(draft), says(draft)]).toEqual([names, condition]);
});

const optional = { resolution: "Optional" };
const app = (spec: JsonObject) => ({ app: { apiVersion: "example.org/v1", kind: "App", spec } });
test.each([
  ["a field keeps what the list gave it", byLabels({ minMatch: 0 }), app({ host: "db.local" }), "FieldsKept"],
  ["a resource is held back, for what is missing", { ...byLabels(), ...optional }, {}, "NotFound"],
])("an empty list is there for later steps while %s", (_what, share, observed, reason) => {
  const patches = [{ fromFieldPath: "status.endpoint", toResource: { name: "app", fieldPath: "spec.host" } }];
  const draft = draftOf({ sharedResources: [{ ...share, patches }], answers: { db: [] }, observed, desired: app({}) });
  expect([namesIn(draft), reasonIn(draft)]).toEqual([[], reason]);
});

test("a label that is not set takes no list from another share under the same key", () => {
  const unset = { ...alone, ...optional, name: "b", select: { matchLabels: { db: fromXr("spec.none") } } };
  expect(namesIn(draftOf({ sharedResources: [alone, unset], answers: { db: [database()] } }))).toEqual(["orders"]);
});

const LOOKING_UP = "WaitingForRequiredResources: db: waiting for Crossplane to look up XPostgres";
test.each<[reason: string, parts: CallParts, says: string, ready?: "False"]>([
  ["may be missing", { answers: { db: [] } }, AVAILABLE],
  ["may have no name yet", { xr: xr({ spec: {} }) }, AVAILABLE],
  ["is waited for until it was looked up", {}, LOOKING_UP, "False"],
  ["needs a grant all the same", { answers: { db: [refused] } }, "AccessNotGranted: db: XPostgres", "False"],
])("an Optional shared resource: %s", (_reason, parts, said, ready) => {
  const draft = draftOf({ ...parts, sharedResources: [shared({ resolution: "Optional" })] });
  expect([says(draft), draft.compositeReady]).toEqual([expect.stringContaining(said), ready]);
});

const vital = { ...alone, resolution: "Fail" };
const other = { ...alone, name: "other" };
const STOPPED = "cannot go on without the shared resources:\n  db:";
const unset = `${STOPPED} spec.parameters.database of the XR is not set`;

test.each<[reason: string, parts: CallParts, ...messages: readonly string[]]>([
  ["stops the XR", { sharedResources: [vital], answers: { db: [] } }, `${STOPPED} found no XPostgres orders`],
  ["stops the XR where no field names it", { xr: xr({ spec: {} }), sharedResources: [vital] }, unset],
  ["stops nothing before all are looked up", { sharedResources: [vital, other], answers: { db: [] } }],
  ["stops nothing where another share is missing", { sharedResources: [other], answers: { other: [] } }],
  ["stops nothing where it is there", { sharedResources: [vital], answers: { db: [database()] } }],
])("a missing share with resolution Fail %s", (_reason, parts, ...messages) => {
  expect(fatalsIn(draftOf(parts))).toEqual(messages);
});

test("optional labels none of which is set ask for nothing, and later steps find an empty list", () => {
  const optional = (key: string) => ({ ...fromXr(`spec.${key}`), optional: true });
  const matchLabels = { a: optional("a"), b: optional("b") };
  const draft = draftOf({ sharedResources: [{ ...alone, select: { matchLabels } }] });
  expect([says(draft), draft.requirements.size, draft.compositeReady]).toEqual(["Available: undefined", 0, undefined]);
  expect(draft.context.get(KEY)).toEqual({ db: [] });
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

const config = (data: JsonObject): JsonObject => ({ kind: "EnvironmentConfig", metadata: { name: "e" }, data });
const environment = { ...alone, toEnvironment: { fromFieldPath: "data" } };
const atPath = { ...alone, toEnvironment: { fromFieldPath: "data", toFieldPath: "db.main" } };
const unneeded = { ...environment, ...optional };
const made = (data: JsonObject) => ({ apiVersion: "internal.crossplane.io/v1alpha1", kind: "Environment", ...data });
const sharing = (data: JsonObject, share = environment): CallParts => ({
  sharedResources: [share],
  answers: { db: [config(data)] },
});
const beside = (before: JsonObject, defaultData: JsonObject): CallParts => ({
  context: { [ENVIRONMENT]: { kind: "Mine", ...before } },
  spec: { environment: { defaultData } },
});
const earlier = beside({ a: { b: 0, c: 2 }, list: [1, 2] }, { a: { c: 0, d: 3 }, e: 4 });
const layers = { ...sharing({ a: { b: 1 }, list: [3] }), ...earlier };
const listBetween = { ...sharing({ a: {} }), ...beside({ a: [1] }, { a: { b: 1 } }) };
const merged = { kind: "Mine", a: { b: 1, c: 2, d: 3 }, list: [3], e: 4 };
const between: CallParts = {
  sharedResources: ["one", "two", "three"].map((name) => ({ ...environment, name, into: name })),
  answers: { one: [config({ m: { x: 1 } })], two: [config({ m: [1] })], three: [config({ m: { y: 2 } })] },
};
const defaults = { sharedResources: [], spec: { environment: { defaultData: { a: 1 } } } };
const templates = { sharedResources: [unneeded], answers: { db: [] } };
const typed = sharing({ kind: "", apiVersion: "a/b/c", a: 1 });
const status = { net: { id: "n", ids: [], groups: ["", ""], tags: {}, name: "", on: false } };
const emptied: CallParts = {
  sharedResources: [{ ...alone, toEnvironment: { fromFieldPath: "status" } }],
  answers: { db: [{ ...config({}), status }] },
};
const by = (path: string) => ({ ...environment, select: { name: { fromEnvironmentFieldPath: path } } });
const selecting = { ...sharing({ account: "b", vpc: "v" }, by("account")), ...beside({ account: "a" }, {}) };
const below = { ...sharing({ account: "b", vpc: "v" }, by("account.id")), ...beside({ account: { id: "a" } }, {}) };
test.each<[reason: string, parts: CallParts, merged?: JsonObject]>([
  ["begins with what is shared", sharing({ a: { b: 1 } }), made({ a: { b: 1 } })],
  ["has what is shared over what earlier steps left, and that over the defaults; lists as a whole", layers, merged],
  ["has a list of an earlier step hide none of the defaults", listBetween, { kind: "Mine", a: { b: 1 } }],
  ["has a resource's list hide the object of one before, and not what comes after", between, made({ m: { y: 2 } })],
  ["at a path of its own", sharing({ host: "h" }, atPath), made({ db: { main: { host: "h" } } })],
  ["is of no type that an owner has chosen: no later step could read it", typed, made({ a: 1 })],
  ["has nothing that is empty in a status", emptied, made({ net: { id: "n", on: false } })],
  ["has what is empty elsewhere", sharing({ prefix: "" }), made({ prefix: "" })],
  ["keeps the field by which it is selected", selecting, { kind: "Mine", account: "a", vpc: "v" }],
  ["keeps the fields above the one by which it is selected", below, { kind: "Mine", account: { id: "a" }, vpc: "v" }],
  ["of defaults alone", defaults, made({ a: 1 })],
  ["is not touched where nothing is looked up", { sharedResources: [environment] }],
  ["is not touched where its shared resource is missing", { sharedResources: [environment], answers: { db: [] } }],
  ["is there for templates where nothing need be in it", templates, made({})],
])("the environment: %s", (_reason, parts, merged) => {
  expect(draftOf(parts).context.get(ENVIRONMENT)).toEqual(merged);
});

test.each<[reason: string, found: JsonObject | undefined, share: JsonObject, answers?: CallParts["answers"]]>([
  ["is not there before Crossplane has answered", undefined, alone],
  ["is not there where its shared resource is missing", undefined, alone, { db: [] }],
  ["is there for templates where nothing need be in it", {}, { ...alone, resolution: "Optional" }, { db: [] }],
])("the context of shared resources %s", (_reason, found, share, answers = {}) => {
  expect(draftOf({ sharedResources: [share], answers }).context.get(KEY)).toEqual(found);
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
