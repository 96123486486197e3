import { describe, expect, test } from "vitest";
import { COPY_KINDS } from "../../../../src/crossplane/copies.ts";
import type { Draft } from "../../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../../src/model/json.ts";
import { DOMAIN } from "../../../../src/model/names.ts";
import { MAX_RESPONSE_BYTES } from "../../../../src/model/response-limit.ts";
import { readRequest } from "../../../../src/wire/request.ts";
import { writeResponse } from "../../../../src/wire/response.ts";
import { type CallParts, draftOfCopy } from "../../../../testing/builders/calls.ts";
import {
  copying,
  copyMarks,
  KEY,
  objectIn,
  recorded,
  secretIn,
  targetSecret,
} from "../../../../testing/builders/copies.ts";
import { base64, synced } from "../../../../testing/builders/kubernetes.ts";
import { requirementsIn, says } from "../../../../testing/builders/read-draft.ts";
import { fromXr, grantedTo, naming, refused } from "../../../../testing/builders/shared-database.ts";
import { connectionSecret, database, namespacedXr, shared } from "../../../../testing/builders/sharing.ts";

/** Every way to deliver a copy: what is asked for, and what is composed. */

const SECRET = "db/secret";

const label = { [`${DOMAIN}/target`]: "f07cf4748c39cf683541dc52581d1666984278d9" };
const absent = { [SECRET]: [connectionSecret()], [`${KEY}/target`]: [], [`${KEY}/secret/target`]: [] };
const everywhere = { db: [grantedTo("*")] };
const NOT_OURS =
  "TargetTaken: db: Secret team-a/orders-db exists and does not belong to this XR, so it is left unchanged: choose " +
  "another secretName, or delete the Secret: then this XR creates its own";
const WAITING = "WaitingForCopies: db: waiting for Secret team-a/orders-db to be written";
/** The copied Secret as Crossplane observes it, which is kept as it is. */
const kept = { apiVersion: "v1", kind: "Secret", metadata: { name: "orders-db" }, data: { old: "b2xk" } };
const keptSecret = { [`${KEY}/secret`]: kept };
const bytes = (...list: readonly number[]): string => Buffer.from(list).toString("base64");

describe("via Secret", () => {
  test("the copy itself is composed, with the values", () => {
    const { resources } = draftOfCopy({ via: "Secret", labels: { app: "shop" } }, { answers: absent });
    const annotations = { ...copyMarks(), [`${DOMAIN}/composite`]: "shop-x7k2p", ...recorded() };
    const metadata = { name: "orders-db", namespace: "team-a", labels: { app: "shop", ...label }, annotations };
    const data = { password: base64("p@ss/1"), username: base64("app") };
    const object = { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data };
    expect([...resources]).toEqual([[`${KEY}/secret`, { is: "set", ready: "False", object }]]);
  });

  test.each([
    { via: "Secret", there: keptSecret },
    { via: "ConnectionSecret", there: { [`${KEY}/connection-secret`]: COPY_KINDS.Object } },
  ])("via $via, a source without keys empties no copy, and makes no empty one", ({ via, there }) => {
    const answers = { ...absent, [SECRET]: [connectionSecret({})] };
    const drafts = [{}, there].map((observed) => draftOfCopy({ via }, { answers, observed }));
    const message = "KeyNotFound: db: Secret databases/orders-conn has no keys";
    expect(drafts.map((draft) => `${says(draft)}, ${draft.resources.size}`)).toEqual([
      `${message}, 0`,
      `${message}, 1`,
    ]);
  });

  test("it is ready once it is there", () => {
    const draft = draftOfCopy({ via: "Secret" }, { answers: absent, observed: keptSecret });
    expect(draft.resources.get(`${KEY}/secret`)).toMatchObject({ ready: "True" });
    expect(says(draft)).toBe("Available: undefined");
  });
});

