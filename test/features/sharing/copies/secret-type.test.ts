import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../../src/model/json.ts";
import { type CallParts, draftOfCopy } from "../../../../testing/builders/calls.ts";
import { KEY, objectIn, secretIn, targetSecret } from "../../../../testing/builders/copies.ts";
import { says } from "../../../../testing/builders/read-draft.ts";
import { fromXr, grantedTo, naming } from "../../../../testing/builders/shared-database.ts";
import { connectionSecret, observedObject } from "../../../../testing/builders/sharing.ts";

/** The type, labels and annotations of a copy. */

const SECRET = { "db/secret": [connectionSecret()] };
const draftWith = (copy: JsonObject, spec: JsonObject = {}, parts: CallParts = {}) =>
  draftOfCopy(copy, { xr: naming("orders", spec), ...parts, answers: { ...SECRET, ...parts.answers } });

const TLS = "kubernetes.io/tls";
const BASIC = "kubernetes.io/basic-auth";
const SSH = "kubernetes.io/ssh-auth";
const DOCKER = "kubernetes.io/dockerconfigjson";
const fromField = { type: fromXr("spec.type"), labels: { a: fromXr("spec.a") }, annotations: { b: fromXr("spec.b") } };

test("they come from fields of the XR", () => {
  const { manifest } = secretIn(objectIn(draftWith(fromField, { type: "example.org/login", a: "x", b: "y z" })));
  const metadata = { labels: { a: "x" }, annotations: { b: "y z" } };
  expect(manifest).toMatchObject({ type: "example.org/login", metadata });
});

const listing = (...keys: readonly string[]) => keys.map((to) => ({ value: "x", to }));
const invalid = (text: string) => `InvalidTarget: db: ${text}`;
const requires = (type: string, key: string) => invalid(`type ${type} requires the key ${key}`);
const notJson = invalid(".dockerconfigjson is not JSON: in value, write {password|json} to escape the value of a key");
const ofField = { labels: { a: fromXr("spec.a") } };
const tooLong = invalid("the copy's annotations have more than 60000 characters");
const login = '{{"username": "{username|json}", "password": "{password|json}"}}';
const asJson = `{{"auths": {{"{shared:status.endpoint|json}": ${login}}}}}`;
const token = (type: string) => invalid(`type ${type} is not for copies: Kubernetes itself fills in such a Secret`);
const SERVICE_ACCOUNT = "kubernetes.io/service-account-token";
const docker = (value: string) => ({ type: DOCKER, keys: [{ value, to: ".dockerconfigjson" }] });

type Row = [reason: string, says: string, copy: JsonObject, spec?: JsonObject];
test.each<Row>([
  ["whose type is not set", "FieldNotSet: db: spec.type of the XR is not set", fromField, { a: "x", b: "y" }],
  ["whose label is not set", "FieldNotSet: db: spec.a of the XR is not set", fromField, { type: "t", b: "y" }],
  ["whose annotation is not set", "FieldNotSet: db: spec.b of the XR is not set", fromField, { type: "t", a: "y" }],
  ["of no type", invalid('"a b" is not a valid Secret type'), { type: fromXr("spec.type") }, { type: "a b" }],
  ["with no label's value", invalid('"a b" is not a valid label value'), ofField, { a: "a b" }],
  ["with too long annotations", tooLong, { annotations: { a: fromXr("spec.a"), b: "x" } }, { a: "x".repeat(60_000) }],
  ["that Kubernetes fills in", token(SERVICE_ACCOUNT), { type: fromXr("spec.type") }, { type: SERVICE_ACCOUNT }],
  ["with a token for new nodes", token("bootstrap.kubernetes.io/token"), { type: "bootstrap.kubernetes.io/token" }],
  ["without the certificate", requires(TLS, "tls.crt"), { type: TLS, keys: listing("tls.key") }],
  ["without the certificate's key", requires(TLS, "tls.key"), { type: TLS, keys: listing("tls.crt") }],
  ["without a login", requires(BASIC, "username or password"), { type: BASIC, keys: listing("user") }],
  ["without a key of SSH", requires(SSH, "ssh-privatekey"), { type: SSH, keys: listing("a") }],
  ["without credentials of a registry", requires(DOCKER, ".dockerconfigjson"), { type: DOCKER, keys: listing("a") }],
  ["that copies all keys of a source without that one", requires(TLS, "tls.crt"), { type: TLS, via: "Secret" }],
  ["whose credentials of a registry are not JSON", notJson, docker('{{"auths": "{password}""}}')],
])("a copy is not written, which Kubernetes would refuse and so stop the XR, %s: %s", (_, said, copy, spec) => {
  const draft = draftWith(copy, spec);
  expect([says(draft), [...draft.resources.keys()]]).toEqual([said, []]);
});

test.each<[type: string, copy: JsonObject]>([
  ["with one of two keys", { type: BASIC, keys: listing("password") }],
  ["with all keys of the source, which the provider reads", { type: TLS }],
  ["with all keys of the source, of which one is required", { type: BASIC, via: "Secret" }],
  ["with JSON", docker(asJson)],
])("a copy whose type requires keys is written %s", (_, copy) => {
  expect(draftWith(copy).resources.size).toBe(1);
});

test("annotations count for the size of the response", () => {
  const namespaces = Array.from({ length: 60 }, (_, index) => `team-${index}`);
  const annotations = { a: fromXr("spec.a") };
  const answers = { db: [grantedTo("*")] };
  const draft = draftWith({ annotations, namespaces }, { a: "x".repeat(59_000) }, { answers });
  expect(says(draft)).toContain(
    "copies are left out, because all copies of this XR together would be too large for Crossplane",
  );
});

describe("a Secret that exists keeps its type, and gets new values", () => {
  const there = (type: string): JsonObject => ({ ...targetSecret(), type });
  const told =
    "TypeKept: db: Secret team-a/orders-db keeps type Opaque, which Kubernetes does not change: delete the Secret to get " +
    "one of type kubernetes.io/basic-auth, or choose another secretName";
  const typeIn = (object: JsonObject | undefined): JsonValue | undefined =>
    object?.["kind"] === "Secret" ? object["type"] : secretIn(object).manifest["type"];
  const secretKey = `${KEY}/secret`;
  test.each<[reason: string, copy: JsonObject, observed: Readonly<Record<string, JsonObject>>, key: string]>([
    ["a Secret", { via: "Secret" }, { [secretKey]: there("Opaque") }, secretKey],
    ["that of an Object", {}, { [KEY]: observedObject({ ready: "True" }) }, KEY],
    ["that of an Object that was lost", {}, {}, KEY],
  ])("%s", (_, copy, observed, key) => {
    const answers = { [`${key}/target`]: [there("Opaque")] };
    const draft = draftWith({ ...copy, type: BASIC }, {}, { observed, answers });
    expect(typeIn(objectIn(draft, key))).toBe("Opaque");
    expect(says(draft)).toContain(told);
  });

  test("with the type that it is to have, nothing is said", () => {
    const answers = { [`${secretKey}/target`]: [there(BASIC)] };
    const draft = draftWith({ via: "Secret", type: BASIC }, {}, { observed: { [secretKey]: there(BASIC) }, answers });
    expect([typeIn(objectIn(draft, secretKey)), says(draft)]).toEqual([BASIC, "Available: undefined"]);
  });
});
