import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";
import { callOf, database, requirementsIn, runSharing, shared, xr } from "../../../testing/builders/sharing.ts";

const draftWith = (items: readonly JsonObject[] | undefined, grant = "ReferenceGrant", composite = xr()) =>
  runSharing(
    callOf({
      xr: composite,
      capabilities: ["Capabilities", "RequiredResources"],
      sharedResources: [shared({ grant })],
      answers: {
        db: [database({ annotations: {} })],
        "shared/db/team-a/orders-db/target": [],
        ...(items && { "db/reference-grants": items }),
      },
    }),
  );

const grantOf = (from: JsonObject = {}, to: JsonObject = {}, namespace = "databases"): JsonObject => ({
  apiVersion: "gateway.networking.k8s.io/v1beta1",
  kind: "ReferenceGrant",
  metadata: { namespace, name: "grant" },
  spec: {
    from: [{ group: "apps.example.org", kind: "XShop", namespace: "team-a", ...from }],
    to: [{ group: "", kind: "Secret", ...to }],
  },
});

describe("a ReferenceGrant beside the Secret", () => {
  test.each<{ reason: string; items: readonly JsonObject[]; isGranted: boolean }>([
    { reason: "for all Secrets", items: [grantOf()], isGranted: true },
    { reason: "for this Secret", items: [grantOf({}, { name: "orders-conn" })], isGranted: true },
    { reason: "to the claim's kind", items: [grantOf({ kind: "Shop" })], isGranted: true },
    { reason: "the second of two", items: [grantOf({ kind: "XBlog" }), grantOf()], isGranted: true },
    { reason: "for another Secret", items: [grantOf({}, { name: "other" })], isGranted: false },
    { reason: "for ConfigMaps", items: [grantOf({}, { kind: "ConfigMap" })], isGranted: false },
    { reason: "for another group's Secrets", items: [grantOf({}, { group: "x.example.org" })], isGranted: false },
    { reason: "to another kind", items: [grantOf({ kind: "XBlog" })], isGranted: false },
    { reason: "to another group", items: [grantOf({ group: "x.example.org" })], isGranted: false },
    { reason: "to another namespace", items: [grantOf({ namespace: "team-b" })], isGranted: false },
    { reason: "in another namespace", items: [grantOf({}, {}, "team-a")], isGranted: false },
    { reason: "that is no grant", items: [{ metadata: { namespace: "databases" } }], isGranted: false },
    { reason: "not at all", items: [], isGranted: false },
  ])("$reason", ({ items, isGranted }) => {
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
    const { conditions } = draft;
    const requirements = requirementsIn(draft);
    expect(conditions[0]?.message).toBe("db: waiting for Crossplane to look up ReferenceGrant");
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
