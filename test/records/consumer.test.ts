import { expect, test } from "vitest";
import { fieldManagerOf } from "../../src/crossplane/metadata.ts";
import { documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { OWNER } from "../../src/ownership/annotations.ts";
import { admissionSubject } from "../../src/records/answer.ts";
import { type Consumer, compareConsumers, toConsumers } from "../../src/records/consumer.ts";
import { SHARED, shopIn } from "../../testing/builders/consumers.ts";

const CREATED = "2026-01-01T00:00:00Z";
const record = (metadata: JsonObject = {}) =>
  documentOf(shopIn("team-a", { secrets: ["team-a/db"] }, { creationTimestamp: CREATED, ...metadata }));

const consumer = (overrides: Partial<Consumer> = {}): Consumer => ({
  namespace: "team-a",
  kind: "Shop.apps.example.org",
  name: "shop",
  secretName: "db",
  dependents: [],
  namespaces: ["team-a"],
  grantees: [
    { namespace: "team-a", kind: overrides.kind ?? "Shop.apps.example.org" },
    ...(overrides.isControlled === false ? [] : [{ namespace: "team-a", kind: "XShop.apps.example.org" }]),
  ],
  credentialFor: undefined,
  copied: undefined,
  isControlled: true,
  place: { subject: admissionSubject("team-a", "", "db"), ticket: undefined, isBound: true, since: CREATED },
  ...overrides,
});

const self = { kind: "ConfigMap", name: "record" };

const owner = (text: string): JsonObject => ({ annotations: { [OWNER]: text } });
const otherManager = fieldManagerOf({ apiVersion: "apps.example.org/v1", kind: "Shop", name: "other" });
test.each<[reason: string, metadata: JsonObject, is: Consumer | undefined]>([
  ["is the owner that it names", {}, consumer()],
  ["is none where Crossplane did not compose it", { labels: {} }, undefined],
  ["is not controlled right after a restore", { ownerReferences: [] }, consumer({ isControlled: false })],
  ["is the record itself where no owner is named", { annotations: {} }, consumer(self)],
  ["is the record itself where the owner has too many parts", owner("Shop.apps.example.org/a/b/c"), consumer(self)],
  ["is the record itself where the owner's kind is none", owner("9 lives/shop"), consumer(self)],
  ["is the record itself where the owner has no name", owner("Shop"), consumer(self)],
  ["is the record itself where the owner is too long", owner(`Shop/${"a/".repeat(600)}shop`), consumer(self)],
  ["counts for the namespace where it lies", owner("Shop.apps.example.org/team-b/shop"), consumer()],
  ["is none where another XR has written it", { managedFields: [{ manager: otherManager }] }, undefined],
])("the consumer that an XR's record tells of: %s", (_, metadata, is) => {
  expect(toConsumers(record(metadata), SHARED)).toEqual(is === undefined ? [] : [is]);
});

test("a record tells of 1,000 copies at most, whatever its team writes into it", () => {
  const secrets = Array.from({ length: 100 }, () => "a/b");
  const binding = JSON.stringify([{ ...SHARED, access: "Granted", secrets }]);
  const data = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`share-${index}`, binding]));
  const { metadata } = record().toObject();
  const consumers = toConsumers(documentOf({ metadata: metadata ?? {}, data }), SHARED);
  expect(consumers.filter(({ secretName }) => secretName !== undefined)).toHaveLength(1000);
});

test("a record tells of twenty shares of one resource at most: its owner reads the records of all teams at once", () => {
  const binding = { apiVersion: "data.example.org/v1", kind: "XPostgres", name: "orders", access: "Granted" };
  const shares = Array.from({ length: 1000 }, (_, index) => [`s${index}`, JSON.stringify(Array(10).fill(binding))]);
  const many = documentOf({ ...shopIn("team-a", {}), data: Object.fromEntries(shares) });
  expect(toConsumers(many, { ...binding, namespace: undefined })).toHaveLength(20);
});

test("consumers are sorted by namespace, kind, name and Secret", () => {
  const each = (namespace: string, kind: string, name: string, secretName: string) =>
    consumer({ namespace, kind, name, secretName });
  const first = [each("a", "z", "z", "z"), each("b", "a", "z", "z"), each("b", "b", "a", "z")];
  const sorted = [...first, each("b", "b", "b", "a"), each("b", "b", "b", "b")];
  expect(sorted.toReversed().sort(compareConsumers)).toEqual(sorted);
  expect(compareConsumers(consumer(), consumer())).toBe(0);
});
