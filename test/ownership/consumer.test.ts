import { describe, expect, test } from "vitest";
import { documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { type Consumer, compareConsumers, readWrittenOwner, toConsumer } from "../../src/ownership/consumer.ts";
import { OWNER } from "../../src/ownership/owner.ts";

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
  test.each<{ reason: string; metadata?: JsonObject; is: Consumer | undefined }>([
    { reason: "is the owner that it names", is: consumer() },
    { reason: "is none where Crossplane did not compose it", metadata: { labels: {} }, is: undefined },
    { reason: "is none without a namespace", metadata: { namespace: null }, is: undefined },
    { reason: "is none in what cannot be a namespace", metadata: { namespace: "A/b" }, is: undefined },
    { reason: "is the Secret itself where no owner is named", metadata: { annotations: {} }, is: consumer(self) },
    {
      reason: "is the Secret itself where the owner has too many parts",
      metadata: { annotations: { [OWNER]: "Shop.apps.example.org/a/b/c" } },
      is: consumer(self),
    },
    {
      reason: "is the Secret itself where the owner's kind is none",
      metadata: { annotations: { [OWNER]: "9 lives/shop" } },
      is: consumer(self),
    },
    {
      reason: "is the Secret itself where the owner has no name",
      metadata: { annotations: { [OWNER]: "Shop" } },
      is: consumer(self),
    },
    {
      reason: "is the Secret itself where the owner is too long",
      metadata: { annotations: { [OWNER]: `Shop/${"a/".repeat(600)}shop` } },
      is: consumer(self),
    },
    {
      reason: "is a cluster-scoped XR",
      metadata: { annotations: { [OWNER]: "XShop.apps.example.org/shop" } },
      is: consumer({ kind: "XShop.apps.example.org" }),
    },
    {
      reason:
        "may be granted by the kind of its XR, in the namespace where it lies, whatever namespace its owner names",
      metadata: {
        annotations: { [OWNER]: "Shop.apps.example.org/team-b/shop" },
        ownerReferences: [{ apiVersion: "apps.example.org/v1", kind: "XShop", name: "x", uid: "1", controller: true }],
      },
      is: consumer({
        grantees: [
          { namespace: "team-a", kind: "Shop.apps.example.org" },
          { namespace: "team-a", kind: "XShop.apps.example.org" },
        ],
      }),
    },
  ])("$reason", ({ metadata, is }) => {
    expect(toConsumer(secret(metadata), "Secret")).toEqual(is);
  });
});

test("a copy names its owner in an annotation, of its own or of its manifest", () => {
  const manifest = { metadata: { annotations } };
  expect(readWrittenOwner(secret())).toBe("Shop.apps.example.org/team-a/shop");
  expect(readWrittenOwner(documentOf({ spec: { forProvider: { manifest } } }))).toBe(
    "Shop.apps.example.org/team-a/shop",
  );
  expect(readWrittenOwner(documentOf({}))).toBeUndefined();
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
