import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import type { CallParts } from "../../../testing/builders/calls.ts";
import { withMetadata, withPolicies } from "../../../testing/builders/composed.ts";
import { at, desiredOf, policiesOf, reasonIn, says, tagsIn } from "../../../testing/builders/read-draft.ts";
import {
  ABSENT,
  applied,
  bucket,
  CREATED,
  DOMAIN,
  markIn,
  named,
  ownedBy,
  READY,
  run,
  SYNCED,
  team,
  WITHOUT_DELETE,
} from "../../../testing/builders/tags.ts";

const RIVAL = "XShop.apps.example.org/rival";

/** The bucket as the API server shows it, once `draft` is applied and its provider has created it. */
const created = (draft: Draft, name: string, metadata: JsonObject = {}): JsonObject =>
  withMetadata(applied(draft, name, CREATED, SYNCED), metadata);

describe("a cloud resource that several XRs may name", () => {
  const parts: CallParts = { tags: { add: [team] }, desired: { bucket: bucket({}, named) } };
  const first = run({ ...parts, contenders: [] });
  const ownXr = "Shop.apps.example.org/team-a/shop";

  /** Ours and another's, as they are after their first reconcile. */
  const ours = created(first, "ours");
  const rival = (metadata: JsonObject = {}): JsonObject =>
    withMetadata(created(first, "rival", metadata), { annotations: { [`${DOMAIN}/owner`]: RIVAL } });
  const writing = (object: JsonObject): JsonObject => withPolicies(object, "*");
  const owning = (object: JsonObject, more: JsonObject = {}): JsonObject => {
    const marks = ownedBy(String(at(object, `metadata.annotations[${DOMAIN}/owner]`)));
    return withMetadata(writing(object), { annotations: { ...marks, ...more } });
  };
  /** An owner that has listed us. */
  const listing = owning(rival(), { [`${DOMAIN}/contenders`]: "ours" });
  const reconcile = (own: JsonObject, others: readonly JsonObject[], more: CallParts = {}) =>
    run({ ...parts, observed: { bucket: own }, contenders: [own, ...others], ...more });
  const OWNS = `${RIVAL} (Bucket rival of 2026-01-01T00:00:00Z) owns it`;

  test("is looked up by its label, and only observed until the answer is there", () => {
    const pending = run(parts);
    expect([...pending.requirements]).toEqual([...first.requirements]);
    const match = { labels: { [`${DOMAIN}/writes`]: at(ours, `metadata.labels[${DOMAIN}/identity]`) } };
    const bucket = { apiVersion: "s3.aws.upbound.io/v1beta2", kind: "Bucket", match };
    expect([...first.requirements.values()]).toEqual([bucket]);
    expect([policiesOf(pending), policiesOf(first)]).toEqual([["Observe"], ["Observe"]]);
    expect(first.resources.get("bucket")).toMatchObject({ ready: "False" });
    expect(pending.conditions).toMatchObject([{ status: "Unknown", reason: "WaitingForRequiredResources" }]);
    expect(pending.audit).toEqual([]);
  });

  const unlabelled = withPolicies(withMetadata(bucket({}, named), { name: "ours", uid: "ours" }), "*");
  const going = withMetadata(ours, { deletionTimestamp: "2026-02-01T00:00:00Z" });
  const [asking, leaving] = ["WaitingForRequiredResources", "BeingDeleted"];
  test.each<[when: string, own: JsonObject, contenders: CallParts["contenders"], reason: string, kept: string[]]>([
    ["the answer is pending, and ours is older than this step", unlabelled, undefined, asking, ["*"]],
    ["ours is being deleted, and owns nothing", writing(going), [], leaving, ["*"]],
    ["ours is being deleted while it is paused, which would never end", withPolicies(going), [], leaving, ["Observe"]],
  ])("keeps its policies where %s", (_when, own, contenders, reason, kept) => {
    const draft = run({ ...parts, observed: { bucket: own }, ...(contenders && { contenders }) });
    expect([reasonIn(draft), policiesOf(draft)]).toEqual([reason, kept]);
  });

  test("is owned by the only XR that names it", () => {
    const draft = reconcile(ours, []);
    expect(at(desiredOf(draft), "metadata.annotations")).toEqual({
      "crossplane.io/external-name": "orders",
      [`${DOMAIN}/origin`]: "Created",
      ...ownedBy(ownXr),
    });
    expect([policiesOf(draft), tagsIn(draft)]).toEqual([["*"], { team: "shop" }]);
    expect(draft.audit).toEqual([{ resource: "bucket", key: "team", old: undefined, new: "shop", owner: ownXr }]);
  });

  test.each<[kept: readonly string[], onRelease: string, contends: string | null, successors?: string]>([
    [WITHOUT_DELETE, "HandOver", "hash", "rival"],
    [["*"], "HandOver", null],
    [["*"], "Delete", "hash", "rival"],
  ])(
    "keeps %s under onRelease: %s while another XR has the label contends: %s",
    (kept, onRelease, contends, successors) => {
      const newcomer = rival();
      const labels = { ...(at(newcomer, "metadata.labels") as JsonObject), [`${DOMAIN}/contends`]: contends };
      const tags = { add: [team], owner: { onRelease } };
      const draft = reconcile(owning(ours), [withMetadata(newcomer, { labels })], { tags });
      expect([policiesOf(draft), markIn(draft, "contenders")]).toEqual([kept, successors]);
      expect(draft.conditions[0]?.status).toBe("True");
      expect(says(draft)).toBe(`Owned: 1 tagged${successors ? `; bucket: shared with ${RIVAL}` : ""}`);
    },
  );

  test("is arbitrated once for all resources of an XR that name it, and not for each beside each", () => {
    const count = 20_000;
    const mine = Array.from({ length: count }, (_, i) => [`bucket-${i}`, created(first, `ours-${i}`)] as const);
    const desired = Object.fromEntries(mine.map(([name]) => [name, bucket({}, named)]));
    const contenders = mine.map(([, object]) => object);
    const draft = run({ ...parts, desired, observed: Object.fromEntries(mine), contenders });
    expect(draft.resources.size).toBe(count);
  });

  test("is not described by a text without end, where its owner wrote one", () => {
    const long = "x".repeat(240_000);
    const marks = { [`${DOMAIN}/owner`]: long, [`${DOMAIN}/tags-owner`]: `${long}#bucket` };
    const draft = reconcile(ours, [withMetadata(listing, { annotations: marks })]);
    expect(draft.conditions[0]?.message).toContain(`bucket: ${"x".repeat(99)}… (Bucket rival of `);
    expect(JSON.stringify([...draft.resources]).length).toBeLessThan(3000);
  });

  test("is only observed by an XR that does not own it, whose condition names the owner and how to take over", () => {
    const draft = reconcile(ours, [listing]);
    expect([policiesOf(draft), tagsIn(draft)]).toEqual([["Observe"], undefined]);
    expect(draft.conditions[0]?.message).toBe(
      `0 tagged, 1 only observed; bucket: ${OWNS}, so this XR only observes it; to move ` +
        `ownership here: kubectl annotate bucket.s3.aws.upbound.io ours --overwrite ${DOMAIN}/take-ownership="$(date -u +%FT%TZ)"`,
    );
  });

  describe("whose owner no XR controls any more, as after kubectl delete --cascade=orphan,", () => {
    const labels = { ...(at(listing, "metadata.labels") as JsonObject), [`${DOMAIN}/contends`]: "hash" };
    const orphan = withMetadata(listing, { ownerReferences: [], labels });
    const chosen = withMetadata(ours, { annotations: { [`${DOMAIN}/take-ownership`]: "2026" } });
    const bare = { ...orphan, spec: { forProvider: {} } };
    const clear = (patch: string) =>
      "; no XR controls Bucket rival, as after kubectl delete --cascade=orphan; unless its XR is about to be restored, " +
      `delete that Bucket by this command, which keeps the cloud resource: kubectl patch bucket.s3.aws.upbound.io rival --type=merge -p '{"spec":${patch}}' && ` +
      "kubectl delete bucket.s3.aws.upbound.io rival";
    const observing = clear('{"managementPolicies":["Observe"]}');
    const orphaning = clear('{"deletionPolicy":"Orphan"}');
    test.each<[reason: string, own: JsonObject, owner: JsonObject, is: readonly unknown[], says: string]>([
      ["is observed", ours, orphan, [["Observe"], "ObservedOnly"], observing],
      ["is taken over at once if an operator says so", chosen, orphan, [WITHOUT_DELETE, "Owned"], observing],
      ["is observed beside one of a kind that cannot", ours, bare, [["Observe"], "ObservedOnly"], orphaning],
    ])("%s, and the condition says what to do with that", (_reason, own, owner, is, message) => {
      const draft = reconcile(own, [owner]);
      expect([policiesOf(draft), reasonIn(draft)]).toEqual(is);
      expect(says(draft).endsWith(message)).toBe(true);
    });
  });

  const there = { bucket: ours };
  type There = Readonly<Record<string, JsonObject>>;
  test.each<[is: string, onConflict: string, when: string, observed: There, severity: string, says: string]>([
    ["Withheld", "Withhold", "before it exists", {}, "Warning", "so this XR does not compose it"],
    [
      "WaitingForOwner",
      "Withhold",
      "then",
      there,
      "Warning",
      "and has not listed this XR as a successor yet; if that XR is paused, unpause it",
    ],
    ["Conflict", "Fail", "then", there, "Fatal", "and onConflict is Fail; to move ownership here: kubectl"],
  ])("that another XR owns is %s under onConflict: %s, %s", (is, onConflict, _when, observed, severity, says) => {
    const contenders = [...Object.values(observed), owning(rival())];
    const draft = run({ ...parts, tags: { add: [team], owner: { onConflict } }, observed, contenders });
    expect(draft.resources.get("bucket")?.is).toBe(is === "Withheld" ? "removed" : "set");
    const message = expect.stringContaining(`${OWNS}, ${says}`);
    expect(draft.conditions).toMatchObject([{ status: "False", reason: is, message }]);
    expect(draft.results).toMatchObject([{ severity }]);
  });

  test.each<[is: string, ready: string | undefined, reason: string, own: JsonObject, owner: JsonObject]>([
    ["ObservedOnly", "True", "its provider has found it, and its owner is Ready", SYNCED, READY],
    ["ObservedOnly", undefined, "its owner is not Ready", SYNCED, SYNCED],
    ["WaitingForProvider", undefined, "its provider has not looked for it", {}, READY],
    ["WaitingForProvider", undefined, "its provider has not found it", ABSENT, READY],
  ])("is %s and has the readiness %s for an observer that is listed when %s", (is, ready, _reason, own, owner) => {
    const draft = reconcile({ ...ours, status: own }, [{ ...listing, status: owner }]);
    const message = expect.stringContaining(`${OWNS}, `);
    expect(draft.conditions).toMatchObject([{ reason: is, status: is === "ObservedOnly" ? "True" : "False", message }]);
    expect(draft.resources.get("bucket")).toMatchObject({ ready });
  });

  test("that existed before this step keeps its tags and its policies, but for Delete, and the condition says so", () => {
    const before = withMetadata(bucket({ tags: { team: "shop" } }, named), { name: "old", uid: "old" });
    const draft = run({ ...parts, observed: { bucket: writing(before) }, contenders: [] });
    expect(draft.conditions[0]?.message).toBe(
      "1 tagged; bucket: this XR manages and tags it as before, but without Delete until the next reconcile shows that no other XR owns it",
    );
    expect([policiesOf(draft), tagsIn(draft)]).toEqual([WITHOUT_DELETE, { team: "shop" }]);
    expect(draft.audit).toEqual([]);
  });

  describe("that no managed resource of ours created", () => {
    const found = (object: JsonObject, more: JsonObject = {}, status: JsonObject = SYNCED): JsonObject => {
      const metadata = object["metadata"] as Record<string, JsonObject>;
      const { "crossplane.io/external-create-succeeded": _, ...annotations } = metadata["annotations"] as JsonObject;
      return { ...object, metadata: { ...metadata, annotations: { ...annotations, ...more } }, status };
    };
    const allowed = found(ours, { [`${DOMAIN}/allow-delete`]: "true" });
    const successor = found(ours, { [`${DOMAIN}/origin`]: "Created" });

    test.each<[reason: string, own: JsonObject, policies: readonly string[], is: string, owner?: JsonObject]>([
      ["is deleted with its owner once an operator allows it", allowed, ["*"], "Owned"],
      ["is deleted with a successor of the owner that created it", successor, ["*"], "Owned"],
      ["is deleted with its owner where preexisting is Delete", found(ours), ["*"], "Owned", { preexisting: "Delete" }],
    ])("%s", (_reason, own, policies, is, owner = {}) => {
      const draft = reconcile(own, [], { tags: { add: [team], owner } });
      expect([policiesOf(draft), reasonIn(draft)]).toEqual([policies, is]);
      // The operator may take it back.
      expect(markIn(draft, "origin")).toBe(own === successor ? "Created" : undefined);
    });

    test("has a condition that says so, with the command that allows its deletion", () => {
      const draft = reconcile(found(ours), []);
      const message =
        "1 tagged; bucket: existed before this XR, so it stays when this XR is deleted; to delete it with this XR: " +
        `kubectl annotate bucket.s3.aws.upbound.io ours ${DOMAIN}/allow-delete=true`;
      expect([policiesOf(draft), draft.conditions]).toMatchObject([WITHOUT_DELETE, [{ status: "True", message }]]);
    });

    test("is only observed where its provider does not tell who writes it, and the condition says how to go on", () => {
      const theirs = { desired: { bucket: { ...bucket({}, named), apiVersion: "s3.aws.crossplane.io/v1beta1" } } };
      const own = created(run({ ...parts, ...theirs, contenders: [] }), "ours");
      const draft = reconcile(found(own), [], theirs);
      expect(policiesOf(draft)).toEqual(["Observe"]);
      expect(draft.resources.get("bucket")).toMatchObject({ ready: "True" });
      expect(draft.conditions[0]?.status).toBe("False");
      expect(says(draft)).toBe(
        "ExistedBefore: 0 tagged, 1 not tagged; bucket: existed before this XR, and its provider does not report who else writes it, so " +
          "this XR only observes it; to move ownership here: kubectl annotate bucket.s3.aws.crossplane.io ours --overwrite " +
          `${DOMAIN}/take-ownership="$(date -u +%FT%TZ)"; to delete it with this XR: ` +
          `kubectl annotate bucket.s3.aws.crossplane.io ours ${DOMAIN}/allow-delete=true`,
      );
    });
  });

  test("that two XRs write is given up by the loser before onConflict: Fail stops its XR", () => {
    const tags = { add: [team], owner: { onConflict: "Fail" } };
    const [lost, conflict] = [writing(ours), ours].map((own) => reconcile(own, [owning(rival())], { tags }));
    expect([lost && policiesOf(lost), lost?.results]).toMatchObject([["Observe"], [{ severity: "Warning" }]]);
    expect(conflict?.results).toMatchObject([{ severity: "Fatal" }]);
  });

  describe("of a kind without managementPolicies", () => {
    const forProvider = { region: "eu-central-1" };
    const resources = [{ managementPolicies: false }];
    const tags = { add: [team], resources };
    const withTags = (object: JsonObject, tags: JsonValue): JsonObject => ({
      ...object,
      spec: { forProvider: { tags } },
    });

    test("is orphaned with the owner's tags by an XR that does not own it, and not created by it", () => {
      const tagsOfRival = { team: "rival", "crossplane-name": "rival" }; // its provider adds the latter
      const theirs = withTags(owning(rival()), tagsOfRival);
      const lost = reconcile(withTags(ours, tagsOfRival), [theirs], { tags });
      const repeated = { ...forProvider, tags: { team: "rival" } };
      expect(desiredOf(lost)["spec"]).toEqual({ forProvider: repeated, deletionPolicy: "Orphan" });
      expect(reasonIn(lost)).toBe("CannotObserve");
      const withheld = run({ ...parts, tags, contenders: [theirs] });
      expect(withheld.resources.get("bucket")).toEqual({ is: "removed" });
    });

    test("has in a list the owner's tags beside its own provider's", () => {
      const own = (value: string) => ({ key: "crossplane-name", value });
      const theirs = { key: "team", value: "rival" };
      const owner = withTags(owning(rival()), [own("rival"), theirs]);
      expect(tagsIn(reconcile(withTags(ours, [own("ours")]), [owner], { tags }))).toEqual([own("ours"), theirs]);
    });

    const reported = { "crossplane-cluster": "prod-us", team: "theirs" };
    const more = { "crossplane-name": "theirs", "aws:cloudformation:stack-id": "y" };
    const bare = {
      ...ours,
      spec: { forProvider },
      status: { ...SYNCED, atProvider: { tags: { ...reported, ...more } } },
    };
    const prodUs =
      "OwnedByAnotherCluster: 0 tagged, 1 not tagged; bucket: control plane prod-us owns it according to its tags; a Bucket has no " +
      "managementPolicies, so this XR repeats the owner's tags, and does not delete the cloud resource; that control plane";
    const unknown = { fromEnvironmentFieldPath: "cluster" };
    test.each<[message: string, cluster: JsonValue, own: readonly JsonObject[], kept: JsonObject]>([
      [prodUs, "prod-eu", [bare], { tags: reported }],
      ["FieldNotSet: ", unknown, [], {}],
    ])("is not deleted with an XR that does not own it, and gets no policies: %s", (message, cluster, own, kept) => {
      const observed = Object.fromEntries(own.map((object) => ["bucket", object]));
      const draft = run({ ...parts, tags: { ...tags, owner: { cluster } }, observed, contenders: own });
      expect(desiredOf(draft)["spec"]).toEqual({ forProvider: { ...forProvider, ...kept }, deletionPolicy: "Orphan" });
      expect(says(draft)).toContain(message);
      expect(draft.audit).toEqual([]);
    });
  });

  const unpausing =
    "stop writing it; if that XR is paused, unpause it, or pause its Bucket, too, so that the Bucket no longer writes";
  const dying = owning(rival({ deletionTimestamp: "2026-02-01T00:00:00Z" }));
  test.each([
    ["the owner still writes", owning(rival()), unpausing],
    [
      "the owner's XR lacks this step",
      writing(withMetadata(rival(), { annotations: { [`${DOMAIN}/owner`]: null } })),
      "stop writing it; in the Composition that composes that Bucket, add a step of this function whose tags select that Bucket, or set " +
        "spec.managementPolicies: [Observe] on it",
    ],
    [
      "the owner is being deleted together with the cloud resource",
      dying,
      "and the cloud resource are deleted; if that Bucket is paused, unpause it",
    ],
  ])("is only observed by the XR that an operator chose while %s", (_reason, contender, message) => {
    const chosen = withMetadata(ours, { annotations: { [`${DOMAIN}/take-ownership`]: "2026" } });
    const draft = reconcile(chosen, [contender]);
    expect([policiesOf(draft), reasonIn(draft)]).toEqual([["Observe"], "WaitingForOwner"]);
    expect(says(draft)).toContain(message);
  });

  describe("that the cloud's tags give to the control plane blue", () => {
    const tag = { "crossplane-cluster": "blue" };
    const status = { ...SYNCED, atProvider: { tags: tag } };
    const reporting = (object: JsonObject): JsonObject => ({ ...object, status });
    const recording = { annotations: { [`${DOMAIN}/cluster`]: "blue" } };
    const [before, recorded] = [withMetadata(owning(ours), recording), withMetadata(listing, recording)];
    const adding = { tags: { add: [team, { key: "crossplane-cluster", value: "blue" }] } };
    const inCluster = (cluster: string) => ({ tags: { add: [team], owner: { cluster } } });
    const [mine, theirs] = [{ team: "shop" }, undefined];
    test.each<[reason: string, make: () => Draft, is: string, tags: JsonObject | undefined]>([
      ["is only observed: that may own it", () => reconcile(reporting(ours), []), "OwnedByAnotherCluster", theirs],
      ["is not written any more", () => reconcile(reporting(owning(ours)), []), "OwnedByAnotherCluster", theirs],
      ["is not ours in red", () => reconcile(reporting(ours), [], inCluster("red")), "OwnedByAnotherCluster", theirs],
      [
        "is not ours in red, although one that only observes records that name: a team may write that",
        () => reconcile(reporting(ours), [withMetadata(rival(), recording)], inCluster("red")),
        "OwnedByAnotherCluster",
        theirs,
      ],
      ["is ours in blue", () => reconcile(reporting(ours), [], inCluster("blue")), "Owned", { ...mine, ...tag }],
      ["is ours where our resource records that name", () => reconcile(reporting(before), []), "Owned", mine],
      ["is another's who records that name", () => reconcile(reporting(ours), [recorded]), "ObservedOnly", theirs],
      [
        "is ours in green where our resource records that name, until the cloud reports green",
        () => reconcile(reporting(before), [], inCluster("green")),
        "Owned",
        { ...mine, "crossplane-cluster": "green" },
      ],
      [
        "is another's who records that name, although our Composition still, or already, says green",
        () => reconcile(reporting(ours), [recorded], inCluster("green")),
        "ObservedOnly",
        theirs,
      ],
      [
        "is another's, whose name we note before our provider has seen the tag",
        () => reconcile(ours, [recorded]),
        "ObservedOnly",
        theirs,
      ],
      [
        "is ours where we add that tag",
        () => reconcile(reporting(owning(ours)), [], adding),
        "Owned",
        { ...mine, ...tag },
      ],
    ])("%s", (_reason, make, is, tags) => {
      const draft = make();
      expect([reasonIn(draft), tagsIn(draft)]).toEqual([is, tags]);
      const isElsewhere = is === "OwnedByAnotherCluster";
      if (isElsewhere) expect([policiesOf(draft), says(draft)]).toEqual([["Observe"], expect.stringContaining("blue")]);
      else expect(markIn(draft, "cluster")).toBe("blue");
    });
  });

  test("keeps its owner and policies while the control plane's own name is not known", () => {
    const tags = { add: [team], owner: { cluster: { fromEnvironmentFieldPath: "cluster" } } };
    const draft = reconcile(owning(ours), [], { tags });
    expect([policiesOf(draft), reasonIn(draft)]).toEqual([["*"], "FieldNotSet"]);
    expect(markIn(draft, "tags-owner")).toBe(`${ownXr}#bucket`);
  });

  test("with the tags of another writer waits for that one, which is looked up by its name", () => {
    const writer = { "crossplane-kind": "bucket.s3.aws.upbound.io", "crossplane-name": "elsewhere" };
    const observed = { bucket: { ...ours, status: { ...SYNCED, atProvider: { tags: writer } } } };
    const elsewhere = [writing(withMetadata(bucket({}, named), { name: "elsewhere", uid: "elsewhere" }))];
    const draft = run({ ...parts, observed, contenders: [ours], answers: { elsewhere } });
    expect([...draft.requirements.values()].map(({ match }) => match)).toMatchObject([{}, { name: "elsewhere" }]);
    expect(reasonIn(draft)).toBe("WaitingForOwner");
  });
});

describe("a cloud resource that only its XR can declare", () => {
  const vpc = { apiVersion: "ec2.aws.upbound.io/v1beta1", kind: "VPC", spec: { forProvider: { region: "eu" } } };
  const observing = (annotations: JsonObject) =>
    withPolicies({ ...vpc, metadata: { name: "ours", annotations } }, "Observe");
  const asked = withPolicies(vpc, "Observe", "Create");
  test.each<[reason: string, is: unknown, observed: JsonObject, desired?: JsonObject]>([
    ["once arbitrated, as a backup has it", ["*"], observing({ [`${DOMAIN}/owner`]: RIVAL })],
    ["never arbitrated: somebody else has set them", undefined, observing({})],
    ["that the pipeline limits", ["Observe", "Create"], observing({ [`${DOMAIN}/owner`]: RIVAL }), asked],
  ])("has its policies given back or not: %s", (_reason, is, observed, desired = vpc) => {
    const draft = run({ tags: { add: [team] }, desired: { bucket: desired }, observed: { bucket: observed } });
    expect([policiesOf(draft), reasonIn(draft)]).toEqual([is, "Owned"]);
  });
});
