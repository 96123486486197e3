import { describe, expect, test } from "vitest";
import { findConnectionSecret, judgeSecret } from "../../src/crossplane/connection-secret.ts";
import { documentOf } from "../../src/model/document.ts";
import { parseFieldPath } from "../../src/model/field-path.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { parseFieldsText } from "../../src/model/template.ts";

const CLUSTER_SCOPED = documentOf({ metadata: { name: "orders" } });
const claimRef = { namespace: "red", name: "orders" };
const labels = { "crossplane.io/claim-name": "orders", "crossplane.io/claim-namespace": "red" };
/** What a claim's XR says; a Composition may copy the whole spec of it. */
const specOf = (name: string) => ({ claimRef, writeConnectionSecretToRef: { namespace: "crossplane-system", name } });
const CLAIMED = documentOf({ metadata: { name: "orders", labels }, spec: specOf("uid") });
const ownerReferences = [{ apiVersion: "v1", kind: "XShop", name: "shop", uid: "77c1", controller: true }];
/** A nested XR, or a managed resource: its Composition may take the name from a field of the claim. */
const nested = (name: string) =>
  documentOf({ metadata: { name: "orders", uid: "5d2f", labels, ownerReferences }, spec: specOf(name) });
const BOUND = documentOf({ metadata: { name: "orders" }, spec: { claimRef } });
const NAMESPACED = documentOf({ metadata: { name: "orders", namespace: "db" } });

const named = (namespace: string) => ({ is: "named", secret: { namespace, name: "conn" } });
const missing = { is: "missing" };
const foreign = { is: "foreign" };

test("what was made for a claim may name the Secret that Crossplane writes for it", () => {
  const secret = { namespace: "crossplane-system", name: "uid" };
  expect(judgeSecret(CLAIMED, secret.name, secret.namespace)).toEqual({ is: "named", secret });
});

test.each([
  ["its own uid", "5d2f-conn", "named"],
  ["its XR's uid", "conn-77c1", "named"],
  ["no uid: the claim may have chosen it, as that of another team's Secret", "root-credentials", "foreign"],
])("what was composed below a claim's XR names a Secret with %s in its name", (_, name, is) => {
  expect(judgeSecret(nested(name), name, "crossplane-system").is).toBe(is);
});

test.each([
  ["a cluster-scoped resource, in any namespace", CLUSTER_SCOPED, "conn", "vault", named("vault")],
  ["a cluster-scoped resource, without a namespace", CLUSTER_SCOPED, "conn", undefined, missing],
  ["a cluster-scoped resource, without a name", CLUSTER_SCOPED, undefined, "vault", missing],
  ["a cluster-scoped resource, by what is no name", CLUSTER_SCOPED, "../conn", "vault", missing],
  ["a cluster-scoped resource, in what is no namespace", CLUSTER_SCOPED, "conn", "a/b", missing],
  ["what was made for a claim, in the claim's namespace", CLAIMED, "conn", "red", named("red")],
  ["what was made for a claim, elsewhere: its tenant chose that", CLAIMED, "root-credentials", "dba", foreign],
  ["what was made for a claim, without Crossplane's label yet, elsewhere", BOUND, "root-credentials", "dba", foreign],
  ["a namespaced resource, without a namespace", NAMESPACED, "conn", undefined, named("db")],
  ["a namespaced resource, in its own namespace", NAMESPACED, "conn", "db", named("db")],
  ["a namespaced resource, elsewhere", NAMESPACED, "conn", "vault", foreign],
])("the connection Secret of %s", (_, resource, name, namespace, expected) => {
  expect(judgeSecret(resource, name, namespace)).toEqual(expected);
});

describe("a Secret that is named by a text of the resource's fields", () => {
  const find = (text: string, metadata: JsonObject, spec: JsonObject = {}, namespaceField = "spec.place") =>
    findConnectionSecret(documentOf({ metadata, spec }), {
      name: parseFieldsText(text),
      namespaceFieldPath: parseFieldPath(namespaceField),
    });
  const inDb = { name: "orders", namespace: "db" };
  const missingIn = (field: string) => ({ is: "missing", field });
  const text = "{metadata.labels[a]}-{spec.b}";
  test.each([
    [
      "lies beside it",
      find("{metadata.name}-sql", inDb),
      { is: "named", secret: { namespace: "db", name: "orders-sql" } },
    ],
    ["is not named while fields are not set, which are told", find(text, inDb), missingIn("metadata.labels.a, spec.b")],
    ["is not named while one is not set", find(text, { ...inDb, labels: { a: "x" } }), missingIn("spec.b")],
    ["is named by no object", find("{metadata.labels}", { ...inDb, labels: { a: "x" } }), missingIn("metadata.labels")],
    [
      "is not named by what no Secret's name can hold",
      find(text, { ...inDb, labels: { a: "x/y" } }, { b: "z" }),
      missingIn("metadata.labels.a, spec.b"),
    ],
    ["has no namespace", find("{metadata.name}", { name: "orders" }), missingIn("spec.place")],
    ["does not lie elsewhere", find("{metadata.name}", inDb, { place: "kube-system" }), foreign],
  ])("%s", (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  // A tenant chooses the claim's name, which Crossplane puts into its XR's labels, and the fields of its spec.
  test.each([
    ["by a claim's name", "{metadata.labels[crossplane.io/claim-name]}-app", { place: "db" }, foreign],
    ["by a field of the claim", "{spec.name}", { place: "db", name: "root-credentials" }, foreign],
    ["in the claim's namespace", "{spec.name}", { place: "red", name: "conn" }, named("red")],
  ])("is no other than the claim's own: %s", (_, name, spec, expected) => {
    expect(find(name, { name: "orders-x7k2p", uid: "5d2f", labels }, { ...specOf("uid"), ...spec })).toEqual(expected);
  });
});
