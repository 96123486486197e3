import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { externallyNamed } from "../../../testing/builders/composed.ts";
import { at, bucket, DOMAIN, desiredOf, named, run, team } from "../../../testing/builders/tags.ts";

/** Who owns a cloud resource is known before the first write: nothing below may write, delete or hang. */

const policiesOf = (draft: Draft, name = "bucket") => at(desiredOf(draft, name), "spec.managementPolicies");
const annotationsOf = (object: JsonObject) => (at(object, "metadata.annotations") ?? {}) as JsonObject;
const marksOf = (draft: Draft, name = "bucket") => annotationsOf(desiredOf(draft, name));
const mark = (name: string) => `${DOMAIN}/${name}`;

/** The managed resource as the API server shows it, once the draft is applied: an XR controls it. */
function applied(draft: Draft, name: string, more: JsonObject = {}, status: JsonObject = {}): JsonObject {
  const object = desiredOf(draft);
  const metadata = object["metadata"] as JsonObject;
  const own = { name, uid: name, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" };
  const ownerReferences = [{ apiVersion: "apps.example.org/v1", kind: "XShop", name, uid: "xr", controller: true }];
  const annotations = { ...annotationsOf(object), "crossplane.io/composition-resource-name": "bucket", ...more };
  return { ...object, metadata: { ...metadata, ...own, ownerReferences, annotations }, status };
}

const synced = (observedGeneration: number, rest: JsonObject = {}): JsonObject => ({
  conditions: [{ type: "Synced", status: "True", observedGeneration, ...rest }],
});
const LOOKED = { conditions: [{ type: "Synced", status: "True" }] };

describe("a field that a reference fills in", () => {
  const policy = (forProvider: JsonObject): JsonObject => ({
    apiVersion: "s3.aws.upbound.io/v1beta1",
    kind: "BucketPolicy",
    spec: { forProvider: { region: "eu-central-1", policy: "{}", ...forProvider } },
  });
  const role = (forProvider: JsonObject, rest: JsonObject = {}): JsonObject => ({
    apiVersion: "amplify.aws.upbound.io/v1beta1",
    kind: "Branch",
    ...named,
    spec: { forProvider: { region: "eu-central-1", ...forProvider }, ...rest },
  });
  const tags = { add: [team] };
  const own = (object: JsonObject, policies: readonly string[], status: JsonObject = {}, labels: JsonObject = {}) => ({
    ...object,
    metadata: { ...(object["metadata"] as JsonObject), name: "ours", uid: "ours", generation: 1, labels },
    spec: { ...(object["spec"] as JsonObject), managementPolicies: policies },
    status,
  });
  const isLabelled = (draft: Draft) => at(desiredOf(draft), `metadata.labels[${mark("identity")}]`) !== undefined;

  test.each<[reason: string, desired: JsonObject, observed?: JsonObject]>([
    ["is not resolved, of an association", policy({ bucketRef: { name: "orders" } })],
    ["is selected and not resolved", policy({ bucketSelector: { matchControllerRef: true } })],
    ["is a parent that is not resolved", role({ appIdRef: { name: "a" } })],
    [
      "is called otherwise than the field that it fills in",
      {
        apiVersion: "eks.aws.upbound.io/v1beta1",
        kind: "AccessEntry",
        spec: { forProvider: { region: "eu-central-1", clusterName: "c", principalArnFromRoleRef: { name: "r" } } },
      },
    ],
    [
      "was a literal until now, which is still observed",
      role({ appIdRef: { name: "b" } }),
      own(role({ appId: "a" }), ["*"], LOOKED, { [mark("identity")]: "of-a" }),
    ],
    ["waits for what it refers to", role({ appIdRef: {} }), own(role({ appIdRef: {} }), ["Observe"])],
  ])("that %s keeps its resource an observer without tags, and says why", (_reason, it, observed) => {
    const draft = run({ tags, desired: { bucket: it }, ...(observed && { observed: { bucket: observed } }) });
    expect(policiesOf(draft)).toEqual(policiesIn(observed));
    expect(at(desiredOf(draft), "spec.forProvider.tags")).toBeUndefined();
    expect(isLabelled(draft)).toBe(false);
    expect(draft.resources.get("bucket")).toMatchObject({ ready: "False" });
    expect(draft.conditions).toMatchObject([{ status: "False", reason: "WaitingForReferences" }]);
    expect([draft.requirements.size, draft.audit]).toEqual([0, []]);
  });

  /** A runtime that reports no generation is paused where it may have looked for what was declared before. */
  const policiesIn = (observed: JsonObject | undefined) =>
    observed !== undefined && at(observed, "spec.managementPolicies[0]") === "*" ? [] : ["Observe"];

  test("that the input names as the external name keeps its resource an observer, and is arbitrated once it is resolved", () => {
    const attachment = (bucket: JsonObject): JsonObject => ({
      apiVersion: "storage.example.org/v1",
      kind: "Attachment",
      spec: { forProvider: { bucketRef: { name: "held" }, tags: {}, ...bucket } },
    });
    const rule = { apiGroup: "storage.example.org", fieldPath: "spec.forProvider.tags" };
    const input = { ...tags, resources: [{ ...rule, externalNameFieldPath: "spec.forProvider.bucket" }] };
    const drafts = [attachment({}), attachment({ bucket: "held" })].map((observed) =>
      run({
        tags: input,
        desired: { bucket: attachment({}) },
        observed: { bucket: own(observed, ["Observe"]) },
        contenders: [],
      }),
    );
    expect(drafts.map((draft) => [draft.conditions[0]?.reason, isLabelled(draft), policiesOf(draft)])).toEqual([
      ["WaitingForReferences", false, ["Observe"]],
      ["Arbitrating", true, ["Observe"]],
    ]);
  });

  test.each<[reason: string, observed: JsonObject]>([
    ["resolved", role({ appIdRef: { name: "a" }, appId: "id-of-a" })],
    ["optional: the provider has looked without it", own(role({ appIdRef: { name: "a" } }), ["Observe"], LOOKED)],
    [
      "optional, and the provider fails later",
      own(role({ appIdRef: { name: "a" } }), ["*"], {}, { [mark("identity")]: "hash" }),
    ],
  ])("is arbitrated once it is %s", (_reason, observed) => {
    const desired = { bucket: role({ appIdRef: { name: "a" } }) };
    const draft = run({ tags, desired, observed: { bucket: observed }, contenders: [] });
    expect([isLabelled(draft), draft.requirements.size]).toEqual([true, 1]);
  });

  test("keeps a kind that cannot observe without Delete and without tags", () => {
    const input = { ...tags, resources: [{ managementPolicies: false }] };
    const draft = run({ tags: input, desired: { bucket: role({ appIdRef: { name: "a" } }) } });
    expect(desiredOf(draft)["spec"]).toEqual({
      forProvider: { region: "eu-central-1", appIdRef: { name: "a" } },
      deletionPolicy: "Orphan",
    });
    expect(draft.conditions).toMatchObject([{ reason: "WaitingForReferences" }]);
  });
});

describe("marks that an earlier step desires", () => {
  const forged = (keys: readonly string[]): JsonObject => Object.fromEntries(keys.map((key) => [mark(key), "true"]));
  const words = {
    ...forged(["take-ownership", "allow-delete", "leave-behind", "ignore-tags", "restored"]),
    "crossplane.io/external-create-succeeded": "2026-01-01T00:00:00Z",
  };
  const labels = forged(["identity", "contends", "writes", "external-name"]);
  const tags = { add: [team] };

  test.each<[reason: string, it: JsonObject, input?: JsonObject]>([
    ["that only the cloud names", bucket()],
    ["of a kind without tags", { ...bucket(), apiVersion: "iam.aws.upbound.io/v1beta1", kind: "AccessKey" }],
    ["that the pipeline only observes", bucket({}, { spec: { managementPolicies: ["Observe"], forProvider: {} } })],
    ["that the input leaves alone", bucket(), { ...tags, ignore: ["bucket"] }],
  ])("are left out of a resource %s", (_reason, it, input = tags) => {
    const metadata = { labels: { ...labels, team: "a" }, annotations: { ...words, note: "b" } };
    const draft = run({ tags: input, desired: { bucket: { ...it, metadata } } });
    expect(desiredOf(draft)["metadata"]).toEqual({ labels: { team: "a" }, annotations: { note: "b" } });
  });

  test("of operators are left out of a resource that this step does not select, too; those of another step stay", () => {
    const metadata = { labels, annotations: words };
    const input = { ...tags, resources: [{ kind: "Queue" }] };
    const draft = run({ tags: input, desired: { bucket: bucket({}, { metadata }) } });
    expect(desiredOf(draft)["metadata"]).toEqual({ labels, annotations: {} });
  });

  test("stay on what is no managed resource, such as a copied Secret", () => {
    const metadata = { name: "copy", annotations: { [mark("owner")]: "Shop/a/b", [mark("shared-from")]: "a/b" } };
    const draft = run({ tags, desired: { copy: { apiVersion: "v1", kind: "Secret", metadata } } });
    expect(draft.resources.size).toBe(0);
  });

  test("of a copy, in the manifest of an Object that makes none, leave it arbitrated and tagged", () => {
    const metadata = { namespace: "prod", name: "a", annotations: { [mark("shared-from")]: "a/b" } };
    const object = {
      apiVersion: "kubernetes.crossplane.io/v1alpha2",
      kind: "Object",
      spec: { forProvider: { manifest: { apiVersion: "v1", kind: "ConfigMap", metadata } } },
    };
    const [made, copied] = ["bucket", "shared/db/prod/a"].map((name) =>
      run({ tags, desired: { [name]: object }, contenders: [] }),
    );
    expect([policiesOf(made as Draft), copied?.resources.size]).toEqual([["Observe"], 0]);
  });

  test("leave no resource out of arbitration, and depose no owner", () => {
    const metadata = { annotations: { ...words, "crossplane.io/external-name": "orders" } };
    const draft = run({ tags, desired: { bucket: bucket({}, { metadata }) }, contenders: [] });
    expect([policiesOf(draft), draft.conditions[0]?.reason]).toEqual([["Observe"], "Arbitrating"]);
    expect(Object.keys(marksOf(draft))).toEqual(["crossplane.io/external-name", mark("owner")]);
  });
});

describe("a managed resource that gets another name", () => {
  const tags = { add: [team] };
  const parts = { tags, desired: { bucket: bucket({}, named) } };
  const moved = { tags, desired: { bucket: bucket({}, externallyNamed("bills")) } };
  const CREATED = { "crossplane.io/external-create-succeeded": "2026-01-01T00:00:01Z" };
  const started = applied(run({ ...parts, contenders: [] }), "ours", CREATED, synced(1));
  const owner = applied(
    run({ ...parts, observed: { bucket: started }, contenders: [started] }),
    "ours",
    CREATED,
    synced(1),
  );
  const move = (own: JsonObject, contenders: readonly JsonObject[] = [own], input: JsonObject = tags) =>
    run({ ...moved, tags: input, observed: { bucket: own }, contenders });
  const at2 = (
    object: JsonObject,
    generation: number,
    status: JsonObject,
    annotations: JsonObject = {},
  ): JsonObject => ({
    ...object,
    metadata: {
      ...(object["metadata"] as JsonObject),
      generation,
      annotations: { ...annotationsOf(object), ...annotations },
    },
    status,
  });
  const moving = applied(move(owner), "ours", CREATED, synced(1));

  test("observes in a new generation, so that its deletion never waits for a pause to end", () => {
    const draft = move(owner);
    expect([policiesOf(draft), draft.conditions[0]?.reason]).toEqual([["Observe"], "WaitingForProvider"]);
    expect(marksOf(draft)).toMatchObject({ [mark("moved-at")]: "1", [mark("created-before")]: "2026-01-01T00:00:01Z" });
    const observer = at2(started, 1, synced(1));
    expect(policiesOf(move(observer))).toEqual(["Observe", "Observe"]);
  });

  const creating = { conditions: [{ type: "Ready", status: "False", reason: "Creating", observedGeneration: 2 }] };
  const created = (status: JsonObject) => ({
    conditions: [...creating.conditions, ...(status["conditions"] as JsonObject[])],
  });
  test.each<[reason: string, own: JsonObject, is: readonly unknown[]]>([
    ["its provider has not read that", at2(moving, 2, synced(1)), [["Observe"], "WaitingForProvider", "1"]],
    ["its provider does not say what it has read", at2(moving, 2, LOOKED), [["Observe"], "WaitingForProvider", "1"]],
    [
      "its provider reports the creation of the former one",
      at2(moving, 2, created(synced(2))),
      [["Observe", "Observe"], "WaitingForProvider", "2"],
    ],
    [
      "its provider has read that, and found another one",
      at2(moving, 2, synced(2)),
      [["Observe", "Create", "Update", "LateInitialize"], "ExistedBefore", undefined],
    ],
    [
      "it is observed for good",
      at2(moving, 3, created(synced(3))),
      [["Observe", "Create", "Update", "LateInitialize"], "ExistedBefore", undefined],
    ],
  ])("is held back until its provider has read that: %s", (_reason, own, is) => {
    const draft = move(own);
    expect([policiesOf(draft), draft.conditions[0]?.reason, marksOf(draft)[mark("moved-at")]]).toEqual(is);
  });

  test("has not created what it declares now when its provider finishes a creation that had begun", () => {
    const pending = { "crossplane.io/external-create-pending": "2026-01-01T00:00:09Z" };
    const late = { "crossplane.io/external-create-succeeded": "2026-01-01T00:00:10Z" };
    const begun = move(at2(owner, 1, synced(1), pending));
    const finished = applied(begun, "ours", { ...late, ...externalName("orders") }, synced(1));
    const draft = move(finished);
    expect(marksOf(draft)).toMatchObject({ [mark("created-before")]: "2026-01-01T00:00:10Z" });
    const after = applied(draft, "ours", late, synced(3));
    expect(move(at2(after, 3, synced(3))).conditions).toMatchObject([{ reason: "ExistedBefore" }]);
  });

  test("is no contender for the former one any more, and blocks nobody", () => {
    const other = applied(run({ ...parts, contenders: [] }), "other", {}, synced(1));
    const gone = at2(owner, 1, synced(1), externalName("bills"));
    const draft = run({ ...parts, observed: { bucket: other }, contenders: [gone, other] });
    expect(draft.conditions).toMatchObject([{ reason: "ExistedBefore", status: "True" }]);
  });

  test("is not frozen by onConflict: Fail, nor by a tag that the cloud refuses, while it is paused by its policies", () => {
    const rival = applied(run({ ...moved, contenders: [] }), "rival", {
      [mark("owner")]: "XShop/rival",
      [mark("tags-owner")]: "XShop/rival#bucket",
    });
    const old = at2(owner, 1, LOOKED);
    const paused = applied(move(old, [old]), "ours", CREATED, LOOKED);
    expect(at(paused, "spec.managementPolicies")).toEqual([]);
    const unpaused = { ...paused, spec: { ...(paused["spec"] as JsonObject), managementPolicies: ["Observe"] } };
    const severities = (own: JsonObject, input: JsonObject) =>
      run({
        ...moved,
        tags: input,
        desired: { ...moved.desired, untagged: bucket() },
        observed: { bucket: own },
        contenders: [own, rival],
      }).results.map(({ severity }) => severity);
    for (const input of [{ ...tags, owner: { onConflict: "Fail" } }, { add: [{ key: "aws:team", value: "a" }] }]) {
      expect([severities(paused, input), severities(unpaused, input)]).toEqual([["Warning"], ["Fatal"]]);
    }
  });

  test("that is being deleted is not paused, and a pause of it ends", () => {
    const leaving = applied(run({ ...moved, contenders: [] }), "ours", {}, LOOKED);
    const deleting = (managementPolicies: readonly string[]): JsonObject => ({
      ...leaving,
      metadata: { ...(leaving["metadata"] as JsonObject), deletionTimestamp: "2026-02-01T00:00:00Z" },
      spec: { ...(leaving["spec"] as JsonObject), managementPolicies },
    });
    for (const own of [deleting(["Observe"]), deleting([])]) expect(policiesOf(move(own))).toEqual(["Observe"]);
  });
});

const externalName = (name: string): JsonObject => ({ "crossplane.io/external-name": name });

describe("an observer", () => {
  const secret = { writeConnectionSecretToRef: { namespace: "a", name: "orders" } };
  const desired = { bucket: bucket({}, { ...named, spec: { forProvider: { region: "eu-central-1" }, ...secret } }) };

  test.each([
    { input: {}, spec: undefined },
    { input: { connectionSecret: "Everyone" }, spec: secret.writeConnectionSecretToRef },
  ])("writes the connection Secret $spec with the rules $input", ({ input, spec }) => {
    const draft = run({ tags: { add: [team], owner: input }, desired, contenders: [] });
    expect(policiesOf(draft)).toEqual(["Observe"]);
    expect(at(desiredOf(draft), "spec.writeConnectionSecretToRef")).toEqual(spec);
  });
});

describe("an association, whose external name its provider makes up,", () => {
  const desired = {
    bucket: {
      apiVersion: "s3.aws.upbound.io/v1beta1",
      kind: "BucketPolicy",
      spec: { forProvider: { bucket: "orders" } },
    },
  };
  const first = run({ tags: {}, desired, contenders: [] });
  const FAILED = { conditions: [{ type: "Synced", status: "False", message: "create failed: it exists" }] };
  const one = (name: string, externalName?: string, status = LOOKED, marks: JsonObject = {}): JsonObject =>
    applied(first, name, { ...marks, ...(externalName && { "crossplane.io/external-name": externalName }) }, status);
  const ownedBy = (name: string) => ({ [mark("owner")]: name, [mark("tags-owner")]: `${name}#bucket` });
  const owner = one("rival", "id-1", LOOKED, { ...ownedBy("XShop/rival"), [mark("contenders")]: "ours" });
  const ownXr = ownedBy("Shop.apps.example.org/team-a/shop");

  test.each<[is: string, reason: string, own: JsonObject | undefined, others: readonly JsonObject[]]>([
    ["id-1", "is created beside its owner", undefined, [owner]],
    ["id-1", "is observed beside its owner", one("ours", undefined, FAILED), [owner]],
    ["id-1", "has the name of one that is gone, beside its owner", one("ours", "id-0", FAILED), [owner]],
    ["id-2", "is owned", one("ours", "id-2", LOOKED, ownXr), []],
    ["id-1", "is owned, and only an observer has found it", one("ours", "id-0", FAILED, ownXr), [one("b", "id-1")]],
    ["none", "is not created yet", undefined, []],
  ])("has the external name %s where it %s", (is, _reason, own, others) => {
    const contenders = own === undefined ? others : [own, ...others];
    const draft = run({ tags: {}, desired, contenders, ...(own && { observed: { bucket: own } }) });
    expect(marksOf(draft)["crossplane.io/external-name"] ?? "none").toBe(is);
  });
});

describe("a managed resource", () => {
  const tags = { add: [team] };
  const desired = { bucket: bucket({}, named) };
  const first = run({ tags, desired, contenders: [] });
  const theirs = { [mark("owner")]: "XShop/rival", [mark("tags-owner")]: "XShop/rival#bucket" };
  const listing = applied(first, "rival", { ...theirs, [mark("contenders")]: "ours" }, LOOKED);
  const owner: JsonObject = { ...listing, spec: { ...(listing["spec"] as JsonObject), managementPolicies: ["*"] } };
  const ours = applied(first, "ours", {}, LOOKED);
  const unseen = applied(first, "ours", {}, {});
  const absent = [{ type: "Synced", status: "False", message: "observe failed: external resource does not exist" }];
  const older = applied(first, "older", { [mark("owner")]: "XShop/older" }, LOOKED);
  /** @param found the answer to what was required before. */
  const settle = (
    own: JsonObject | undefined,
    contenders: readonly JsonObject[],
    found: readonly JsonObject[] | "pending" = "pending",
  ) =>
    run({ tags, desired, observed: own === undefined ? {} : { bucket: own }, contenders, answers: { first: found } });
  const noted = (own: JsonObject, more: JsonObject): JsonObject => ({
    ...own,
    metadata: { ...(own["metadata"] as JsonObject), annotations: { ...annotationsOf(own), ...more } },
  });
  const dated = (own: JsonObject, times: JsonObject): JsonObject => ({
    ...own,
    metadata: { ...(own["metadata"] as JsonObject), ...times },
  });
  const isOlder = dated(older, { creationTimestamp: "2025-01-01T00:00:00Z" });
  const isLeaving = dated(owner, { deletionTimestamp: "2026-02-01T00:00:00Z" });
  const isElsewhere = noted(owner, externalName("bills"));
  const byName = (name: string) => ({ apiVersion: "s3.aws.upbound.io/v1beta2", kind: "Bucket", match: { name } });
  const all = { match: { labels: { [mark("identity")]: expect.anything() } } };
  const contending = { match: { labels: { [mark("contends")]: expect.anything() } } };
  const writing = { match: { labels: { [mark("writes")]: expect.anything() } } };
  const creating = { ...ours, status: { conditions: absent } };

  test.each<[reason: string, draft: Draft, required: readonly object[], is: string]>([
    ["those that write, as a newcomer", settle(undefined, []), [writing], "Arbitrating"],
    ["its owner alone, as a newcomer", settle(undefined, [owner]), [byName("rival")], "WaitingForProvider"],
    ["those that write, until its provider has looked", settle(unseen, [unseen]), [writing], "WaitingForProvider"],
    [
      "all, once that has looked",
      run({ tags, desired, observed: { bucket: ours } }),
      [all],
      "WaitingForRequiredResources",
    ],
    ["its owner alone", settle(ours, [ours, owner]), [byName("rival")], "ObservedOnly"],
    ["its owner alone from then on", settle(ours, [], [owner]), [byName("rival")], "ObservedOnly"],
    [
      "its owner alone, which does not list it yet",
      settle(ours, [], [noted(owner, { [mark("contenders")]: "" })]),
      [byName("rival")],
      "WaitingForOwner",
    ],
    ["all, once its owner is gone", settle(ours, [ours], []), [all], "ExistedBefore"],
    ["all, once its owner is being deleted", settle(ours, [ours, isLeaving], [isLeaving]), [all], "WaitingForOwner"],
    ["all, once its owner is something else", settle(ours, [ours, isElsewhere], [isElsewhere]), [all], "ExistedBefore"],
    [
      "all, once an operator gives ownership to it",
      settle(noted(ours, { [mark("take-ownership")]: "2026" }), [ours, owner], [owner]),
      [all],
      "WaitingForOwner",
    ],
    [
      "the oldest and those that write, while there is no owner",
      settle(creating, [creating, isOlder]),
      [byName("older"), writing],
      "WaitingForProvider",
    ],
    [
      "the owner that is there in place of the oldest",
      settle(creating, [creating, owner], [isOlder]),
      [byName("rival")],
      "WaitingForProvider",
    ],
    [
      "itself and those that contend, as the oldest that is to create",
      settle(creating, [creating]),
      [byName("ours"), contending],
      "Owned",
    ],
  ])("requires %s", (_reason, draft, required, is) => {
    expect([...draft.requirements.values()]).toMatchObject(required);
    expect(draft.conditions).toMatchObject([{ reason: is }]);
  });

  test("requires an owner of the twin's kind in its namespace", () => {
    const apiVersion = "s3.aws.m.upbound.io/v1beta1";
    const twin = dated({ ...owner, apiVersion }, { namespace: "team-b" });
    const { requirements } = settle(ours, [], [twin]);
    expect([...requirements.values()]).toEqual([{ ...byName("rival"), apiVersion, namespace: "team-b" }]);
  });
});
