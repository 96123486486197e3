import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { JsonObject } from "../src/model/json.ts";
import { callOf, runSharing, V2 } from "../testing/builders/calls.ts";
import { objectIn, secretIn } from "../testing/builders/copies.ts";
import { base64 } from "../testing/builders/kubernetes.ts";
import { connectionSecret, database, shared } from "../testing/builders/sharing.ts";
import { fileOf } from "../testing/rendering/examples.ts";
import { expectedOf, reference } from "../testing/rendering/expectations.ts";

/** What this function delivers, held against the Service Binding Specification for Kubernetes 1.1. */

interface Binding {
  /** The type of the Secret. */
  readonly type: unknown;
  /** Its entries, decoded. */
  readonly data: Readonly<Record<string, string>>;
}

/** The rules that a binding breaks, as sections "Provisioned Service" and "Well-known Secret Entries" have them. */
function findBroken({ type, data }: Binding): readonly string[] {
  const { type: own = "", provider = "", host = "", port = "", uri } = data;
  const rules: Readonly<Record<string, boolean>> = {
    "data has a type": own !== "",
    "the Secret's type is servicebinding.io/ and that": type === `servicebinding.io/${own}`,
    "data has a provider": provider !== "",
    "each entry can be a file": Object.keys(data).every((key) => /^[-._a-zA-Z0-9]{1,253}$/.test(key)),
    "host is a name or an address": /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/.test(host),
    "port is a port": /^[0-9]{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536,
    "uri is a URI": uri === undefined || URL.canParse(uri),
    "there are user, password and database": ["username", "password", "database"].every((key) => data[key]),
  };
  return Object.entries(rules).flatMap(([rule, isKept]) => (isKept ? [] : [rule]));
}

const decode = (data: JsonObject): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(String(text), "base64").toString()]));

const documentsIn = (text: string): readonly JsonObject[] =>
  parseAllDocuments(text).map((document) => document.toJS() as JsonObject);

/** The Secret that provider-kubernetes makes of an Object. */
function bindingOf(object: JsonObject | undefined, source: JsonObject): Binding {
  const keyIn = (path: string): string => path.replace("data.", "");
  const { manifest, data, copied = [] } = secretIn(object);
  const filledIn = copied.map(([to, from]) => [keyIn(to), source[keyIn(from)] ?? ""]);
  return { type: manifest["type"], data: decode({ ...data, ...Object.fromEntries(filledIn) }) };
}

test("the example is a Provisioned Service, and its Secret a binding", () => {
  const rendered = documentsIn(expectedOf("deliver-template", reference)?.text ?? "");
  const required = readFileSync(fileOf("deliver-template", "required-resources.yaml"), "utf8");
  const [, { data: source } = {}] = documentsIn(required);
  const [status] = rendered.filter(({ kind }) => kind === "OrdersApp").map((one) => one["status"] as JsonObject);
  const object = rendered.find(({ kind }) => kind === "Object");
  expect(findBroken(bindingOf(object, source as JsonObject))).toEqual([]);
  const { metadata } = secretIn(object).manifest as Record<string, JsonObject>;
  expect(metadata).toMatchObject({ namespace: "team-a" });
  expect(status?.["binding"]).toEqual({ name: metadata?.["name"] });
});

describe("a binding", () => {
  const source = { endpoint: "db.example.org", port: "5432", username: "app", password: "p@ss/1" };
  const data = Object.fromEntries(Object.entries(source).map(([key, text]) => [key, base64(text)]));
  const keys = [
    { to: "type", value: "postgresql" },
    { to: "provider", value: "platform" },
    { to: "host", from: "endpoint" },
    ...["port", "username", "password"].map((key) => ({ to: key, from: key })),
    { to: "database", value: "{xr:spec.parameters.database}" },
  ];
  const composed = (via: string): JsonObject => {
    const copies = [{ keys, via, secretName: "db", type: "servicebinding.io/postgresql" }];
    const sharedResources = [shared({ connection: { copies } })];
    const answers = { db: [database()], "db/secret": [connectionSecret(data)] };
    const draft = runSharing(callOf({ sharedResources, answers, capabilities: [...V2, "Conditions"] }));
    return objectIn(draft, [...draft.resources.keys()][0]) ?? {};
  };

  test("breaks the rules where it is an ordinary copy", () => {
    const broken = findBroken({ type: "Opaque", data: { endpoint: "db.example.org", username: "app" } });
    expect(broken).toHaveLength(6);
  });

  test("may be delivered by an Object", () => {
    expect(findBroken(bindingOf(composed("Object"), data))).toEqual([]);
  });

  test("may be delivered as a Secret", () => {
    const { type, data: own } = composed("Secret");
    expect(findBroken({ type, data: decode(own as JsonObject) })).toEqual([]);
  });

  test("cannot be delivered as a ConnectionSecret, and the input says so", () => {
    expect(() => composed("ConnectionSecret")).toThrow(
      /type cannot be used with via: ConnectionSecret(?:.|\n)*a key with value cannot be used with via: ConnectionSecret/,
    );
  });
});
