import { describe, expect, test } from "vitest";
import type { IdentityFacts } from "../../src/crossplane/providers/families.ts";
import { documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { hashExternalName, type Names, readNames } from "../../src/ownership/identity.ts";
import { named, resource } from "./identity-of.ts";

const NAME = ["spec", "forProvider", "name"];
const GROUP = ["spec", "forProvider", "group"];
const external = (defaultsToName: boolean): IdentityFacts["name"] => ({ is: "externalName", defaultsToName });

const read = (name: IdentityFacts["name"], metadata: JsonObject, forProvider: JsonObject, observed?: JsonObject) => {
  const toDocument = (of: JsonObject) => documentOf(resource("example.org/v1", "Thing", of, forProvider));
  const facts = { name, scope: [], countsReferences: false };
  return readNames({ desired: toDocument(metadata), observed: observed && toDocument(observed), facts });
};

describe("the names of a cloud resource", () => {
  test.each<{
    reason: string;
    name: IdentityFacts["name"];
    metadata?: JsonObject;
    observed?: JsonObject;
    forProvider?: JsonObject;
    is: Names | undefined;
  }>([
    {
      reason: "the annotation",
      name: external(true),
      metadata: { name: "b", ...named("a") },
      is: { names: ["a"], parts: ["a"], path: ["metadata", "annotations", "crossplane.io/external-name"] },
    },
    {
      reason: "metadata.name, which the provider takes for it",
      name: external(true),
      metadata: { name: "b" },
      observed: { name: "b" },
      is: { names: ["b"], parts: ["b"], path: ["metadata", "name"] },
    },
    {
      reason: "what the provider has written",
      name: external(true),
      metadata: { name: "b" },
      observed: { name: "b", ...named("c") },
      is: { names: ["c"], parts: ["c"], path: ["metadata", "name"] },
    },
    { reason: "known to the cloud only", name: external(false), metadata: { name: "b" }, is: undefined },
    { reason: "not given at all", name: external(true), is: undefined },
  ])("are $reason", ({ name, metadata = {}, forProvider = {}, observed, is }) => {
    expect(read(name, metadata, forProvider, observed)).toEqual(is);
  });

  test.each<{
    reason: string;
    is: "fields" | "association";
    forProvider: JsonObject;
    names: readonly string[] | undefined;
  }>([
    { reason: "fields that are all set", is: "fields", forProvider: { group: "g", name: "n" }, names: ["g", "n"] },
    { reason: "fields of which the last is set", is: "fields", forProvider: { name: "n" }, names: ["", "n"] },
    { reason: "fields of which the last is not set", is: "fields", forProvider: { group: "g" }, names: undefined },
    {
      reason: "an association's fields, all set",
      is: "association",
      forProvider: { group: "g", name: "n" },
      names: ["g,n"],
    },
    {
      reason: "an association's fields of which one is set",
      is: "association",
      forProvider: { name: "n" },
      names: ["n"],
    },
    { reason: "an association's fields of which none is set", is: "association", forProvider: {}, names: undefined },
    {
      reason: "an association's fields of which one is unresolved",
      is: "association",
      forProvider: { group: "g", nameRef: {} },
      names: undefined,
    },
  ])("are made of $reason: $names", ({ is, forProvider, names }) => {
    const found = read({ is, paths: [GROUP, NAME] }, {}, forProvider);
    expect(found?.names).toEqual(names);
    if (found !== undefined) expect(found.path).toEqual(is === "fields" ? NAME : GROUP);
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
