import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";
import { says } from "../../../testing/builders/read-draft.ts";
import { KEY, referenceGrant, refused, V2 } from "../../../testing/builders/shared-database.ts";
import { callOf, requirementsIn, runSharing, shared } from "../../../testing/builders/sharing.ts";

const draftWith = (items: readonly JsonObject[] | undefined, grant = "ReferenceGrant") =>
  runSharing(
    callOf({
      capabilities: V2,
      sharedResources: [shared({ grant })],
      answers: { db: [refused], [`${KEY}/target`]: [], ...(items && { "db/reference-grants": items }) },
    }),
  );

describe("a ReferenceGrant beside the Secret", () => {
  test.each<[reason: string, isGranted: boolean, ...items: readonly JsonObject[]]>([
    ["for all Secrets", true, referenceGrant()],
    ["for this Secret", true, referenceGrant({}, { name: "orders-conn" })],
    ["to the claim's kind", true, referenceGrant({ kind: "Shop" })],
    ["the second of two", true, referenceGrant({ kind: "XBlog" }), referenceGrant()],
    ["for another Secret", false, referenceGrant({}, { name: "other" })],
    ["for ConfigMaps", false, referenceGrant({}, { kind: "ConfigMap" })],
    ["for another group's Secrets", false, referenceGrant({}, { group: "x.example.org" })],
    ["to another kind", false, referenceGrant({ kind: "XBlog" })],
    ["to another group", false, referenceGrant({ group: "x.example.org" })],
    ["to another namespace", false, referenceGrant({ namespace: "team-b" })],
    ["in another namespace", false, referenceGrant({}, {}, "team-a")],
    ["that is no grant", false, { metadata: { namespace: "databases" } }],
    ["not at all", false],
  ])("%s: granted is %s", (_reason, isGranted, ...items) => {
    const { resources, conditions } = draftWith(items);
    expect([resources.size, conditions[0]?.reason]).toEqual(
      isGranted ? [1, "WaitingForCopies"] : [0, "AccessNotGranted"],
    );
  });

  test("who lacks one reads what has to be created", () => {
    expect(draftWith([]).conditions[0]?.message).toBe(
      "db: XPostgres orders does not grant access to namespace team-a: its owner has to create a ReferenceGrant beside " +
        "its connection Secret, from XShop.apps.example.org or Shop.apps.example.org in team-a",
    );
  });

  test("is waited for: nothing is asked of the Secret before", () => {
    const draft = draftWith(undefined);
    const requirements = requirementsIn(draft);
    expect(says(draft)).toBe("WaitingForRequiredResources: db: waiting for Crossplane to look up ReferenceGrant");
    expect([...requirements.keys()]).toEqual(["shared-resource/db", "shared-resource/db/reference-grants"]);
    expect(requirements.get("shared-resource/db/reference-grants")).toEqual({
      apiVersion: "gateway.networking.k8s.io/v1beta1",
      kind: "ReferenceGrant",
      namespace: "databases",
      match: { labels: {} },
    });
  });
});

test("with grant: None the Composition's author vouches", () => {
  expect(draftWith(undefined, "None").resources.size).toBe(1);
});
