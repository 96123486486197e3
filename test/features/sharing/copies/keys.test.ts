import { describe, expect, test } from "vitest";
import { keepCopy } from "../../../../src/features/sharing/copies/compose-object.ts";
import { findCopies } from "../../../../src/features/sharing/copies/observed.ts";
import type { Draft } from "../../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../../src/model/json.ts";
import { type CallParts, draftOfCopy } from "../../../../testing/builders/calls.ts";
import { KEY, objectIn, secretIn } from "../../../../testing/builders/copies.ts";
import { base64 } from "../../../../testing/builders/kubernetes.ts";
import { fatalsIn, objectSetBy, requirementsIn, says } from "../../../../testing/builders/read-draft.ts";
import { resourceOf } from "../../../../testing/builders/request.ts";
import { fromXr, naming } from "../../../../testing/builders/shared-database.ts";
import { connectionSecret, database, shared } from "../../../../testing/builders/sharing.ts";

/** Where the keys of a copy come from, and who fills them in. */

const own = (fields: JsonObject): JsonObject => naming("orders", fields);

const draftWith = (copy: JsonObject, parts: CallParts = {}): Draft =>
  draftOfCopy(copy, { ...parts, answers: { "db/secret": [connectionSecret()], ...parts.answers } });

/** The keys of an Object: those that its manifest holds, and those that the provider fills in. */
function keysOf(draft: Draft): { data: JsonObject | undefined; filledIn: readonly string[] | undefined } {
  const { data, copied } = secretIn(objectIn(draft));
  return { data, filledIn: copied?.map(([to, from]) => `${to} from ${from}`) };
}

