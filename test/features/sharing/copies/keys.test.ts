import { describe, expect, test } from "vitest";
import { asDesiredBefore } from "../../../../src/features/sharing/copies/compose-object.ts";
import { documentOf } from "../../../../src/model/document.ts";
import type { Draft } from "../../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../../src/model/json.ts";
import {
  base64,
  type CallParts,
  connectionSecret,
  draftOfCopy,
  requirementsIn,
  shared,
  xr,
} from "../../../../testing/builders/sharing.ts";

/** Where the keys of a copy come from, and who fills them in. */

const TARGET = "shared/db/team-a/orders-db";
const own = (fields: JsonObject): JsonObject => xr({ spec: { ...(xr()["spec"] as JsonObject), ...fields } });

const draftWith = (copy: JsonObject, parts: CallParts = {}): Draft =>
  draftOfCopy(copy, { ...parts, answers: { "db/secret": [connectionSecret()], ...parts.answers } });

const says = ({ conditions }: Draft) => `${conditions[0]?.reason}: ${conditions[0]?.message}`;

/** The keys of an Object: those that its manifest holds, and those that the provider fills in. */
function keysOf({ resources }: Draft): { data: JsonValue | undefined; filledIn: readonly string[] | undefined } {
  const { object } = resources.get(TARGET) as unknown as { object: { spec: unknown } };
  const { forProvider, references } = object.spec as {
    forProvider: { manifest: JsonObject };
    references?: readonly { patchesFrom: { fieldPath: string }; toFieldPath: string }[];
  };
  const filledIn = references?.map(({ patchesFrom, toFieldPath }) => `${toFieldPath} from ${patchesFrom.fieldPath}`);
  return { data: forProvider.manifest["data"], filledIn };
}

const plain = { from: "password", to: "DB_PASSWORD" };
const literal = { value: "postgresql", to: "type" };
const url = { value: "postgres://{username|url}:{password|url}@{xr:spec.host}/{xr:spec.db|url}", to: "url" };
const withHost = own({ host: "db.example.org", db: "or/ders" });
const URL = base64("postgres://app:p%40ss%2F1@db.example.org/or%2Fders");
const FILLED_IN = "data.DB_PASSWORD from data.password";

describe("via Object, the manifest holds what a template makes, and the provider fills in the rest", () => {
  test.each<{
    reason: string;
    keys: readonly JsonObject[] | undefined;
    data?: JsonObject;
    filledIn?: readonly string[];
    isRead?: boolean;
  }>([
    { reason: "all keys", keys: undefined, filledIn: ["data from data"] },
    { reason: "keys as they are", keys: [plain], filledIn: [FILLED_IN] },
    {
      reason: "a text beside one",
      keys: [literal, plain],
      data: { type: base64("postgresql") },
      filledIn: [FILLED_IN],
    },
    { reason: "a text alone", keys: [literal], data: { type: base64("postgresql") } },
    {
      reason: "a field of the XR in a text",
      keys: [{ value: "{xr:spec.host}:5432", to: "host" }, plain],
      data: { host: base64("db.example.org:5432") },
      filledIn: [FILLED_IN],
    },
    {
      reason: "keys of the Secret and fields of the XR in a text",
      keys: [url, literal, plain],
      data: { type: base64("postgresql"), url: URL },
      filledIn: [FILLED_IN],
      isRead: true,
    },
  ])("$reason", ({ keys, data, filledIn, isRead = false }) => {
    const draft = draftWith({ ...(keys && { keys }) }, { xr: withHost });
    expect(keysOf(draft)).toEqual({ data, filledIn });
    expect(requirementsIn(draft).has("shared-resource/db/secret")).toBe(isRead);
  });

  test("a text needs no value of the source: it is written on Crossplane v1, and where there is no Secret", () => {
    const onV1 = draftWith({ keys: [literal, plain] }, { capabilities: [] });
    expect(keysOf(onV1).data).toEqual({ type: base64("postgresql") });
    const withoutSecret = draftWith({ via: "Secret", keys: [literal] }, { answers: { "db/secret": [] } });
    expect(withoutSecret.resources.get(`${TARGET}/secret`)).toMatchObject({
      object: { data: { type: base64("postgresql") } },
    });
  });
});