describe("via ConnectionSecret", () => {
  const source = { apiVersion: "v1", kind: "Secret", namespace: "databases", name: "orders-conn" };
  /** Publishes what is at these paths of the source under these keys. */
  const publishing = (keys: Readonly<Record<string, string>>, writeConnectionSecretToRef: JsonObject) => ({
    managementPolicies: ["Observe"],
    forProvider: { manifest: { apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a" } } },
    connectionDetails: Object.entries(keys).map(([toConnectionSecretKey, fieldPath]) => {
      return { ...source, fieldPath, toConnectionSecretKey };
    }),
    writeConnectionSecretToRef,
  });

  test("on v1 with listed keys nobody reads the Secret", () => {
    const draft = draftOfCopy({ via: "ConnectionSecret", keys: [{ from: "ca.crt", to: "CA" }] }, { capabilities: [] });
    expect(objectIn(draft, `${KEY}/connection-secret`)).toMatchObject({
      apiVersion: "kubernetes.crossplane.io/v1alpha2",
      kind: "Object",
      spec: publishing({ CA: "data[ca.crt]" }, { namespace: "team-a", name: "orders-db" }),
    });
    expect([...requirementsIn(draft).keys()]).toEqual(["shared-resource/db"]);
  });

  test("without listed keys they are read, and a new version of the source wakes the provider", () => {
    const draft = draftOfCopy({ via: "ConnectionSecret" }, { answers: absent, xr: namespacedXr });
    expect(objectIn(draft, `${KEY}/connection-secret`)).toMatchObject({
      apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
      kind: "Object",
      metadata: { annotations: { [`${DOMAIN}/source-version`]: "42" } },
      spec: publishing({ password: "data.password", username: "data.username" }, { name: "orders-db" }),
    });
  });

  test.each(["Object", "Secret"])("its Secret goes with its Object before it is made via %s", (via) => {
    const spec = { connectionDetails: [], writeConnectionSecretToRef: { namespace: "team-a", name: "orders-db" } };
    const observed = { [`${KEY}/connection-secret`]: { ...COPY_KINDS.Object, metadata: { uid: "7" }, spec } };
    const there = [targetSecret({}, { ownerReferences: [{ uid: "7", controller: true }] })];
    const answers = { ...absent, [`${KEY}/target`]: there, [`${KEY}/secret/target`]: there };
    const draft = draftOfCopy({ via }, { observed, answers });
    expect([says(draft), draft.resources.size]).toEqual([WAITING, 0]);
  });

  test("the Secret of a former Object goes with it: the provider would refuse to write that", () => {
    const manifest = { kind: "Secret", metadata: { namespace: "team-a", name: "orders-db" } };
    const observed = { [KEY]: { ...COPY_KINDS.Object, metadata: {}, spec: { forProvider: { manifest } } } };
    const draft = draftOfCopy({ via: "ConnectionSecret" }, { observed, answers: absent });
    expect([says(draft), draft.resources.size]).toEqual([WAITING, 0]);
  });

  test.each([
    'refusing to modify uncontrolled secret of type "Opaque"',
    'existing secret is not controlled by UID "7"',
  ])("a Secret that the provider refuses to write is somebody else's: %s", (refusal) => {
    const message = `cannot publish connection details: ${refusal}`;
    const observed = { [`${KEY}/connection-secret`]: { ...COPY_KINDS.Object, status: synced("False", { message }) } };
    const draft = draftOfCopy({ via: "ConnectionSecret", keys: [{ from: "a", to: "a" }] }, { observed });
    expect([says(draft), draft.resources.size]).toEqual([NOT_OURS, 1]);
  });
});

describe("keys", () => {
  const dataWith = (keys: readonly JsonObject[], data?: JsonObject) =>
    draftOfCopy({ via: "Secret", keys }, { answers: { ...absent, [SECRET]: [connectionSecret(data)] } });
  const valuesOf = (draft: Draft) => objectIn(draft, `${KEY}/secret`)?.["data"];

  const text = { value: "{{{username}}}:{password}@{password|url}", to: "url" };
  test.each<[reason: string, key: JsonObject, data: JsonObject]>([
    ["renamed, only those that are listed", { from: "password", to: "PASSWORD" }, { PASSWORD: base64("p@ss/1") }],
    ["a text with values, as they are and for a URL", text, { url: base64("{app}:p@ss/1@p%40ss%2F1") }],
  ])("%s", (_reason, key, data) => {
    expect(valuesOf(dataWith([key]))).toEqual(data);
  });

  const named = [
    { from: "username", to: "user" },
    { from: "password", to: fromXr("spec.parameters.passwordKey") },
  ];
  const asking = (passwordKey?: JsonValue) =>
    naming("orders", { parameters: { database: "orders", ...(passwordKey !== undefined && { passwordKey }) } });
  test.each([
    { via: "Secret", suffix: "/secret", found: { user: base64("app"), DB_PASS: base64("p@ss/1") } },
    { via: "Object", suffix: "", found: ["data.username", "data.user", "data.password", "data.DB_PASS"] },
    { via: "ConnectionSecret", suffix: "/connection-secret", found: ["user", "DB_PASS"] },
  ])("with via: $via take a name from a field of the XR", ({ via, suffix, found }) => {
    const draft = draftOfCopy({ via, keys: named }, { xr: asking("DB_PASS"), answers: absent });
    const object = objectIn(draft, `${KEY}${suffix}`);
    const { connectionDetails } = (object?.["spec"] ?? {}) as { connectionDetails?: readonly JsonObject[] };
    const published = connectionDetails?.map((detail) => detail["toConnectionSecretKey"]);
    const copied = via === "Object" ? secretIn(object).copied?.flatMap(([to, from]) => [from, to]) : published;
    expect(copied ?? object?.["data"]).toEqual(found);
  });

  const INVALID_KEY =
    'InvalidTarget: db: "../db" cannot be a key of a Secret; it comes from spec.parameters.passwordKey of the XR';
  const NOT_SET = "FieldNotSet: db: spec.parameters.passwordKey of the XR is not set";
  const NO_NAME = "FieldNotSet: db: a text in spec.parameters.passwordKey of the XR is not set";
  const TWICE = "InvalidTarget: db: more than one key is named user";
  const NO_KEY = "KeyNotFound: db: Secret databases/orders-conn has no key ca: it has password, username";
  const NO_TEXT =
    "KeyIsNotText: db: key ca of Secret databases/orders-conn is not text: copy it with from, or write {ca|base64} in value";
  const [ca, template] = [[{ from: "ca", to: "ca" }], [{ value: "{ca}", to: "ca" }]];
  const binary = { [SECRET]: [connectionSecret({ ca: bytes(0xff) })] };
  test.each<[reason: string, condition: string, keys: readonly JsonObject[], parts: CallParts]>([
    ["a field of the XR that is not set", NOT_SET, named, { xr: asking() }],
    ["a field of the XR that holds an object", NO_NAME, named, { xr: asking({}) }],
    ["a field of the XR that holds no name of a key", INVALID_KEY, named, { xr: asking("../db") }],
    ["a field of the XR that names a key for the second time", TWICE, named, { xr: asking("user") }],
    ["a key that is not there", NO_KEY, ca, {}],
    ["a template with a key that is not there", NO_KEY, template, {}],
    ["a template with bytes that are no text", NO_TEXT, template, { answers: binary }],
  ])("%s keeps the copy as it is", (_reason, condition, keys, { answers, ...parts }) => {
    const usual = { answers: { ...absent, ...answers }, observed: keptSecret };
    const draft = draftOfCopy({ via: "Secret", keys }, { ...usual, ...parts });
    expect(says(draft)).toBe(condition);
    expect(draft.resources.get(`${KEY}/secret`)).toEqual({ is: "set", object: kept, ready: "True" });
    expect(requirementsIn(draft).has("shared-resource/db/secret")).toBe(keys !== named);
  });

  test("all of 200, binary and empty ones among them, come as they are", () => {
    const many = Array.from({ length: 198 }, (_, index) => [`k${index}`, base64(`v${index}`)]);
    const data = { ...Object.fromEntries(many), binary: bytes(0, 255, 254), empty: "" };
    const draft = draftOfCopy({ via: "Secret" }, { answers: { ...absent, [SECRET]: [connectionSecret(data)] } });
    expect(valuesOf(draft)).toEqual(data);
  });
});

test("a large Secret is not copied more often than an answer to Crossplane can hold", () => {
  const namespaces = Array.from({ length: 1000 }, (_, index) => `n${index}`);
  const answers = { ...everywhere, [SECRET]: [connectionSecret({ large: "A".repeat(1024 * 1024) })] };
  const draft = draftOfCopy({ via: "Secret", namespaces }, { answers });
  expect(draft.resources.size).toBe(2);
  expect(says(draft)).toContain(
    "TooLarge: db: 998 copies are left out, because all copies of this XR together would be too large for Crossplane",
  );
});

test("large Secrets of several shared resources share the room in an answer: the first in the input come first", () => {
  const names = ["a", "b", "c", "d"];
  const large = [connectionSecret({ large: "A".repeat(1024 * 1024) })];
  const sharedResources = names.map((name) => ({ ...copying({ via: "Secret", secretName: name }), name }));
  const target = (name: string) => `shared/${name}/team-a/${name}/secret/target`;
  const answers = names.map((name) => ({ [name]: [database()], [`${name}/secret`]: large, [target(name)]: [] }));
  const draft = draftOfCopy({}, { sharedResources, answers: Object.assign({}, ...answers) });
  expect([...draft.resources.keys()]).toEqual(["shared/a/team-a/a/secret", "shared/b/team-a/b/secret"]);
  expect(says(draft)).toContain("c: 1 copy is left out");
  expect(says(draft)).toContain("d: 1 copy is left out");
});

test("copies that are kept as they are observed share that room, too", () => {
  const secret = { apiVersion: "v1", kind: "Secret", data: { large: "A".repeat(2 * 1024 * 1024) } };
  const kept = { ...secret, metadata: { namespace: "team-a", name: "a", annotations: recorded() } };
  const sharedResources = ["a", "b"].map((name) => ({ ...copying({ via: "Secret", secretName: name }), name }));
  const source = [connectionSecret({ large: "A".repeat(1024 * 1024) })];
  const answers = { b: [database()], "b/secret": source, "shared/b/team-a/b/secret/target": [] };
  const wayOf = (a: CallParts["answers"]) =>
    draftOfCopy({}, { sharedResources, observed: { "shared/a/team-a/a/secret": kept }, answers: { ...answers, ...a } });
  const [lost, gone] = [wayOf({ a: [database()], "a/secret": [] }), wayOf({ a: [refused] })];
  expect(says(lost)).toContain(
    "b: 1 copy is left out, because all copies of this XR together would be too large for Crossplane",
  );
  expect([lost, gone].map(({ resources }) => [...resources.keys()])).toEqual([
    ["shared/a/team-a/a/secret"],
    ["shared/b/team-a/b/secret"],
  ]);
});

test.each([
  ["Object", "of names and references", "a"],
  ["Object", "of an annotation from the XR, in bytes", "\u{1f512}".repeat(500)],
  ["ConnectionSecret", "of names and references", "a"],
  ["Secret", "of names and values", "a"],
] as const)("four thousand copies by %s are as many as a response holds, %s", (via, _reason, note) => {
  const namespaces = Array.from({ length: 1000 }, (_, index) => `team-${index}`.padEnd(40, "x"));
  const annotations = via === "ConnectionSecret" ? {} : { annotations: { note: fromXr("spec.note") } };
  const names = ["a", "b", "c", "d"];
  const sharedResources = names.map((name) => ({
    ...copying({ via, namespaces, secretName: name, ...annotations }),
    name,
  }));
  const answers = names.map((name) => ({ [name]: [grantedTo("*")], [`${name}/secret`]: [connectionSecret()] }));
  const free = { ...Object.assign({}, ...answers), ...everywhere };
  const draft = draftOfCopy({}, { xr: naming("orders", { note }), sharedResources, answers: free });
  const { length } = writeResponse(readRequest(new Uint8Array()), draft);
  expect(length).toBeLessThan(MAX_RESPONSE_BYTES);
  expect(says(draft)).toContain(
    "copies are left out, because all copies of this XR together would be too large for Crossplane",
  );
});

const keyNames = Array.from({ length: 1600 }, (_, index) => `${index}`.padStart(253, "k"));
const toUrl = ["a", "b"].map((to) => ({ to, value: "{password|url}" }));
const percents = { password: base64("%".repeat(100_000)) };
const values = Object.fromEntries(keyNames.map((name) => [name, "eA=="]));
test.each<[reason: string, copies: number, copy: JsonObject, data: JsonObject]>([
  ["what a template makes of its values", 3, { via: "Secret", keys: toUrl }, percents],
  ["the names of its keys, which an Object repeats", 2, { via: "ConnectionSecret" }, values],
  ["those that the input lists", 4, { keys: keyNames.map((to) => ({ from: "a", to })) }, {}],
])("%s count as well", (_reason, copies, copy, data) => {
  const connection = { copies: Array.from({ length: 6 }, (_, index) => ({ ...copy, secretName: `s${index}` })) };
  const answers = { [SECRET]: [connectionSecret(data)] };
  const draft = draftOfCopy({}, { sharedResources: [shared({ connection })], answers });
  expect(draft.resources.size).toBe(copies);
  expect(says(draft)).toContain(`TooLarge: db: ${6 - copies} copies are left out`);
});

describe("the source Secret is asked for last, and with it the Secret that it is copied to", () => {
  const both = ["shared-resource/db/secret", `${KEY}/secret/target`];
  test.each<[reason: string, copy: JsonObject, asked: readonly string[], parts?: CallParts]>([
    ["never where the provider reads it", { via: "Object" }, [`${KEY}/target`]],
    ["where its values are needed", { via: "Secret" }, both],
    ["not before access is granted", { via: "Secret" }, [], { answers: { db: [refused] } }],
    ["where one of two namespaces is granted", { via: "Secret", namespaces: ["team-a", "team-b"] }, both],
  ])("%s", (_reason, copy, asked, parts) => {
    expect([...requirementsIn(draftOfCopy(copy, parts)).keys()]).toEqual(["shared-resource/db", ...asked]);
  });

  test("one that is gone keeps the copies, or takes them away where the input says so", () => {
    const left = ["Keep", "Delete"].map((onSourceMissing) => {
      const sharedResources = [copying({ via: "Secret" }, { onSourceMissing })];
      const draft = draftOfCopy({}, { sharedResources, observed: keptSecret, answers: { [SECRET]: [] } });
      return [draft.resources.size, says(draft)];
    });
    const gone = "SourceNotFound: db: source Secret databases/orders-conn does not exist";
    expect(left).toEqual([1, 0].map((count) => [count, gone]));
  });
});

const other = "Shop.apps.example.org/team-a/another";
const ofSecret = { forProvider: { manifest: { kind: "Secret" } }, references: [] };
const observed = { apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object", spec: ofSecret };
/** The Object as Crossplane has written it in generation 5, and as the provider has seen it so far. */
const observing = (observedGeneration: number): JsonObject => ({
  ...observed,
  metadata: { generation: 5 },
  spec: { ...observed.spec, managementPolicies: ["Observe"] },
  status: synced("True", { observedGeneration }),
});
const unseen = { ...observing(4), status: {} };
const message = "observe failed: external resource does not exist";
const unfound = { ...observing(5), status: synced("False", { message, observedGeneration: 5 }) };
const taken = `TargetTaken: db: Secret team-a/orders-db is a copy made by ${other}: choose another secretName`;
const LOOKING_UP = "WaitingForRequiredResources: db: waiting for Crossplane to look up Secret";
const spec = expect.objectContaining({ managementPolicies: ["Observe"] });
const observes = expect.objectContaining({ object: expect.objectContaining({ spec }) });
const stays = { is: "set", ready: "False", object: observed };
const theirs = [targetSecret(copyMarks(other))];
type Found = readonly JsonObject[] | "pending";
test.each<[reason: string, found: Found, composed: unknown, condition: string, there?: JsonObject]>([
  ["nothing is composed before it has been looked up", "pending", undefined, LOOKING_UP],
  ["nobody has it", [], expect.anything(), WAITING],
  ["an Object that only observed has found nobody's", [], expect.anything(), WAITING, unfound],
  ["it is ours, from before a restore", [targetSecret()], expect.anything(), WAITING],
  ["it is nobody's copy", [targetSecret({})], undefined, NOT_OURS],
  ["it is another XR's copy", theirs, undefined, taken],
  ["it was ours and is another XR's now: it is given up without deleting it", theirs, observes, taken, observed],
  ["it is not dropped before the provider has read that it only observes", theirs, observes, taken, observing(4)],
  [
    "it is not dropped before the provider has looked at it",
    theirs,
    expect.objectContaining({ is: "set" }),
    taken,
    unseen,
  ],
  ["it is dropped when the provider has read that it only observes", theirs, undefined, taken, observing(5)],
  ["what is composed stays while it is looked up", "pending", stays, LOOKING_UP, observed],
])("a target is written to only by whom it belongs to: %s", (_reason, found, composed, condition, there) => {
  const answers = { [`${KEY}/target`]: found };
  const draft = draftOfCopy({}, { answers, ...(there && { observed: { [KEY]: there } }) });
  expect(draft.resources.get(KEY)).toEqual(composed);
  expect(says(draft)).toBe(condition);
});

test("on v1 copies of ours are found by their label, and other Secrets not at all", () => {
  const draft = draftOfCopy({}, { capabilities: [] });
  const match = { labels: label };
  expect(requirementsIn(draft).get(`${KEY}/target`)).toEqual({ apiVersion: "v1", kind: "Secret", match });
  expect(objectIn(draft)).toMatchObject({ spec: { forProvider: { manifest: { metadata: { labels: label } } } } });
});

const needsV2 = "needs Crossplane v2.2 or later, or v2.0 or v2.1 with an XRD of scope Namespaced or Cluster";

describe("what this generation of Crossplane or this XR cannot do is said at once", () => {
  const asked = (copies: readonly JsonObject[], parts: CallParts, more: JsonObject = {}) =>
    expect(() => draftOfCopy({}, { ...parts, sharedResources: [shared({ connection: { copies }, ...more })] }));
  const faults = (...list: readonly string[]) =>
    ["cannot use the input:", ...list.map((fault) => `  spec.sharedResources[0].${fault}`)].join("\n");

  test("v1 cannot look up Secrets and ReferenceGrants", () => {
    const constant = { value: "b", to: "b" };
    const byObject = { secretName: "b", keys: [{ from: "a", to: "a" }, constant, { value: "{c}", to: "c" }] };
    const copies = [{ secretName: "a", via: "Secret" }, byObject, { secretName: "c", via: "ConnectionSecret" }];
    asked(copies, { capabilities: [] }, { grant: "ReferenceGrant" }).toThrow(
      faults(
        `grant: ReferenceGrant ${needsV2}; without that, use Annotation`,
        `connection.copies[0].via: Secret ${needsV2}; without that, use Object or ConnectionSecret`,
        `connection.copies[1].keys[2].value: a text with a key of the Secret in braces ${needsV2}; without that, copy the key as it is, with from in place of value`,
        `connection.copies[2].keys: required: without keys all keys of the Secret are read, which ${needsV2}`,
      ),
    );
  });

  test.each(["Secret", "ConnectionSecret"])("a namespaced XR reaches no other namespace via %s", (via) => {
    const draft = draftOfCopy({ via, namespaces: "team-b" }, { xr: namespacedXr, answers: everywhere });
    const fault = `${via} cannot reach namespace team-b from an XR in namespace team-a; via: Object can`;
    expect(says(draft)).toBe(`InvalidTarget: db: via: ${fault}`);
  });
});
