import { describe, expect, test } from "vitest";
import { type Document, documentOf, withValues } from "../src/model/document.ts";
import type { Draft } from "../src/model/draft.ts";
import type { JsonObject } from "../src/model/json.ts";
import { run } from "../src/pipeline.ts";
import { NAMES_NAME } from "../src/records/names-record.ts";
import { type CallParts, callOf } from "../testing/builders/calls.ts";
import { externallyNamed, recordOf, withMetadata } from "../testing/builders/composed.ts";
import { synced } from "../testing/builders/kubernetes.ts";
import { at, desiredOf } from "../testing/builders/read-draft.ts";
import { runFeature } from "../testing/builders/run-feature.ts";
import { ALLOWED, database } from "../testing/builders/sharing.ts";
import { DOMAIN, team } from "../testing/builders/tags.ts";

// What the features do together, so that their order is protected.

describe("a VPC whose name comes from external names has one writer:", () => {
  const spec = { forProvider: { region: "eu-central-1" } };
  const vpc: JsonObject = { apiVersion: "ec2.aws.upbound.io/v1beta1", kind: "VPC", spec };
  const named = { ...vpc, ...externallyNamed("vpc-1") };
  const names = recordOf({ vpc: { kind: "VPC.ec2.aws.upbound.io", name: "ours", externalName: "vpc-1" } });
  type Parts = CallParts & { readonly externalNames?: JsonObject; readonly onConflict?: string };
  const runWith = ({ externalNames = {}, onConflict = "Observe", ...parts }: Parts = {}): Draft => {
    const input = { sharedResources: [], tags: { add: [team], owner: { onConflict } }, spec: { externalNames } };
    return runFeature(run, callOf({ ...input, desired: { vpc }, ...parts }));
  };

  /** A managed resource as the API server shows it, once the VPC was desired by its name and created by its provider. */
  const applied = (name: string, owner: string, isOwner: boolean): JsonObject => {
    const object = desiredOf(runWith({ desired: { vpc: named }, contenders: [] }), "vpc");
    const marks = { [`${DOMAIN}/owner`]: owner, ...(isOwner && { [`${DOMAIN}/tags-owner`]: `${owner}#vpc` }) };
    const created = { "crossplane.io/external-create-succeeded": "2026-01-01T00:00:01Z" };
    const annotations = { ...marks, ...(isOwner && created), "crossplane.io/composition-resource-name": "vpc" };
    const providerConfigRef = { name: "default" };
    return {
      ...withMetadata(object, { name, uid: name, creationTimestamp: "2026-01-01T00:00:00Z", annotations }),
      spec: { ...spec, providerConfigRef, managementPolicies: isOwner ? ["*"] : ["Observe"] },
      status: { ...synced("True"), atProvider: { id: "vpc-1" } },
    };
  };
  const ownXr = "Shop.apps.example.org/team-a/shop";
  const rival = applied("rival", "XShop.apps.example.org/rival", true);
  const ours = applied("ours", ownXr, false);
  const owned = applied("ours", ownXr, true);
  const nameless = { ...owned, metadata: { name: "ours", uid: "ours" } };

  const lost: Parts = { observed: names, contenders: [rival] };
  const recorded = { ...names, vpc: ours };
  const renamed = { observed: { ...names, vpc: nameless }, contenders: [rival] };
  const unanswered = { observed: names, contenders: [] };
  const observing = { externalNames: {}, observed: { vpc: ours }, contenders: [rival, ours] };
  const owning = { externalNames: {}, observed: { vpc: owned }, contenders: [owned] };
  const [RESTORED, WITHHELD] = ["Observe: RestoredFromRecord", "left out: RestoredFromRecord, Withheld"];
  const UNNAMED = "its Composition stops naming it and the name is pinned";
  /** What is written: the policies, or that the resource is left out, and the reasons of ExternalNamesPinned and TagsOwned. */
  test.each<[reason: string, is: string, parts: Parts]>([
    ["one that is created again observes what another owns", `${RESTORED}, WaitingForProvider`, lost],
    [
      "under Withhold it is not created, and its name stays in the record",
      WITHHELD,
      { ...lost, onConflict: "Withhold" },
    ],
    ["under Fail the XR stops", `${RESTORED}, Conflict`, { ...lost, onConflict: "Fail" }],
    [
      "it observes while Crossplane has not answered who else stands for it",
      `${RESTORED}, WaitingForRequiredResources`,
      { observed: names },
    ],
    ["it observes until its own managed resource is in the answer", `${RESTORED}, Arbitrating`, unanswered],
    ["it goes on observing", "Observe: Pinned, WaitingForOwner", { observed: recorded, contenders: [rival, ours] }],
    [
      "it owns what nobody else declares, and does not delete it, since nothing tells that it created it",
      "Create LateInitialize Observe Update: Pinned, ExistedBefore",
      { observed: recorded, contenders: [ours] },
    ],
    [`an observer goes on observing when ${UNNAMED}`, "Observe: Pinned, WaitingForOwner", observing],
    [`an owner goes on owning when ${UNNAMED}`, "*: Pinned, Owned", owning],
    ["it observes if it had lost its name, and the record gives it one", `${RESTORED}, WaitingForOwner`, renamed],
  ])("%s", (_reason, is, parts) => {
    const draft = runWith(parts);
    const isSet = draft.resources.get("vpc")?.is === "set";
    const desired = desiredOf(draft, "vpc");
    const written = at(desired, "spec.managementPolicies") as readonly string[] | undefined;
    const policies = isSet ? written?.toSorted().join(" ") : "left out";
    expect(`${policies}: ${draft.conditions.map(({ reason }) => reason).join(", ")}`).toBe(is);
    if (isSet) expect(at(desired, "metadata.annotations[crossplane.io/external-name]")).toBe("vpc-1");
    expect(draft.results.some(({ severity }) => severity === "Fatal")).toBe(parts.onConflict === "Fail");
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

/** A document that may be edited, and not decoded. */
const undecoded = (object: JsonObject): Document => ({
  ...documentOf(object),
  with: (edits) => undecoded(withValues(object, edits)),
  toObject: () => {
    throw new Error("decoded");
  },
});

test("no feature decodes what an earlier step desires to set a value in it", () => {
  const spec = { forProvider: {}, managementPolicies: ["*"] };
  const vpc: JsonObject = { apiVersion: "ec2.aws.upbound.io/v1beta1", kind: "VPC", spec };
  const consumers = { rotation: { resource: "vpc", toFieldPath: "spec.rotated" } };
  const call = callOf({
    xr: database({ annotations: { [ALLOWED]: "team-a" } }),
    sharedResources: [],
    tags: { add: [team] },
    spec: { externalNames: {}, adoption: { restore: "ObserveFirst" }, consumers },
    desired: { vpc },
    toDocument: undecoded,
    observed: { vpc: { ...vpc, ...externallyNamed("vpc-1") } },
    answers: { "consumers/ConfigMap": [], "consumers/EnvironmentConfig": [] },
    capabilities: ["Capabilities", "Conditions", "RequiredResources"],
    contenders: [],
  });
  const edit = runFeature(run, call).resources.get("vpc");
  // Set by external names, tags, rotation and adoption.
  expect(edit).toMatchObject({ is: "set", object: { toObject: expect.any(Function) } });
  const { at: valueAt } = (edit as { object: Document }).object;
  const annotations = Object.keys(valueAt(["metadata", "annotations"]) as JsonObject).sort();
  expect(annotations).toEqual(["crossplane.io/external-name", `${DOMAIN}/restored`, `${DOMAIN}/rotation`]);
  expect(valueAt(["spec", "forProvider", "tags"])).toEqual({ team: "shop" });
});

const OBSERVING = { adoption: { restore: "ObserveFirst" } };
test.each<[reason: string, isRefused: boolean, spec: JsonObject]>([
  ["its tags would release what an earlier one holds", true, { tags: {} }],
  ["its adoption would hide what a person has to do", true, { adoption: {} }],
  ["external names may come later", false, { externalNames: {} }],
  ["Crossplane calls the same step again, with its own context", false, OBSERVING],
])("a step behind one with restore: ObserveFirst is refused or not: %s", (_reason, isRefused, spec) => {
  const first = runFeature(run, callOf({ sharedResources: [], spec: OBSERVING }));
  const desired = { [NAMES_NAME]: desiredOf(first, NAMES_NAME) };
  const again = callOf({
    sharedResources: [],
    spec,
    desired,
    context: Object.fromEntries(first.context) as JsonObject,
  });
  const runAgain = () => runFeature(run, again);
  if (isRefused)
    expect(runAgain).toThrow("an earlier step of this Composition has adoption with restore: ObserveFirst");
  else expect(runAgain).not.toThrow();
});
