import { describe, expect, test } from "vitest";
import type { IdentityFacts } from "../../src/crossplane/providers/families.ts";
import { documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { hashExternalName } from "../../src/ownership/identity.ts";
import { type Names, readNames } from "../../src/ownership/names.ts";
import { named, resource } from "./identity-of.ts";

const NAME = ["spec", "forProvider", "name"];
const GROUP = ["spec", "forProvider", "group"];

const read = (name: IdentityFacts["name"], metadata: JsonObject, forProvider: JsonObject, observed?: JsonObject) => {
  const toDocument = (of: JsonObject) => documentOf(resource("example.org/v1", "Thing", of, forProvider));
  const facts = { name, scope: [], isUnknownKind: false };
  return readNames({ desired: toDocument(metadata), observed: observed && toDocument(observed), facts });
};

describe("the names of a cloud resource", () => {
  const annotation = ["metadata", "annotations", "crossplane.io/external-name"];
  const ofName = ["metadata", "name"];
  const annotated = { name: "b", ...named("a") };
  test.each<[string, boolean, JsonObject, JsonObject | undefined, Names | undefined]>([
    ["the annotation", true, annotated, undefined, { names: ["a"], parts: ["a"], path: annotation }],
    ["metadata.name", true, { name: "b" }, { name: "b" }, { names: ["b"], parts: ["b"], path: ofName }],
    ["what the provider wrote", true, { name: "b" }, annotated, { names: ["a"], parts: ["a"], path: ofName }],
    ["known to the cloud only", false, { name: "b" }, undefined, undefined],
    ["not given at all", true, {}, undefined, undefined],
  ])("are %s", (_, defaultsToName, metadata, observed, is) => {
    expect(read({ is: "externalName", defaultsToName }, metadata, {}, observed)).toEqual(is);
  });

  const both = { group: "g", name: "n" };
  test.each<[string, "fields" | "association", JsonObject, readonly string[] | "unresolved" | undefined]>([
    ["fields that are all set", "fields", both, ["g", "n"]],
    ["fields of which the last is set", "fields", { name: "n" }, ["", "n"]],
    ["fields of which the last is not set", "fields", { group: "g" }, undefined],
    ["an association's fields, all set", "association", both, ["g,n"]],
    ["an association's fields of which one is set", "association", { name: "n" }, ["n"]],
    ["an association's fields of which none is set", "association", {}, undefined],
    ["an association's fields of which one is unresolved", "association", { group: "g", nameRef: {} }, "unresolved"],
  ])("are made of %s", (_, is, forProvider, names) => {
    const found = read({ is, paths: [GROUP, NAME] }, {}, forProvider);
    expect(typeof found === "object" ? found.names : found).toEqual(names);
    if (typeof found === "object") expect(found.path).toEqual(is === "fields" ? NAME : GROUP);
  });

  test("are `default` where there is one in a region", () => {
    const name: IdentityFacts["name"] = { is: "association", paths: [] };
    expect(read(name, {}, {})).toEqual({ names: ["default"], parts: [], path: ["kind"] });
  });
});

test("the hash of an external name differs with group, kind and each name", () => {
  const hashes = [
    hashExternalName("g", "k", ["a", "b"]),
    hashExternalName("h", "k", ["a", "b"]),
    hashExternalName("g", "l", ["a", "b"]),
    hashExternalName("g", "k", ["a", "c"]),
    hashExternalName("g", "k", ["", "b"]),
  ];
  expect(new Set(hashes).size).toBe(5);
  expect(hashes[0]).toMatch(/^[0-9a-f]{40}$/);
});
