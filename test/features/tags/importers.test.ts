import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { withMetadata } from "../../../testing/builders/composed.ts";
import { synced } from "../../../testing/builders/kubernetes.ts";
import { policiesOf } from "../../../testing/builders/read-draft.ts";
import { NAMESPACED, Team } from "../../../testing/simulations/importers.ts";

const SUCCEEDED = "crossplane.io/external-create-succeeded";
const WITHOUT_DELETE = ["Observe", "Create", "Update", "LateInitialize"];
const outcome = (draft: Draft) => [
  policiesOf(draft, "vpc"),
  draft.conditions.find(({ type }) => type === "TagsOwned")?.reason,
];

/** Reconciles both until nothing changes any more, the importer first. */
function settle(creator: Team, importer: Team) {
  const all = [creator, importer];
  for (let round = 0; round < 4; round++) for (const team of all.toReversed()) team.reconcile(all);
  return all.map((team) => outcome(team.reconcile(all)));
}

describe("what one XR created under a name of the cloud's and another one imports by it is shared,", () => {
  const pinning = { spec: { externalNames: {} } };
  const importing = { imports: true };
  test.each([
    ["where the creator's provider reported the id first", new Team("a", pinning), new Team("b", importing)],
    ["without externalNames", new Team("a"), new Team("b", importing)],
    ["by a claim's XR and a namespaced XR", new Team("a"), new Team("b", { apiVersion: NAMESPACED, ...importing })],
    ["by a namespaced XR and the XR of a claim", new Team("a", { apiVersion: NAMESPACED }), new Team("b", importing)],
  ])("%s: the creator owns it, and the importer takes it over", (_reason, creator, importer) => {
    const alone = creator.create().reconcile([creator]);
    expect(outcome(alone)).toEqual([undefined, "Owned"]);
    expect(settle(creator, importer)).toEqual([
      [WITHOUT_DELETE, "Owned"],
      [["Observe"], "ObservedOnly"],
    ]);
    importer.reconcile([importer]);
    expect(outcome(importer.reconcile([importer]))).toEqual([["*"], "Owned"]);
  });

  test("also where the importer was there before this step: the creator observes, and takes it over", () => {
    const [creator, importer] = [new Team("a").create(), new Team("b", importing)];
    for (let round = 0; round < 3; round++) importer.reconcile([importer]);
    expect(settle(creator, importer)).toEqual([
      [["Observe"], "ObservedOnly"],
      [WITHOUT_DELETE, "Owned"],
    ]);
    creator.reconcile([creator]);
    expect(outcome(creator.reconcile([creator]))).toEqual([["*"], "Owned"]);
  });

  test("and stays deletable with its creator, where that alone uses it and gets another ProviderConfig", () => {
    const creator = new Team("a").create();
    creator.reconcile([creator]);
    creator.useProviderConfig("other");
    expect(outcome(creator.reconcile([creator]))).toEqual([undefined, "Owned"]);
  });

  test("but not where somebody gives its managed resource the name of another one, as long as it is shared", () => {
    const [creator, importer] = [new Team("a").create(), new Team("b", importing)];
    settle(creator, importer);
    const annotations = { "crossplane.io/external-name": "vpc-2" };
    creator.managed = withMetadata(creator.managed ?? {}, { annotations, generation: 2 });
    expect(outcome(creator.reconcile([creator, importer]))).toEqual([["Observe"], "WaitingForProvider"]);
  });

  test("and looked for by its own name, so that imports of others are in nobody's request", () => {
    const creator = new Team("a").create();
    const { requirements } = creator.reconcile([creator]);
    const asked = [...requirements].filter(([name]) => name.startsWith("tags/"));
    const byName = {
      labels: { "shared-infrastructure.fn.crossplane.io/external-name": expect.stringMatching(/^[0-9a-f]{40}$/) },
    };
    expect(asked.map(([, { match }]) => match)).toEqual([byName, byName]); // of both twins
  });

  test("and is looked for by nobody before its provider has created it", () => {
    const named = withMetadata(new Team("a").create().managed ?? {}, { annotations: { [SUCCEEDED]: null } });
    const team = new Team("a");
    team.managed = named;
    const draft = team.reconcile([team]);
    expect([...draft.requirements.keys()].filter((name) => name.startsWith("tags/"))).toEqual([]);
    expect(outcome(draft)).toEqual([undefined, "Owned"]);
  });

  test("and left by the creator as soon as the importer is there, whose provider has not looked yet", () => {
    const [creator, importer] = [new Team("a").create(), new Team("b", importing)];
    creator.reconcile([creator]);
    importer.reconcile([creator]);
    importer.managed = { ...importer.managed, status: {} };
    expect(outcome(creator.reconcile([creator, importer]))).toEqual([WITHOUT_DELETE, "Owned"]);
    importer.reconcile([creator, importer]);
    for (let round = 0; round < 3; round++) importer.reconcile([importer]);
    expect(outcome(importer.reconcile([importer]))).toEqual([["*"], "Owned"]);
  });
});

describe("an id that the pipeline gives and the cloud does not have", () => {
  const ABSENT = synced("False", { message: "observe failed: external resource does not exist" });
  const missing = (spec: JsonObject = {}): Team => {
    const team = new Team("b", { imports: true, spec });
    for (let round = 0; round < 3; round++) {
      team.reconcile([team]);
      team.managed = { ...team.managed, status: ABSENT };
    }
    return team;
  };

  test.each([
    ["", {}],
    [", also with externalNames", { externalNames: {} }],
  ])("is not created under another one%s, and the condition says so", (_reason, spec) => {
    const team = missing(spec);
    const draft = team.reconcile([team]);
    expect(outcome(draft)).toEqual([["Observe"], "NotFound"]);
    expect(draft.resources.get("vpc")).toMatchObject({ ready: "False" });
    expect(draft.conditions.find(({ type }) => type === "TagsOwned")).toMatchObject({
      status: "False",
      message:
        "0 tagged, 1 not tagged; vpc: VPC vpc-1, which the pipeline imports, does not exist; this XR only observes it, since the " +
        "provider would create another one: correct the external name, or leave it out to have one created",
    });
  });

  test("is owned as soon as the cloud has it", () => {
    const team = missing();
    team.reconcile([team]);
    expect(outcome(team.reconcile([team]))).toEqual([WITHOUT_DELETE, "ExistedBefore"]);
  });
});
