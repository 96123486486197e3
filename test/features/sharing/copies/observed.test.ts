import { describe, expect, test } from "vitest";
import { findCopies } from "../../../../src/features/sharing/copies/observed.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import { SHARED_FROM } from "../../../../src/ownership/annotations.ts";
import { resourceOf } from "../../../../testing/builders/sharing.ts";

const db = { namespace: "databases", name: "orders" };
const other = { namespace: "databases", name: "bills" };

const patchesFrom = (secret: JsonObject): JsonObject => ({
  patchesFrom: { apiVersion: "v1", kind: "Secret", ...secret },
});
const object = (spec: JsonObject): JsonObject => ({
  apiVersion: "kubernetes.crossplane.io/v1alpha2",
  kind: "Object",
  spec,
});
const annotated = (text: string): JsonObject => ({ metadata: { annotations: { [SHARED_FROM]: text } } });
const written = (text: string): JsonObject =>
  object({ forProvider: { manifest: { kind: "Secret", ...annotated(text) } } });

describe("the Secret that an observed copy is of", () => {
  test.each<{ copy: string; resource: JsonObject; source: object | undefined }>([
    { copy: "an Object with a reference", resource: object({ references: [patchesFrom(db)] }), source: db },
    {
      copy: "an Object with a reference for each key",
      resource: object({ references: [patchesFrom(db), patchesFrom(db)] }),
      source: db,
    },
    {
      copy: "an Object with references to two Secrets",
      resource: object({ references: [patchesFrom(db), patchesFrom(other)] }),
      source: undefined,
    },
    {
      copy: "an Object of which one reference names no Secret",
      resource: object({ references: [patchesFrom(db), patchesFrom({ name: "orders" })] }),
      source: undefined,
    },
    {
      copy: "an Object with a reference that is none, whatever its annotation says",
      resource: object({ ...(written("databases/orders")["spec"] as JsonObject), references: [{ dependsOn: db }] }),
      source: undefined,
    },
    { copy: "an Object with connection details", resource: object({ connectionDetails: [db, db] }), source: db },
    { copy: "an Object that has the values", resource: written("databases/orders"), source: db },
    { copy: "a Secret", resource: { apiVersion: "v1", kind: "Secret", ...annotated("databases/orders") }, source: db },
    { copy: "an annotation without a namespace", resource: written("orders"), source: undefined },
    { copy: "an annotation with three parts", resource: written("a/b/c"), source: undefined },
    { copy: "nothing of it", resource: object({}), source: undefined },
  ])("$copy", ({ resource, source }) => {
    expect(findCopies(new Map([["shared/db/team-a/orders-db", resourceOf(resource)]]))).toMatchObject([
      { share: "db", source },
    ]);
  });
});

describe("copies are found", () => {
  const keysIn = (names: readonly string[]) =>
    findCopies(new Map(names.map((name) => [name, resourceOf(object({}))]))).map(({ key }) => key);

  test("by their names, in this order", () => {
    const names = ["shared/db/team-a/b", "shared/db/team-a/a/secret", "shared/cache/team-a/z/connection-secret"];
    expect(keysIn(names)).toEqual([names[2], names[1], names[0]]);
  });

  test.each([
    { name: "bucket" },
    { name: "sharedness" },
    { name: "shared/db" },
    { name: "shared/db/orders" },
    { name: "shared/db/team-a/orders/secret/more" },
    { name: "shared//team-a/orders" },
    { name: `shared/db/team-a/${"a".repeat(254)}` },
    { name: `shared/db/${"a".repeat(64)}/orders` },
    { name: `shared/${"a".repeat(250_000)}/team-a/orders` },
  ])("by no name that the function gives none of them: number %#", ({ name }) => {
    expect(keysIn([name])).toEqual([]);
  });
});
