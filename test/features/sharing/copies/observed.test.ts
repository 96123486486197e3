import { describe, expect, test } from "vitest";
import { findCopies } from "../../../../src/features/sharing/copies/observed.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import { SHARED_FROM } from "../../../../src/ownership/annotations.ts";
import { resourceOf } from "../../../../testing/builders/request.ts";

const db = { namespace: "databases", name: "orders" };
const other = { namespace: "databases", name: "bills" };
const nameless = { name: "orders" };

const patchesFrom = (secret: JsonObject) => ({ patchesFrom: { apiVersion: "v1", kind: "Secret", ...secret } });
const object = (spec: JsonObject) => ({ apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object", spec });
const annotated = (text: string): JsonObject => ({ metadata: { annotations: { [SHARED_FROM]: text } } });
const written = (text: string): JsonObject =>
  object({ forProvider: { manifest: { kind: "Secret", ...annotated(text) } } });

const marked = written("databases/orders")["spec"] as JsonObject;
test.each<[copy: string, resource: JsonObject, source?: object]>([
  ["an Object with a reference", object({ references: [patchesFrom(db)] }), db],
  ["an Object with a reference for each key", object({ references: [patchesFrom(db), patchesFrom(db)] }), db],
  ["an Object with references to two Secrets", object({ references: [patchesFrom(db), patchesFrom(other)] })],
  ["an Object with a reference to none", object({ references: [patchesFrom(db), patchesFrom(nameless)] })],
  ["an Object with a reference that is none", object({ ...marked, references: [{ dependsOn: db }] })],
  ["an Object with connection details", object({ connectionDetails: [db, db] }), db],
  ["an Object that has the values", written("databases/orders"), db],
  ["a Secret", { apiVersion: "v1", kind: "Secret", ...annotated("databases/orders") }, db],
  ["an annotation without a namespace", written("orders")],
  ["an annotation with three parts", written("a/b/c")],
  ["nothing of it", object({})],
])("the Secret that an observed copy is of: %s", (_copy, resource, source) => {
  expect(findCopies(new Map([["shared/db/team-a/orders-db", resourceOf(resource)]]))).toMatchObject([
    { share: "db", source },
  ]);
});

describe("copies are found", () => {
  const keysIn = (names: readonly string[]) =>
    findCopies(new Map(names.map((name) => [name, resourceOf(object({}))]))).map(({ key }) => key);

  test("by their names, in this order", () => {
    const names = ["shared/db/team-a/b", "shared/db/team-a/a/secret", "shared/cache/team-a/z/connection-secret"];
    expect(keysIn(names)).toEqual([names[2], names[1], names[0]]);
  });

  test.each([
    "bucket",
    "shared/db/orders",
    "shared/db/team-a/orders/secret/more",
    "shared//team-a/orders",
    `shared/db/team-a/${"a".repeat(254)}`,
    `shared/db/${"a".repeat(64)}/orders`,
    `shared/${"a".repeat(250_000)}/team-a/orders`,
  ])("by no name that the function gives none of them: number %#", (name) => {
    expect(keysIn([name])).toEqual([]);
  });
});