describe("an Object that is kept desires of its data what no reference fills in", () => {
  const reference = (to: string) => ({ patchesFrom: { fieldPath: to }, toFieldPath: to });
  test.each<{ reason: string; references?: readonly JsonObject[]; data: JsonObject; kept: JsonObject | undefined }>([
    { reason: "all of it", data: { a: "eA==", b: "eQ==" }, kept: { a: "eA==", b: "eQ==" } },
    {
      reason: "a part",
      references: [reference("data.a"), reference("data[ca.crt]")],
      data: { a: "eA==", "ca.crt": "eA==", b: "eQ==" },
      kept: { b: "eQ==" },
    },
    { reason: "none", references: [reference("data.a")], data: { a: "eA==" }, kept: undefined },
    {
      reason: "none, where the provider copies all",
      references: [reference("data")],
      data: { a: "eA==" },
      kept: undefined,
    },
  ])("$reason", ({ references, data, kept }) => {
    const spec = { forProvider: { manifest: { kind: "Secret", data } }, ...(references && { references }) };
    const before = asDesiredBefore(
      documentOf({ apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object", spec }),
    );
    expect(before).toMatchObject({ kind: "Object" });
    expect((before["spec"] as { forProvider: { manifest: JsonObject } }).forProvider.manifest["data"]).toEqual(kept);
  });
});

describe("a key that is listed no longer is emptied in the manifest, where the provider has written it, and then left out", () => {
  test.each<{
    reason: string;
    keys: readonly JsonObject[] | undefined;
    held: JsonObject;
    data: JsonObject | undefined;
  }>([
    {
      reason: "one that the provider copied",
      keys: [plain],
      held: { old: "eA==", DB_PASSWORD: "eA==" },
      data: { old: "" },
    },
    {
      reason: "one beside a text",
      keys: [literal],
      held: { old: "eA==", type: "eA==" },
      data: { type: base64("postgresql"), old: "" },
    },
    { reason: "one that is empty already", keys: [plain], held: { old: "" }, data: undefined },
    { reason: "none of those that the provider copies", keys: [plain], held: { DB_PASSWORD: "eA==" }, data: undefined },
    { reason: "none where all keys are copied", keys: undefined, held: { old: "eA==" }, data: undefined },
  ])("$reason", ({ keys, held, data }) => {
    const spec = { forProvider: { manifest: { kind: "Secret", data: held } } };
    const observed = { [TARGET]: { apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object", spec } };
    expect(keysOf(draftWith({ ...(keys && { keys }) }, { observed })).data).toEqual(data);
  });
});

describe("a field of the XR that a template names", () => {
  test.each<{ reason: string; host?: JsonValue; value?: string; condition?: string }>([
    { reason: "a text", host: "a b", value: "a b a%20b" },
    { reason: "a number", host: 5432, value: "5432 5432" },
    { reason: "false", host: false, value: "false false" },
    { reason: "nothing", condition: "FieldNotSet: db: spec.host of the XR is not set" },
    { reason: "an empty text", host: "", condition: "FieldNotSet: db: spec.host of the XR is not set" },
    { reason: "an object", host: { a: 1 }, condition: "FieldNotSet: db: spec.host of the XR is not set" },
  ])("holds $reason", ({ host, value, condition }) => {
    const keys = [{ value: "{xr:spec.host} {xr:spec.host|url}", to: "k" }];
    const draft = draftWith({ keys }, { xr: own(host === undefined ? {} : { host }) });
    if (condition !== undefined) expect([says(draft), draft.resources.size]).toEqual([condition, 0]);
    else expect(keysOf(draft).data).toEqual({ k: base64(value ?? "") });
  });
});

describe("keys that a field of the XR lists", () => {
  const keys = { fromCompositeFieldPath: "spec.keys" };
  test("are keys of the source, or templates where there is a brace; in the order of their names", () => {
    const listed = {
      PGPASSWORD: "password",
      AGAIN: "password",
      DATABASE_URL: url.value,
      PGHOST: "{xr:spec.host}",
      "a.b": "username",
    };
    const draft = draftWith({ keys }, { xr: own({ host: "db.example.org", db: "or/ders", keys: listed }) });
    expect(keysOf(draft)).toEqual({
      data: { DATABASE_URL: URL, PGHOST: base64("db.example.org") },
      filledIn: ["data.AGAIN from data.password", "data.PGPASSWORD from data.password", "data[a.b] from data.username"],
    });
  });

  test("are all read by Crossplane where they become connection details", () => {
    const connection = { copies: [{ via: "CompositeConnectionDetails", keys }] };
    const draft = draftWith({}, { sharedResources: [shared({ connection })], xr: own({ keys: { A: "username" } }) });
    expect([...draft.connectionDetails]).toEqual([["A", base64("app")]]);
  });

  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, "username"]));
  const often = (text: string): JsonObject => ({ A: text.repeat(500) });
  const TEMPLATE =
    "not a template: {key} is replaced by a value of the Secret and {xr:spec.field} by one of the XR, with |url before the } for a " +
    "URL; write {{ and }} for braces";
  interface Wrong {
    readonly reason: string;
    readonly listed?: JsonValue;
    readonly copy?: JsonObject;
    readonly parts?: CallParts;
    readonly says: string;
  }
  const wrong: readonly Wrong[] = [
    { reason: "not set", says: "FieldNotSet: db: spec.keys of the XR is not set" },
    ...["password", ["password"], 7].map((listed) => ({
      reason: "no object",
      listed,
      says: "InvalidTarget: db: spec.keys of the XR is not an object",
    })),
    { reason: "empty", listed: {}, says: "InvalidTarget: db: spec.keys of the XR has no keys" },
    {
      reason: "100,000",
      listed: many,
      says: "InvalidTarget: db: spec.keys of the XR has 100000 keys, more than 1000",
    },
    ...[7, null, "", ["username"], { from: "username" }].map((text) => ({
      reason: "a value that is no text",
      listed: { A: text },
      says: 'InvalidTarget: db: "A" in spec.keys of the XR is not a text',
    })),
    ...["a b", "", "../x", "k".repeat(254), "__proto__ "].map((name) => ({
      reason: "a name that no key can have",
      listed: { [name]: "username" },
      says: `InvalidTarget: db: ${JSON.stringify(name.length > 100 ? `${name.slice(0, 99)}…` : name)} is not a Secret's key`,
    })),
    {
      reason: "a path for a key of the source",
      listed: { A: "username].x[y" },
      says: 'InvalidTarget: db: "username].x[y" is not a Secret\'s key',
    },
    ...["{", "}{", "{password", "{xr:spec..a}", "{{{x"].map((text) => ({
      reason: "a brace that is not closed",
      listed: { A: text },
      says: `InvalidTarget: db: "A" in spec.keys of the XR is ${TEMPLATE}`,
    })),
    {
      reason: "a field that is not set",
      listed: { A: "{xr:spec.none}" },
      says: "FieldNotSet: db: spec.none of the XR is not set",
    },
    {
      reason: "a template where the provider can only publish",
      listed: { A: "{password}" },
      copy: { via: "ConnectionSecret" },
      says: "InvalidTarget: db: via: ConnectionSecret copies keys only as they are, without braces",
    },
    {
      reason: "a template on Crossplane v1",
      listed: { A: "{password}" },
      parts: { capabilities: [] },
      says: "InvalidTarget: db: a text with a key of the Secret in braces needs Crossplane v2.2, or v2.0 with an XR of Crossplane v2",
    },
    {
      reason: "a text that is longer than any that is of use",
      listed: { A: "{{".repeat(3000), B: "{{".repeat(3000) },
      says: "InvalidTarget: db: spec.keys of the XR has more than 10000 characters in texts with braces",
    },
    {
      reason: "a field in a text so often that the product is large",
      listed: often("{xr:spec.big|url}"),
      parts: { xr: own({ keys: often("{xr:spec.big|url}"), big: "%".repeat(10_000) }) },
      says: "TooLarge: db: 1 copy is left out: the response would exceed Crossplane's limit",
    },
    {
      reason: "a key in a text so often that the product is large",
      listed: often("{username}"),
      parts: { answers: { "db/secret": [{ ...connectionSecret(), data: { username: base64("a".repeat(10_000)) } }] } },
      says: "TooLarge: db: 1 copy is left out: the response would exceed Crossplane's limit",
    },
  ];
  test.each(wrong)(
    "are $reason: the copy stays, and nothing is written ($says)",
    ({ listed, copy, parts, says: said }) => {
      const kept = { apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object", spec: { providerConfigRef: {} } };
      const draft = draftWith(
        { keys, ...copy },
        { xr: own(listed === undefined ? {} : { keys: listed }), observed: { [TARGET]: kept }, ...parts },
      );
      expect(says(draft)).toBe(said);
      expect(draft.results.filter(({ severity }) => severity === "Fatal")).toEqual([]);
      const key = copy?.["via"] === "ConnectionSecret" ? `${TARGET}/connection-secret` : TARGET;
      expect(
        [...draft.resources].filter(([name]) => name === key).map(([, edit]) => "object" in edit && edit.object),
      ).toEqual(key === TARGET ? [kept] : []);
    },
  );
});
