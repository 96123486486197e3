import { describe, expect, test } from "vitest";
import type { Draft } from "../src/model/draft.ts";
import type { JsonObject } from "../src/model/json.ts";
import { NAMES_NAME } from "../src/ownership/names.ts";
import { run } from "../src/pipeline.ts";
import { externallyNamed, recordOf } from "../testing/builders/composed.ts";
import { runFeature } from "../testing/builders/run-feature.ts";
import { type CallParts, callOf } from "../testing/builders/sharing.ts";
import { at, DOMAIN, desiredOf, team } from "../testing/builders/tags.ts";

// What the features do together, so that their order is protected.

describe("a VPC whose name comes from external names has one writer:", () => {
  const vpc: JsonObject = {
    apiVersion: "ec2.aws.upbound.io/v1beta1",
    kind: "VPC",
    spec: { forProvider: { region: "eu-central-1" } },
  };
  const named = { ...vpc, ...externallyNamed("vpc-1") };
  const names = recordOf({ vpc: { kind: "VPC.ec2.aws.upbound.io", name: "ours", externalName: "vpc-1" } });
  const runWith = ({ externalNames = {}, onConflict = "Observe", ...parts }: Row["parts"] = {}): Draft =>
    runFeature(
      run,
      callOf({
        sharedResources: [],
        desired: { vpc },
        tags: { add: [team], owner: { onConflict } },
        spec: { externalNames },
        ...parts,
      }),
    );

  /** A managed resource as the API server shows it, once the VPC was desired by its name and created by its provider. */
  const applied = (name: string, owner: string, isOwner: boolean): JsonObject => {
    const { metadata, ...rest } = desiredOf(runWith({ desired: { vpc: named }, contenders: [] }), "vpc");
    const { labels = {}, annotations = {} } = metadata as Record<string, JsonObject>;
    const marks = { [`${DOMAIN}/owner`]: owner, ...(isOwner && { [`${DOMAIN}/tags-owner`]: `${owner}#vpc` }) };
    const created = { "crossplane.io/external-create-succeeded": "2026-01-01T00:00:01Z" };
    return {
      ...rest,
      metadata: {
        name,
        uid: name,
        creationTimestamp: "2026-01-01T00:00:00Z",
        labels,
        annotations: {
          ...annotations,
          ...(isOwner && created),
          ...marks,
          "crossplane.io/composition-resource-name": "vpc",
        },
      },
      spec: {
        forProvider: { region: "eu-central-1" },
        providerConfigRef: { name: "default" },
        managementPolicies: isOwner ? ["*"] : ["Observe"],
      },
      status: { conditions: [{ type: "Synced", status: "True" }], atProvider: { id: "vpc-1" } },
    };
  };
  const ownXr = "Shop.apps.example.org/team-a/shop";
  const rival = applied("rival", "XShop.apps.example.org/rival", true);
  const ours = applied("ours", ownXr, false);
  const owned = applied("ours", ownXr, true);
  const nameless = { ...owned, metadata: { name: "ours", uid: "ours" } };

  interface Row {
    readonly reason: string;
    readonly parts: CallParts & { readonly externalNames?: JsonObject; readonly onConflict?: string };
    /** Undefined where the resource is left out. */
    readonly policies: readonly string[] | undefined;
    readonly conditions: readonly [names: string, tags: string];
    readonly isFatal?: boolean;
  }
  test.each<Row>([
    {
      reason: "one that is created again from the record observes what another XR owns",
      parts: { observed: names, contenders: [rival] },
      policies: ["Observe"],
      conditions: ["RestoredFromRecord", "WaitingForProvider"],
    },
    {
      reason: "under Withhold it is not created, and its name stays in the record",
      parts: { observed: names, contenders: [rival], onConflict: "Withhold" },
      policies: undefined,
      conditions: ["RestoredFromRecord", "Withheld"],
    },
    {
      reason: "under Fail the XR stops",
      parts: { observed: names, contenders: [rival], onConflict: "Fail" },
      policies: ["Observe"],
      conditions: ["RestoredFromRecord", "Conflict"],
      isFatal: true,
    },
    {
      reason: "it observes while Crossplane has not answered who else stands for it",
      parts: { observed: names },
      policies: ["Observe"],
      conditions: ["RestoredFromRecord", "WaitingForRequiredResources"],
    },
    {
      reason: "it observes until its own managed resource is in the answer",
      parts: { observed: names, contenders: [] },
      policies: ["Observe"],
      conditions: ["RestoredFromRecord", "Arbitrating"],
    },
    {
      reason: "it goes on observing once it exists",
      parts: { observed: { ...names, vpc: ours }, contenders: [rival, ours] },
      policies: ["Observe"],
      conditions: ["Pinned", "WaitingForOwner"],
    },
    {
      reason: "it owns what nobody else declares, and does not delete it, since nothing tells that it created it",
      parts: { observed: { ...names, vpc: ours }, contenders: [ours] },
      policies: ["Create", "LateInitialize", "Observe", "Update"],
      conditions: ["Pinned", "ExistedBefore"],
    },
    {
      reason: "an observer goes on observing when its Composition stops naming it and the name is pinned",
      parts: { externalNames: {}, observed: { vpc: ours }, contenders: [rival, ours] },
      policies: ["Observe"],
      conditions: ["Pinned", "WaitingForOwner"],
    },
    {
      reason: "an owner goes on owning when its Composition stops naming it and the name is pinned",
      parts: { externalNames: {}, observed: { vpc: owned }, contenders: [owned] },
      policies: ["*"],
      conditions: ["Pinned", "Owned"],
    },
    {
      reason: "it observes if it had lost its name, and the record gives it one",
      parts: { observed: { ...names, vpc: nameless }, contenders: [rival] },
      policies: ["Observe"],
      conditions: ["RestoredFromRecord", "WaitingForOwner"],
    },
  ])("$reason", ({ parts, policies, conditions, isFatal = false }) => {
    const draft = runWith(parts);
    const edit = draft.resources.get("vpc");
    expect(edit?.is).toBe(policies === undefined ? "removed" : "set");
    if (policies !== undefined) {
      const desired = desiredOf(draft, "vpc");
      const written = at(desired, "spec.managementPolicies");
      expect(Array.isArray(written) && written.toSorted()).toEqual(policies);
      expect(at(desired, "metadata.annotations[crossplane.io/external-name]")).toBe("vpc-1");
    }
    expect(draft.conditions.map(({ reason }) => reason)).toEqual(conditions);
    expect(draft.results.some(({ severity }) => severity === "Fatal")).toBe(isFatal);
    if (parts.externalNames === undefined) expect(at(desiredOf(draft, NAMES_NAME), "data.vpc")).toContain('"vpc-1"');
  });

  test("for one that its provider named nobody is looked for", () => {
    const observed = { vpc: { ...owned, ...externallyNamed("vpc-1") } };
    const draft = runWith({ externalNames: {}, observed });
    expect(draft.requirements.size).toBe(0);
    expect(draft.conditions.map(({ reason }) => reason)).toEqual(["Pinned", "Owned"]);
    expect(at(desiredOf(draft, "vpc"), "spec.managementPolicies")).toBeUndefined();
  });
});
