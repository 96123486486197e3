import { describe, expect, test } from "vitest";
import { documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { OWNER } from "../../src/ownership/annotations.ts";
import { type Consumer, compareConsumers, readWrittenOwner, toConsumer } from "../../src/ownership/consumer.ts";

const labels = { "crossplane.io/composite": "shop-x7k2p" };
const annotations = { [OWNER]: "Shop.apps.example.org/team-a/shop" };

const secret = (metadata: JsonObject = {}) =>
  documentOf({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "db", namespace: "team-a", labels, annotations, ...metadata },
  });

const consumer = (overrides: Partial<Consumer> = {}): Consumer => ({
  namespace: "team-a",
  kind: "Shop.apps.example.org",
  name: "shop",
  secretName: "db",
  namespaces: ["team-a"],
  grantees: [{ namespace: "team-a", kind: overrides.kind ?? "Shop.apps.example.org" }],
  ...overrides,
});

const self = { kind: "Secret", name: "db" };

describe("the consumer that a copied Secret stands for", () => {
  const owner = (text: string): JsonObject => ({ annotations: { [OWNER]: text } });
  const xr = { apiVersion: "apps.example.org/v1", kind: "XShop", name: "x", uid: "1", controller: true };
  const grantees = [
    { namespace: "team-a", kind: "Shop.apps.example.org" },
    { namespace: "team-a", kind: "XShop.apps.example.org" },
  ];
  test.each<[reason: string, metadata: JsonObject, is: Consumer | undefined]>([
    ["is the owner that it names", {}, consumer()],
    ["is none where Crossplane did not compose it", { labels: {} }, undefined],
    ["is none without a namespace", { namespace: null }, undefined],
    ["is none in what cannot be a namespace", { namespace: "A/b" }, undefined],
    ["is the Secret itself where no owner is named", { annotations: {} }, consumer(self)],
    ["is the Secret itself where the owner has too many parts", owner("Shop.apps.example.org/a/b/c"), consumer(self)],
    ["is the Secret itself where the owner's kind is none", owner("9 lives/shop"), consumer(self)],
    ["is the Secret itself where the owner has no name", owner("Shop"), consumer(self)],
    ["is the Secret itself where the owner is too long", owner(`Shop/${"a/".repeat(600)}shop`), consumer(self)],
    ["is a cluster-scoped XR", owner("XShop.apps.example.org/shop"), consumer({ kind: "XShop.apps.example.org" })],
    [
      "may be granted by the kind of its XR, in the namespace where it lies, whatever namespace its owner names",
      { ...owner("Shop.apps.example.org/team-b/shop"), ownerReferences: [xr] },
      consumer({ grantees }),
    ],
  ])("%s", (_, metadata, is) => {
    expect(toConsumer(secret(metadata), "Secret")).toEqual(is);
  });
});

test("a copy names its owner in an annotation, of its own or of its manifest", () => {
  const manifest = { metadata: { annotations } };
  const owner = "Shop.apps.example.org/team-a/shop";
  const copies = [secret(), documentOf({ spec: { forProvider: { manifest } } }), documentOf({})];
  expect(copies.map(readWrittenOwner)).toEqual([owner, owner, undefined]);
});

test("consumers are sorted by namespace, kind, name and Secret", () => {
  const sorted = [
    consumer({ namespace: "a", kind: "z", name: "z", secretName: "z" }),
    consumer({ namespace: "b", kind: "a", name: "z", secretName: "z" }),
    consumer({ namespace: "b", kind: "b", name: "a", secretName: "z" }),
    consumer({ namespace: "b", kind: "b", name: "b", secretName: "a" }),
    consumer({ namespace: "b", kind: "b", name: "b", secretName: "b" }),
  ];
  expect(sorted.toReversed().sort(compareConsumers)).toEqual(sorted);
  expect(compareConsumers(consumer(), consumer())).toBe(0);
});