const plain = { from: "password", to: "DB_PASSWORD" };
const literal = { value: "postgresql", to: "type" };
const url = { value: "postgres://{username|url}:{password|url}@{xr:spec.host}/{xr:spec.db|url}", to: "url" };
const withHost = own({ host: "db.example.org", db: "or/ders" });
const URL = base64("postgres://app:p%40ss%2F1@db.example.org/or%2Fders");
const FILLED_IN = "data.DB_PASSWORD from data.password";
const OBJECT = { apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object" };
describe("via Object, the manifest holds what a template makes, and the provider fills in the rest", () => {
  const TYPE = { type: base64("postgresql") };
  const host = { value: "{xr:spec.host}:5432", to: "host" };
  type Keys = readonly JsonObject[] | undefined;
  type Row = [reason: string, keys: Keys, data?: JsonObject | undefined, filledIn?: string, isRead?: boolean];
  test.each<Row>([
    ["all keys", undefined, undefined, "data from data"],
    ["keys as they are", [plain], undefined, FILLED_IN],
    ["a text beside one", [literal, plain], TYPE, FILLED_IN],
    ["a text alone", [literal], TYPE],
    ["a field of the XR in a text", [host, plain], { host: base64("db.example.org:5432") }, FILLED_IN],
    ["keys of the Secret beside fields in a text", [url, literal, plain], { ...TYPE, url: URL }, FILLED_IN, true],
  ])("%s", (_reason, keys, data, filledIn, isRead = false) => {
    const draft = draftWith({ ...(keys && { keys }) }, { xr: withHost });
    expect(keysOf(draft)).toEqual({ data, filledIn: filledIn && [filledIn] });
    expect(requirementsIn(draft).has("shared-resource/db/secret")).toBe(isRead);
  });

  test("a text whose field of the XR is not set holds back its copy, and no other of the share", () => {
    const copies = [{ secretName: "orders-db" }, { secretName: "orders-host", keys: [host] }];
    const draft = draftWith({}, { xr: own({}), sharedResources: [shared({ connection: { copies } })] });
    expect([...draft.resources.keys()]).toEqual([KEY]);
    expect(says(draft)).toContain("FieldNotSet: db: spec.host of the XR is not set");
  });

  test("a text needs no value of the source: it is written on Crossplane v1, and where there is no Secret", () => {
    const onV1 = draftWith({ keys: [literal, plain] }, { capabilities: [] });
    expect(keysOf(onV1).data).toEqual(TYPE);
    const withoutSecret = draftWith({ via: "Secret", keys: [literal] }, { answers: { "db/secret": [] } });
    expect(objectIn(withoutSecret, `${KEY}/secret`)).toMatchObject({ data: TYPE });
  });
});

const reference = (to: string) => ({ patchesFrom: { fieldPath: to }, toFieldPath: to });
const [a, crt] = [reference("data.a"), reference("data[ca.crt]")];
type Row = [reason: string, data: JsonObject, kept: JsonObject | undefined, references?: readonly JsonObject[]];
test.each<Row>([
  ["all of it", { a: "eA==", b: "eQ==" }, { a: "eA==", b: "eQ==" }],
  ["a part", { a: "eA==", "ca.crt": "eA==", b: "eQ==" }, { b: "eQ==" }, [a, crt]],
  ["none", { a: "eA==" }, undefined, [a]],
  ["none, where the provider copies all", { a: "eA==" }, undefined, [reference("data")]],
])("an Object that is kept desires of its data what no reference fills in: %s", (_reason, data, kept, references) => {
  const spec = { forProvider: { manifest: { kind: "Secret", data } }, ...(references && { references }) };
  const [before] = findCopies(new Map([[KEY, resourceOf({ ...OBJECT, spec })]])).map(keepCopy);
  const object = objectSetBy(before?.resource[1]);
  expect(object).toMatchObject({ kind: "Object" });
  expect(secretIn(object).data).toEqual(kept);
});

test("an Object that is kept still has its provider watch the source", () => {
  const spec = { forProvider: { manifest: { kind: "Secret" } }, references: [], watch: true };
  const [kept] = findCopies(new Map([[KEY, resourceOf({ ...OBJECT, spec })]])).map(keepCopy);
  expect(kept?.resource[1]).toMatchObject({ object: { spec } });
});

describe("a key that is listed no longer is emptied in the manifest, where the provider has written it, and then left out", () => {
  type Row = [
    reason: string,
    keys: readonly JsonObject[] | undefined,
    held: JsonObject,
    data?: JsonObject,
    seen?: number,
  ];
  test.each<Row>([
    ["one that the provider copied", [plain], { old: "eA==", DB_PASSWORD: "eA==" }, { old: "" }],
    ["one beside a text", [literal], { old: "eA==", type: "eA==" }, { type: base64("postgresql"), old: "" }],
    ["one that the provider has emptied", [plain], { old: "" }],
    ["one that the provider has yet to empty", [plain], { old: "" }, { old: "" }, 1],
    ["none of those that the provider copies", [plain], { DB_PASSWORD: "eA==" }],
    ["none where all keys are copied", undefined, { old: "eA==" }],
  ])("%s", (_reason, keys, held, data, observedGeneration = 2) => {
    const spec = { forProvider: { manifest: { kind: "Secret", data: held } } };
    const conditions = ["Ready", "Synced"].map((type) => ({ type, status: "True", observedGeneration }));
    const observed = { [KEY]: { ...OBJECT, metadata: { generation: 2 }, spec, status: { conditions } } };
    expect(keysOf(draftWith({ ...(keys && { keys }) }, { observed })).data).toEqual(data);
  });
});

const NOT_SET = "spec.host of the XR";
test.each<[reason: string, host: JsonValue | undefined, value: string]>([
  ["a text", "a b", "a b a%20b"],
  ["a number", 5432, "5432 5432"],
  ["false", false, "false false"],
  ["nothing", undefined, NOT_SET],
  ["an empty text", "", NOT_SET],
  ["an object", { a: 1 }, `a text in ${NOT_SET}`],
])("a field of the XR that a template names holds %s", (_reason, host, value) => {
  const keys = [{ value: "{xr:spec.host} {xr:spec.host|url}", to: "k" }];
  const draft = draftWith({ keys }, { xr: own(host === undefined ? {} : { host }) });
  if (value.endsWith(NOT_SET))
    expect([says(draft), draft.resources.size]).toEqual([`FieldNotSet: db: ${value} is not set`, 0]);
  else expect(keysOf(draft).data).toEqual({ k: base64(value) });
});

describe("a field of the shared resource that a template names", () => {
  test("is read in the first reconcile, without the Secret, and so is that of an XR that lists the keys", () => {
    const value = "{shared:status.endpoint}:{shared:status.port}";
    const data = { k: base64("orders.db.example.org:5432") };
    const db = database({ status: { endpoint: "orders.db.example.org", port: 5432 } });
    const answers = { db: [db], "db/secret": [] };
    expect(keysOf(draftWith({ keys: [{ value, to: "k" }] }, { answers }))).toEqual({ data });
    expect(keysOf(draftWith({ keys: fromXr("spec.keys") }, { answers, xr: own({ keys: { k: value } }) }))).toEqual({
      data,
    });
  });

  test.each<[endpoint: JsonValue, wanted: string]>([
    ["", ""],
    [null, ""],
    [{}, "a text in "],
  ])("is told where it is %j", (endpoint, wanted) => {
    const parts = { answers: { db: [database({ status: { endpoint } })] } };
    const draft = draftWith({ keys: [{ value: "{shared:status.endpoint}", to: "k" }] }, parts);
    expect(says(draft)).toBe(`FieldNotSet: db: ${wanted}status.endpoint of XPostgres orders is not set`);
  });
});

test("values are encoded for what surrounds them; in base64 a key may be any bytes", () => {
  const PASSWORD = 'a"b\\ \n€';
  const answers = { "db/secret": [connectionSecret({ password: base64(PASSWORD), ca: "/w==" })] };
  const value = '{{"p": "{password|json}", "x": "{xr:spec.a|json}", "b": "{xr:spec.a|base64}", "ca": "{ca|base64}"}}';
  const { data } = keysOf(draftWith({ keys: [{ value, to: "k" }] }, { answers, xr: own({ a: 'x"y' }) }));
  const text = Buffer.from(String(data?.["k"]), "base64").toString();
  expect(JSON.parse(text)).toEqual({ p: PASSWORD, x: 'x"y', b: base64('x"y'), ca: "/w==" });
});

describe("keys that a field of the XR lists", () => {
  const keys = fromXr("spec.keys");
  test("are keys of the source, or templates where there is a brace; in the order of their names", () => {
    const paths = { PGHOST: "{xr:spec.host}", PGPASSWORD: "password", AGAIN: "password", "a.b": "username" };
    const listed = { ...paths, DATABASE_URL: url.value };
    const draft = draftWith({ keys }, { xr: own({ host: "db.example.org", db: "or/ders", keys: listed }) });
    expect(keysOf(draft)).toEqual({
      data: { DATABASE_URL: URL, PGHOST: base64("db.example.org") },
      filledIn: ["data.AGAIN from data.password", "data.PGPASSWORD from data.password", "data[a.b] from data.username"],
    });
  });

  test("are all read by Crossplane where the copy is a plain Secret", () => {
    const draft = draftWith({ keys, via: "Secret" }, { xr: own({ keys: { A: "username" } }) });
    expect(objectIn(draft, `${KEY}/secret`)).toMatchObject({ data: { A: base64("app") } });
  });

  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, "username"]));
  const often = (text: string): JsonObject => ({ A: text.repeat(500) });
  const template = (place: string) =>
    `not a template: ${place} is wrong; {key} is replaced by that value of the Secret, {xr:spec.field} by that field of the XR, and ` +
    "{shared:status.field} by that field of the shared resource; |url, |base64 or |json before the } encodes the value; write {{ and }} " +
    "for braces";
  const invalid = (text: string) => `InvalidTarget: db: ${text}`;
  const noKey = (name: string) =>
    invalid(
      `${JSON.stringify(name.length > 100 ? `${name.slice(0, 99)}…` : name)} cannot be a key of a Secret; it comes from spec.keys of the XR`,
    );
  const TOO_LARGE =
    "TooLarge: db: 1 copy is left out, because all copies of this XR together would be too large for Crossplane: copy fewer keys, or name fewer namespaces";
  const manyBytes = { answers: { "db/secret": [connectionSecret({ username: base64("a".repeat(10_000)) })] } };
  const brokenA = (text: string, place: string): Wrong => [
    "a brace that is wrong",
    invalid(`"A" in spec.keys of the XR is ${template(place)}`),
    { A: text },
  ];
  type Wrong = [reason: string, says: string, listed?: JsonValue | undefined, parts?: CallParts, copy?: JsonObject];
  const wrongs = (reason: string, says: string, ...values: readonly JsonValue[]): readonly Wrong[] =>
    values.map((value): Wrong => [reason, says, value]);
  const inA = (...texts: readonly JsonValue[]) => texts.map((A) => ({ A }));
  const onV1 =
    "a text with a key of the Secret in braces needs Crossplane v2.2 or later, or v2.0 or v2.1 with an XRD of scope Namespaced or Cluster";
  const published = "via: ConnectionSecret copies keys only as they are: use no text with braces";
  const long = { A: "{{".repeat(3000), B: "{{".repeat(3000) };
  const big = { xr: own({ keys: often("{xr:spec.big|url}"), big: "%".repeat(10_000) }) };
  test.each<Wrong>([
    ["not set", "FieldNotSet: db: spec.keys of the XR is not set"],
    ...wrongs("no object", invalid("spec.keys of the XR is not an object"), "password", ["password"], 7),
    ["empty", invalid("spec.keys of the XR has no keys"), {}],
    ["100,000", invalid("spec.keys of the XR has 100000 keys, more than 1000"), many],
    ...wrongs("no text", invalid('"A" in spec.keys of the XR is not a text'), ...inA(7, null, "", ["a"], {})),
    ...["a b", "", "../x", "k".repeat(254), "__proto__ ", ".", "..", "..x"].map(
      (name): Wrong => ["a name that no key can have", noKey(name), { [name]: "username" }],
    ),
    ["a path for a key of the source", noKey("username].x[y"), { A: "username].x[y" }],
    ...["{", "}{", "{password"].map((text) => brokenA(text, "the brace at character 1")),
    brokenA("{{{x", "the brace at character 3"),
    ...["{xr:spec..a}", "{password|base46}"].map((text) => brokenA(text, text)),
    ["a field that is not set", "FieldNotSet: db: spec.none of the XR is not set", { A: "{xr:spec.none}" }],
    ["a text, which no provider can publish", invalid(published), { A: "{password}" }, {}, { via: "ConnectionSecret" }],
    ["a text with a key on Crossplane v1", invalid(onV1), { A: "{password}" }, { capabilities: [] }],
    ["too long", invalid("the texts with braces in spec.keys of the XR have more than 10000 characters in all"), long],
    ["a field in a text so often that the product is large", TOO_LARGE, undefined, big],
    ["a key in a text so often that the product is large", TOO_LARGE, often("{username}"), manyBytes],
  ])("are %s: the copy stays, and nothing is written (%s)", (_reason, said, listed, parts, copy) => {
    const kept = { ...OBJECT, spec: { providerConfigRef: {} } };
    const xr = own(listed === undefined ? {} : { keys: listed });
    const draft = draftWith({ keys, ...copy }, { xr, observed: { [KEY]: kept }, ...parts });
    expect(says(draft)).toBe(said);
    expect(fatalsIn(draft)).toEqual([]);
    if (copy === undefined) expect(objectIn(draft)).toEqual(kept);
    else expect(draft.resources.has(`${KEY}/connection-secret`)).toBe(false);
  });
});
