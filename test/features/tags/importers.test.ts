import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { externallyNamed, withMetadata } from "../../../testing/builders/composed.ts";
import { policiesOf } from "../../../testing/builders/read-draft.ts";
import { ABSENT, CREATED, managed, WITHOUT_DELETE } from "../../../testing/builders/tags.ts";
import { CLOUD_NAME, TaggedXr } from "../../../testing/simulations/tagged-xr.ts";

/** A VPC whose id the cloud makes up: one XR creates it, and another one imports it by that id. */
const vpc = (apiVersion: string, metadata: JsonObject): JsonObject =>
  managed(apiVersion, "VPC", { region: "eu-central-1", tags: {} }, metadata);
const CLUSTER_SCOPED = "ec2.aws.upbound.io/v1beta1";
const NAMESPACED = "ec2.aws.m.upbound.io/v1beta1";
const newCreator = (apiVersion = CLUSTER_SCOPED, spec: JsonObject = {}) =>
  new TaggedXr("a", { vpc: vpc(apiVersion, { metadata: {} }) }, spec).create();
const newImporter = (apiVersion = CLUSTER_SCOPED) =>
  new TaggedXr("b", { vpc: vpc(apiVersion, externallyNamed(CLOUD_NAME)) });

/** Changes the managed resource of an XR behind its back. */
const change = (xr: TaggedXr, to: (own: JsonObject) => JsonObject): void => {
  xr.managed = { vpc: to(xr.managed["vpc"] ?? {}) };
};

const outcome = (draft: Draft) => [
  policiesOf(draft, "vpc"),
  draft.conditions.find(({ type }) => type === "TagsOwned")?.reason,
];

/** Reconciles both until nothing changes any more, the importer first. */
function settle(creator: TaggedXr, importer: TaggedXr) {
  for (let round = 0; round < 4; round++) {
    importer.reconcile(creator);
    creator.reconcile(importer);
  }
  return [outcome(creator.reconcile(importer)), outcome(importer.reconcile(creator))];
}

/** Reconciles an XR that is alone now, twice. */
function settleAlone(xr: TaggedXr) {
  xr.reconcile();
  return outcome(xr.reconcile());
}

describe("what one XR created under a name of the cloud's and another one imports by it is shared,", () => {
  test.each([
    [
      "where the creator's provider reported the id first",
      newCreator(CLUSTER_SCOPED, { externalNames: {} }),
      newImporter(),
    ],
    ["by a claim's XR and a namespaced XR", newCreator(), newImporter(NAMESPACED)],
  ])("%s: the creator owns it, and the importer takes it over", (_reason, creator, importer) => {
    expect(outcome(creator.reconcile())).toEqual([undefined, "Owned"]);
    expect(settle(creator, importer)).toEqual([
      [WITHOUT_DELETE, "Owned"],
      [["Observe"], "ObservedOnly"],
    ]);
    expect(settleAlone(importer)).toEqual([["*"], "Owned"]);
  });

  test("also where the importer was there before this step: the creator observes, and takes it over", () => {
    const [creator, importer] = [newCreator(), newImporter()];
    for (let round = 0; round < 3; round++) importer.reconcile();
    expect(settle(creator, importer)).toEqual([
      [["Observe"], "ObservedOnly"],
      [WITHOUT_DELETE, "Owned"],
    ]);
    expect(settleAlone(creator)).toEqual([["*"], "Owned"]);
  });

  test("and stays deletable with its creator, where that alone uses it and gets another ProviderConfig", () => {
    const creator = newCreator();
    creator.reconcile();
    const spec = { forProvider: { region: "eu-central-1", tags: {} }, providerConfigRef: { name: "other" } };
    creator.desired = { vpc: { ...creator.desired["vpc"], spec } };
    expect(outcome(creator.reconcile())).toEqual([undefined, "Owned"]);
  });

  test("but not where somebody gives its managed resource the name of another one, as long as it is shared", () => {
    const [creator, importer] = [newCreator(), newImporter()];
    settle(creator, importer);
    const annotations = { "crossplane.io/external-name": "vpc-2" };
    change(creator, (own) => withMetadata(own, { annotations, generation: 2 }));
    expect(outcome(creator.reconcile(importer))).toEqual([["Observe"], "WaitingForProvider"]);
  });

  test("and looked for by its own name, so that imports of others are in nobody's request", () => {
    const { requirements } = newCreator().reconcile();
    const asked = [...requirements].filter(([name]) => name.startsWith("tags/"));
    const byName = {
      labels: { "shared-infrastructure.fn.crossplane.io/external-name": expect.stringMatching(/^[0-9a-f]{40}$/) },
    };
    expect(asked.map(([, { match }]) => match)).toEqual([byName, byName]); // of both twins
  });

  test("and is looked for by nobody before its provider has created it", () => {
    const creator = newCreator();
    const [annotation = ""] = Object.keys(CREATED);
    change(creator, (own) => withMetadata(own, { annotations: { [annotation]: null } }));
    const draft = creator.reconcile();
    expect([...draft.requirements.keys()].filter((name) => name.startsWith("tags/"))).toEqual([]);
    expect(outcome(draft)).toEqual([undefined, "Owned"]);
  });
});

describe("an id that the pipeline gives and the cloud does not have", () => {
  const missing = (): TaggedXr => {
    const xr = newImporter();
    for (let round = 0; round < 3; round++) {
      xr.reconcile();
      change(xr, (own) => ({ ...own, status: ABSENT }));
    }
    return xr;
  };

  test("is not created under another one, and the condition says so", () => {
    const draft = missing().reconcile();
    expect(outcome(draft)).toEqual([["Observe"], "NotFound"]);
    expect(draft.resources.get("vpc")).toMatchObject({ ready: "False" });
    expect(draft.conditions.find(({ type }) => type === "TagsOwned")).toMatchObject({
      status: "False",
      message:
        "0 tagged, 1 not tagged; vpc: the pipeline imports VPC vpc-1, which does not exist. Nothing is created, since the provider " +
        "would choose another name. Correct the external name, or leave it out to have a new VPC created",
    });
  });

  test("is owned as soon as the cloud has it", () => {
    expect(settleAlone(missing())).toEqual([WITHOUT_DELETE, "ExistedBefore"]);
  });
});
