import { describe, expect, test } from "vitest";
import { tags as tagsFeature } from "../../../src/features/tags/tags.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { type CallParts, callOf } from "../../../testing/builders/calls.ts";
import { externallyNamed, withMetadata, withPolicies } from "../../../testing/builders/composed.ts";
import { synced } from "../../../testing/builders/kubernetes.ts";
import { at, desiredOf, policiesOf, reasonIn, says, tagsIn } from "../../../testing/builders/read-draft.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import {
  ABSENT,
  applied,
  bucket,
  CREATED,
  DOMAIN,
  managed,
  named,
  ownedBy,
  run,
  SYNCED,
  team,
  WITHOUT_DELETE,
} from "../../../testing/builders/tags.ts";

/** Who owns a cloud resource is known before the first write: nothing below may write, delete or hang. */

const annotationsOf = (object: JsonObject) => (at(object, "metadata.annotations") ?? {}) as JsonObject;
const marksOf = (draft: Draft, name = "bucket") => annotationsOf(desiredOf(draft, name));
const mark = (name: string) => `${DOMAIN}/${name}`;

/** The managed resource in its first generation, as the API server shows it once the draft is applied. */
const first = (draft: Draft, name: string, annotations: JsonObject = {}, status: JsonObject = {}): JsonObject =>
  withMetadata(applied(draft, name, annotations, status), { generation: 1 });

const read = (observedGeneration: number): JsonObject => synced("True", { observedGeneration });
const tags = { add: [team] };

describe("a field that a reference fills in", () => {
  const region = "eu-central-1";
  const policy = (forProvider: JsonObject): JsonObject =>
    managed("s3.aws.upbound.io/v1beta1", "BucketPolicy", { region, policy: "{}", ...forProvider });
  const role = (forProvider: JsonObject): JsonObject =>
    managed("amplify.aws.upbound.io/v1beta1", "Branch", { region, ...forProvider }, named);
  const own = (object: JsonObject, policies: readonly string[], status: JsonObject = {}, labels: JsonObject = {}) => ({
    ...object,
    metadata: { ...(object["metadata"] as JsonObject), name: "ours", uid: "ours", generation: 1, labels },
    spec: { ...(object["spec"] as JsonObject), managementPolicies: policies },
    status,
  });
  const identityIn = (draft: Draft) => at(desiredOf(draft), `metadata.labels[${mark("identity")}]`);
  const isLabelled = (draft: Draft) => identityIn(draft) !== undefined;

  const byRole = { region, clusterName: "c", principalArnFromRoleRef: { name: "r" } };
  const accessEntry = managed("eks.aws.upbound.io/v1beta1", "AccessEntry", byRole);
  const byRef = policy({ bucketRef: { name: "orders" } });
  const wasLiteral = own(role({ appId: "a" }), ["*"], SYNCED, { [mark("identity")]: "of-a" });
  test.each<[reason: string, desired: JsonObject, observed?: JsonObject]>([
    ["is not resolved, of an association", byRef],
    ["is selected and not resolved", policy({ bucketSelector: { matchControllerRef: true } })],
    ["is a parent that is not resolved", role({ appIdRef: { name: "a" } })],
    ["is called otherwise than the field that it fills in", accessEntry],
    ["was a literal until now, which is still observed", role({ appIdRef: { name: "b" } }), wasLiteral],
    ["an association needs, which its provider has found by a literal", byRef, own(byRef, ["Observe"], SYNCED)],
    ["waits for what it refers to", role({ appIdRef: {} }), own(role({ appIdRef: {} }), ["Observe"])],
  ])("that %s keeps its resource an observer without tags, and says why", (_reason, it, observed) => {
    const draft = run({ tags, desired: { bucket: it }, ...(observed && { observed: { bucket: observed } }) });
    expect(policiesOf(draft)).toEqual(["Observe"]);
    expect(tagsIn(draft)).toBeUndefined();
    expect(isLabelled(draft)).toBe(false);
    expect(draft.resources.get("bucket")).toMatchObject({ ready: "False" });
    expect(draft.conditions).toMatchObject([{ status: "False", reason: "WaitingForReferences" }]);
    expect([draft.requirements.size, draft.audit]).toEqual([0, []]);
  });

  test("that is not resolved holds back one that gets another name meanwhile: its provider may be looking for the former", () => {
    const it = withMetadata(role({ appIdRef: { name: "a" } }), { annotations: externalName("bills") });
    const observed = own({ ...it, ...named }, ["Observe"]);
    const [renamed, same] = [observed, own(it, ["Observe"])].map((bucket) =>
      run({ tags, desired: { bucket: it }, observed: { bucket } }),
    ) as [Draft, Draft];
    expect([marksOf(renamed)[mark("moved-at")], marksOf(same)[mark("moved-at")]]).toEqual(["1", undefined]);
  });

  test("that the input names as the external name keeps its resource an observer, and is arbitrated once it is resolved", () => {
    const attachment = (bucket: JsonObject): JsonObject =>
      managed("storage.example.org/v1", "Attachment", { bucketRef: { name: "held" }, tags: {}, ...bucket });
    const rule = { apiGroup: "storage.example.org", fieldPath: "spec.forProvider.tags" };
    const input = { ...tags, resources: [{ ...rule, externalNameFieldPath: "spec.forProvider.bucket" }] };
    const desired = { bucket: attachment({}) };
    const drafts = [attachment({}), attachment({ bucket: "held" })].map((observed) =>
      run({ tags: input, desired, observed: { bucket: own(observed, ["Observe"]) }, contenders: [] }),
    );
    expect(drafts.map(reasonIn)).toEqual(["WaitingForReferences", "Arbitrating"]);
    expect(drafts.map(isLabelled)).toEqual([false, true]);
    expect(drafts.map((draft) => policiesOf(draft))).toEqual([["Observe"], ["Observe"]]);
    const literal = managed("storage.example.org/v1", "Attachment", { bucket: "held", tags: {} });
    const [byReference, byName] = [drafts[1], run({ tags: input, desired: { bucket: literal }, contenders: [] })];
    expect(byReference && identityIn(byReference)).toBe(identityIn(byName));
  });

  const it = role({ appIdRef: { name: "a" } });
  test.each<[reason: string, observed: JsonObject]>([
    ["resolved", role({ appIdRef: { name: "a" }, appId: "id-of-a" })],
    ["optional: the provider has looked without it", own(it, ["Observe"], SYNCED)],
    ["optional, and the provider fails later", own(it, ["*"], {}, { [mark("identity")]: "hash" })],
  ])("is arbitrated once it is %s", (_reason, observed) => {
    const draft = run({ tags, desired: { bucket: it }, observed: { bucket: observed }, contenders: [] });
    expect([isLabelled(draft), draft.requirements.size]).toEqual([true, 1]);
  });

  test("is awaited no longer for an association once the provider has looked without it, where it is optional", () => {
    const it = policy({ bucketRef: { name: "orders", policy: { resolution: "Optional" } } });
    const draft = run({ tags, desired: { bucket: it }, observed: { bucket: own(it, ["Observe"], SYNCED) } });
    expect(reasonIn(draft)).not.toBe("WaitingForReferences");
  });

  test("keeps a kind that cannot observe without Delete and without tags", () => {
    const input = { ...tags, resources: [{ managementPolicies: false }] };
    const draft = run({ tags: input, desired: { bucket: it } });
    const forProvider = { region, appIdRef: { name: "a" } };
    expect(desiredOf(draft)["spec"]).toEqual({ forProvider, deletionPolicy: "Orphan" });
    expect(draft.conditions).toMatchObject([{ reason: "WaitingForReferences" }]);
  });
});

describe("marks that an earlier step desires", () => {
  const forged = (keys: readonly string[]): JsonObject => Object.fromEntries(keys.map((key) => [mark(key), "true"]));
  const operators = forged(["take-ownership", "allow-delete", "leave-behind", "ignore-tags", "restored"]);
  const words = { ...operators, ...CREATED };
  const verdicts = forged(["owner", "tags-owner", "cluster", "contenders", "origin", "created-before", "scope"]);
  const labels = forged(["identity", "contends", "writes", "external-name"]);

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
    const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata };
    const object = managed("kubernetes.crossplane.io/v1alpha2", "Object", { manifest });
    const [made, copied] = ["bucket", "shared/db/prod/a"].map((name) =>
      run({ tags, desired: { [name]: object }, contenders: [] }),
    );
    expect([policiesOf(made as Draft), copied?.resources.size]).toEqual([["Observe"], 0]);
  });

  test("leave no resource out of arbitration, and depose no owner: it has the function's own", () => {
    const annotations = { ...words, ...verdicts, "crossplane.io/external-name": "orders" };
    const [draft, plain] = [{ labels, annotations }, named["metadata"] as JsonObject].map((metadata) =>
      run({ tags, desired: { bucket: bucket({}, { metadata }) }, contenders: [] }),
    ) as [Draft, Draft];
    expect([policiesOf(draft), reasonIn(draft)]).toEqual([["Observe"], "Arbitrating"]);
    expect(desiredOf(draft)["metadata"]).toEqual(desiredOf(plain)["metadata"]);
  });
});

describe("a managed resource that gets another name", () => {
  const parts = { tags, desired: { bucket: bucket({}, named) } };
  const moved = { tags, desired: { bucket: bucket({}, externallyNamed("bills")) } };
  const started = first(run({ ...parts, contenders: [] }), "ours", CREATED, read(1));
  const owning = run({ ...parts, observed: { bucket: started }, contenders: [started] });
  const owner = first(owning, "ours", CREATED, read(1));
  const move = (own: JsonObject, contenders: readonly JsonObject[] = [own], input: JsonObject = tags) =>
    run({ ...moved, tags: input, observed: { bucket: own }, contenders });
  const at2 = (object: JsonObject, generation: number, status: JsonObject, annotations = {}): JsonObject => ({
    ...withMetadata(object, { generation, annotations }),
    status,
  });
  const moving = first(move(owner), "ours", CREATED, read(1));

  const createdAt = CREATED["crossplane.io/external-create-succeeded"];
  const outcomeOf = (draft: Draft) => [policiesOf(draft), reasonIn(draft), marksOf(draft)[mark("created-before")]];

  test("observes in a new generation, so that its deletion never waits for a pause to end", () => {
    const draft = move(owner);
    expect(outcomeOf(draft)).toEqual([["Observe"], "WaitingForProvider", createdAt]);
    expect(marksOf(draft)[mark("moved-at")]).toBe("1");
    const observer = at2(started, 1, read(1));
    expect(policiesOf(move(observer))).toEqual(["Observe", "Observe"]);
  });

  /** Written by hand: it has no name in a Composition. */
  const byHand = { annotations: { "crossplane.io/composition-resource-name": null } };
  const rival = applied(run({ ...moved, contenders: [] }), "rival", ownedBy("XShop/rival"), SYNCED);
  const unmarked = (annotations: JsonObject): JsonObject => {
    const metadata = { name: "ours", uid: "ours", annotations: { ...CREATED, ...annotations } };
    return { ...started, metadata };
  };
  const nameless = withPolicies(unmarked({}), "*");
  const reported = { ...nameless, status: { ...SYNCED, atProvider: { id: "bills" } } };
  const inAnotherRegion = { bucket: bucket({ region: "us-east-1" }, named) };
  const unlabelled = { bucket: withMetadata(started, { labels: {} }) };
  const anew = [["Observe", "Observe"], "WaitingForProvider", createdAt];
  test.each<[reason: string, make: () => Draft, is: readonly unknown[]]>([
    [
      "it is not known who else needs it",
      () => run({ ...moved, observed: { bucket: owner } }),
      [["Observe"], "WaitingForRequiredResources", createdAt],
    ],
    ["it was never arbitrated, since the cloud had named it", () => move(unmarked(externalName("vpc-1")), []), anew],
    ["its place changes", () => run({ tags, desired: inAnotherRegion, observed: unlabelled, contenders: [] }), anew],
    [
      "another XR owns it",
      () => move(owner, [withMetadata(rival, byHand)]),
      [["Observe"], "WaitingForOwner", createdAt],
    ],
    ["nothing tells that it was its name", () => move(nameless, []), [["Observe"], "WaitingForProvider", createdAt]],
    [
      "its provider reports that name: it goes on",
      () => move(reported, []),
      [WITHOUT_DELETE, "Arbitrating", undefined],
    ],
  ])("is held back, or not, where %s", (_reason, make, is) => {
    const draft = make();
    expect(outcomeOf(draft)).toEqual(is);
    expect(marksOf(draft)[mark("origin")]).toBeUndefined();
  });

  test.each<[reason: string, own: JsonObject, isTold: boolean]>([
    ["that it created", owner, true],
    ["that it left to another XR", withMetadata(owner, { annotations: { [mark("contenders")]: "rival" } }), false],
    ["that existed before", withMetadata(owner, { annotations: { [Object.keys(CREATED)[0] ?? ""]: null } }), false],
  ])("says once what it leaves behind in the cloud: one %s", (_reason, own, isTold) => {
    const left =
      "; Bucket orders, which this XR created, stays in the cloud: delete it there unless something needs it";
    const next = first(move(own), "ours", {}, read(1));
    expect([says(move(own)).endsWith(left), says(move(next)).includes("stays in the cloud")]).toEqual([isTold, false]);
  });

  const pending = { "crossplane.io/external-create-pending": "2026-01-01T00:00:09Z" };
  const late = { "crossplane.io/external-create-succeeded": "2026-01-01T00:00:10Z" };
  const creating = { type: "Ready", status: "False", reason: "Creating", observedGeneration: 2 };
  const created = (status: JsonObject) => ({ conditions: [creating, ...(status["conditions"] as JsonObject[])] });
  const held = [["Observe"], "WaitingForProvider", "1"];
  const anewAt = (generation: string) => [["Observe", "Observe"], "WaitingForProvider", generation];
  const found = [WITHOUT_DELETE, "ExistedBefore", undefined];
  test.each<[reason: string, own: JsonObject, is: readonly unknown[]]>([
    ["its provider has not read that", at2(moving, 2, read(1)), held],
    ["its provider has not looked at all", at2(moving, 2, {}), held],
    ["its provider's runtime, which says no generation, creates the former one", at2(moving, 2, SYNCED, pending), held],
    ["its provider's runtime says no generations", at2(moving, 2, SYNCED), found],
    ["the creation of the former one has ended while its XR was reconciled", at2(moving, 2, read(2), late), found],
    ["its provider reports the creation of the former one", at2(moving, 2, created(read(2))), anewAt("2")],
    ["its provider has read that, and found another one", at2(moving, 2, read(2)), found],
    ["it was restored meanwhile, in its first generation", at2(moving, 1, read(1)), anewAt("1")],
    ["it is observed for good", at2(moving, 3, created(read(3))), found],
  ])("is held back until its provider has read that: %s", (_reason, own, is) => {
    const draft = move(own);
    expect([policiesOf(draft), reasonIn(draft), marksOf(draft)[mark("moved-at")]]).toEqual(is);
    expect(marksOf(draft)[mark("origin")]).toBeUndefined();
  });

  test("has not created what it declares now when its provider finishes a creation that had begun", () => {
    const begun = move(at2(owner, 1, read(1), pending));
    const finished = first(begun, "ours", { ...late, ...externalName("orders") }, read(1));
    const draft = move(finished);
    expect(outcomeOf(draft)[2]).toBe("2026-01-01T00:00:10Z");
    const after = first(draft, "ours", late, read(3));
    expect(outcomeOf(move(at2(after, 3, read(3))))[1]).toBe("ExistedBefore");
  });

  test("is no contender for the former one any more, and blocks nobody", () => {
    const other = first(run({ ...parts, contenders: [] }), "other", {}, read(1));
    const gone = at2(owner, 1, read(1), externalName("bills"));
    const draft = run({ ...parts, observed: { bucket: other }, contenders: [gone, other] });
    expect(draft.conditions).toMatchObject([{ reason: "ExistedBefore", status: "True" }]);
  });

  test("that is being deleted is not paused, and a pause of it ends", () => {
    const leaving = first(run({ ...moved, contenders: [] }), "ours", {}, SYNCED);
    const deleting = withMetadata(leaving, { deletionTimestamp: "2026-02-01T00:00:00Z" });
    const left = [withPolicies(deleting, "Observe"), withPolicies(deleting)].map((own) => policiesOf(move(own)));
    expect(left).toEqual([["Observe"], ["Observe"]]);
  });
});

const externalName = (name: string): JsonObject => ({ "crossplane.io/external-name": name });

const secret = { writeConnectionSecretToRef: { namespace: "a", name: "orders" } };
const desired = { bucket: bucket({}, { ...named, spec: { forProvider: { region: "eu-central-1" }, ...secret } }) };

test.each([
  { input: {}, spec: undefined },
  { input: { connectionSecret: "Everyone" }, spec: secret.writeConnectionSecretToRef },
])("an observer writes the connection Secret $spec with the rules $input", ({ input, spec }) => {
  const draft = run({ tags: { add: [team], owner: input }, desired, contenders: [] });
  expect(policiesOf(draft)).toEqual(["Observe"]);
  expect(at(desiredOf(draft), "spec.writeConnectionSecretToRef")).toEqual(spec);
});

test.each<[reason: string, observed: JsonObject, wanted: JsonObject, has: JsonValue | undefined]>([
  [
    "keeps its own: of a map that its provider has filled in, too, the API server lets nobody take the last one",
    { team: "shop" },
    {},
    { team: "shop" },
  ],
  ["keeps none that its provider sets", { "crossplane-name": "x" }, {}, undefined],
  ["has none of an empty map", {}, {}, undefined],
  ["has the tags of earlier steps", { team: "shop" }, { tags: { a: "b" } }, { a: "b" }],
])("an observer %s", (_reason, before, wanted, has) => {
  const newcomer = run({ tags, desired: { bucket: bucket({}, named) }, contenders: [] });
  const ours = first(newcomer, "ours", {}, SYNCED);
  const own = { ...ours, spec: { ...(ours["spec"] as JsonObject), forProvider: { tags: before } } };
  const rival = withPolicies(first(newcomer, "rival", ownedBy("XShop/rival"), SYNCED), "*");
  const draft = run({
    tags,
    desired: { bucket: bucket(wanted, named) },
    observed: { bucket: own },
    contenders: [own, rival],
  });
  expect([policiesOf(draft), tagsIn(draft)]).toEqual([["Observe"], has]);
});

describe("an association, whose external name its provider makes up,", () => {
  const apiVersion = "s3.aws.upbound.io/v1beta1";
  const desired = { bucket: { apiVersion, kind: "BucketPolicy", spec: { forProvider: { bucket: "orders" } } } };
  const newcomer = run({ tags: {}, desired, contenders: [] });
  const FAILED = synced("False", { message: "create failed: it exists" });
  const one = (name: string, externalName?: string, status = SYNCED, marks: JsonObject = {}): JsonObject =>
    first(newcomer, name, { ...marks, ...(externalName && { "crossplane.io/external-name": externalName }) }, status);
  const owner = one("rival", "id-1", SYNCED, { ...ownedBy("XShop/rival"), [mark("contenders")]: "ours" });
  const creator = withMetadata(owner, { annotations: CREATED });
  const ownXr = ownedBy("Shop.apps.example.org/team-a/shop");

  const unnamed = first(newcomer, "rival", { ...ownedBy("XShop/rival"), [mark("contenders")]: "ours" }, SYNCED);
  test.each<[is: string, reason: string, own: JsonObject | undefined, others: readonly JsonObject[]]>([
    ["id-1", "is created beside its owner", undefined, [owner]],
    ["id-1", "is observed beside its owner", one("ours", undefined, FAILED), [owner]],
    ["id-1", "has the name of one that is gone, beside its owner", one("ours", "id-0", FAILED), [owner]],
    ["id-2", "is found beside an owner with another name", one("ours", "id-2"), [owner]],
    ["id-1", "is found beside an owner that created another", one("ours", "id-2"), [creator]],
    ["id-0", "has that, and the owner's provider has not given one yet", one("ours", "id-0"), [unnamed]],
    ["id-2", "is owned", one("ours", "id-2", SYNCED, ownXr), []],
    ["id-2", "is taken over", one("ours", "id-2"), []],
    ["id-1", "is owned, and only an observer has found it", one("ours", "id-0", FAILED, ownXr), [one("b", "id-1")]],
    [
      "none",
      "was deleted with its owner, and is ours to create",
      one("ours", "id-0", ABSENT),
      [one("b", "id-0", ABSENT)],
    ],
    ["id-0", "is ours to create again", one("ours", "id-0", ABSENT, CREATED), []],
    ["none", "is not created yet", undefined, []],
    ["none", "has none yet", one("ours"), []],
  ])("has the external name %s where it %s", (is, _reason, own, others) => {
    const contenders = own === undefined ? others : [own, ...others];
    const draft = run({ tags: {}, desired, contenders, ...(own && { observed: { bucket: own } }) });
    expect(marksOf(draft)["crossplane.io/external-name"] ?? "none").toBe(is);
  });

  test.each([
    ["without a name has Delete: it can only delete what it creates", undefined, ["*"]],
    ["with a name that is not found has not", "id-0", WITHOUT_DELETE],
  ])("that its owner is about to create %s", (_reason, name, policies) => {
    const own = one("ours", name, ABSENT);
    expect(policiesOf(run({ tags: {}, desired, observed: { bucket: own }, contenders: [own] }))).toEqual(policies);
  });

  test("has no external name of the one that it was before", () => {
    const bills = { bucket: { ...desired.bucket, spec: { forProvider: { bucket: "bills" } } } };
    const draft = run({ tags: {}, desired: bills, observed: { bucket: one("ours", "id-1") }, contenders: [] });
    expect(marksOf(draft)["crossplane.io/external-name"]).toBeUndefined();
  });
});

describe("a managed resource", () => {
  const desired = { bucket: bucket({}, named) };
  const newcomer = run({ tags, desired, contenders: [] });
  const marks = { ...ownedBy("XShop/rival"), [mark("contenders")]: "ours" };
  const owner = withPolicies(first(newcomer, "rival", marks, SYNCED), "*");
  const ours = first(newcomer, "ours", {}, SYNCED);
  const unseen = first(newcomer, "ours", {}, {});
  const older = first(newcomer, "older", { [mark("owner")]: "XShop/older" }, SYNCED);
  /** @param found the answer to what was required before. */
  const settle = (own: JsonObject | undefined, others?: readonly JsonObject[], found?: readonly JsonObject[]) => {
    const observed = own === undefined ? {} : { bucket: own };
    const contenders = others && { contenders: others };
    return run({ tags, desired, observed, ...contenders, answers: { first: found ?? "pending" } });
  };
  const noted = (own: JsonObject, annotations: JsonObject) => withMetadata(own, { annotations });
  const isOlder = withMetadata(older, { creationTimestamp: "2025-01-01T00:00:00Z" });
  const isLeaving = withMetadata(owner, { deletionTimestamp: "2026-02-01T00:00:00Z" });
  const isElsewhere = noted(owner, externalName("bills"));
  const byName = (name: string) => ({ apiVersion: "s3.aws.upbound.io/v1beta2", kind: "Bucket", match: { name } });
  const all = { match: { labels: { [mark("identity")]: expect.anything() } } };
  const contending = { match: { labels: { [mark("contends")]: expect.anything() } } };
  const writing = { match: { labels: { [mark("writes")]: expect.anything() } } };
  const creating = { ...ours, status: ABSENT };
  const unlisting = noted(owner, { [mark("contenders")]: "" });
  const chosen = noted(ours, { [mark("take-ownership")]: "2026" });
  const [oldest, own, rival] = [[byName("older"), writing], [byName("ours"), contending], [byName("rival")]];

  test.each<[reason: string, given: Parameters<typeof settle>, required: readonly object[], is: string]>([
    ["those that write, as a newcomer", [undefined, []], [writing], "Arbitrating"],
    ["its owner alone, as a newcomer", [undefined, [owner]], [byName("rival")], "WaitingForProvider"],
    ["those that write, until its provider has looked", [unseen, [unseen]], [writing], "WaitingForProvider"],
    ["all, once that has looked", [ours], [all], "WaitingForRequiredResources"],
    ["its owner alone", [ours, [ours, owner]], [byName("rival")], "ObservedOnly"],
    ["its owner alone from then on", [ours, [], [owner]], [byName("rival")], "ObservedOnly"],
    ["its owner alone, which does not list it", [ours, [], [unlisting]], [byName("rival")], "WaitingForOwner"],
    ["all, once its owner is gone", [ours, [ours], []], [all], "ExistedBefore"],
    ["all, once its owner is being deleted", [ours, [ours, isLeaving], [isLeaving]], [all], "WaitingForOwner"],
    ["all, once its owner is something else", [ours, [ours, isElsewhere], [isElsewhere]], [all], "ExistedBefore"],
    ["all, once an operator gives it ownership", [chosen, [ours, owner], [owner]], [all], "WaitingForOwner"],
    ["the oldest and writers, without an owner", [creating, [creating, isOlder]], oldest, "WaitingForProvider"],
    ["the owner, no longer the oldest", [creating, [creating, owner], [isOlder]], rival, "WaitingForProvider"],
    ["itself and those that contend, as the oldest that is to create", [creating, [creating]], own, "Owned"],
  ])("requires %s", (_reason, given, required, is) => {
    const draft = settle(...given);
    expect([...draft.requirements.values()]).toMatchObject(required);
    expect(draft.conditions).toMatchObject([{ reason: is }]);
  });

  test("requires an owner of the twin's kind in its namespace", () => {
    const apiVersion = "s3.aws.m.upbound.io/v1beta1";
    const twin = withMetadata({ ...owner, apiVersion }, { namespace: "team-b" });
    const { requirements } = settle(ours, [], [twin]);
    expect([...requirements.values()]).toEqual([{ ...byName("rival"), apiVersion, namespace: "team-b" }]);
  });
});

describe("an object of another kind to which a team has its XR refer in a bucket's place is not that bucket:", () => {
  const owned = { [mark("origin")]: "Created", ...ownedBy("Shop.apps.example.org/team-a/shop") };
  const decoy = (name: string, annotations: JsonObject = {}): JsonObject =>
    managed("v1", "ConfigMap", {}, { metadata: { name, annotations } });
  const twin = { ...decoy("x", owned), apiVersion: "s3.aws.m.upbound.io/v1beta1", kind: "Bucket" };
  test.each<[what: string, observed: JsonObject]>([
    ["a ConfigMap", decoy("x")],
    ["one with an owner's marks", decoy("x", owned)],
    ["the namespaced twin of an owner", withPolicies(twin, "*")],
  ])("%s", (_what, observed) => {
    const parts = { tags, desired: { bucket: bucket({}, named) }, contenders: [] };
    const [honest, draft] = [run(parts), run({ ...parts, observed: { bucket: observed } })];
    expect(desiredOf(draft)).toEqual(withMetadata(desiredOf(honest), { name: "x" }));
  });

  test("under its name, which Crossplane hands down, the bucket is arbitrated, also later", () => {
    const parts = { tags, desired: { bucket: bucket() }, contenders: [] };
    const draft = run({ ...parts, observed: { bucket: decoy("orders") } });
    const later = run({ ...parts, observed: { bucket: applied(draft, "orders") } });
    expect([reasonIn(draft), policiesOf(draft), later.requirements.size]).toEqual(["Arbitrating", ["Observe"], 1]);
  });
});

describe("two of one name in a kind that no table lists", () => {
  const GROUP = "mongodbatlas.example.org";
  const cluster = (place: JsonObject): JsonObject =>
    managed(`${GROUP}/v1alpha1`, "Cluster", { ...place, tags: {} }, externallyNamed("main"));
  const tagging = (rule: JsonObject = {}) => {
    return { add: [team], resources: [{ apiGroup: GROUP, fieldPath: "spec.forProvider.tags", ...rule }] };
  };
  /** Crossplane v2.2 or later, and the fields below spec.forProvider in the schema with which it answers. */
  const answering = (fields: JsonObject) => {
    const forProvider = { properties: fields };
    const schemas = { Cluster: { properties: { spec: { properties: { forProvider } } } } };
    return { capabilities: ["RequiredSchemas"], schemas } as const;
  };
  const text = { type: "string" };
  const bySchema = answering({ cell: text, cellRef: {}, alias: text, aliasSelector: {} });
  const cells = answering({ cell: { type: "array", items: text }, cellRefs: {}, cellSelector: {} });
  const draftOf = (place: JsonObject, rule: JsonObject = {}, crossplane: CallParts = {}) =>
    run({ tags: tagging(rule), desired: { bucket: cluster(place) }, contenders: [], ...crossplane });
  const identityOf = (draft: Draft): JsonValue => at(desiredOf(draft), `metadata.labels[${DOMAIN}/identity]`) ?? null;
  const scoped = (field: string): JsonObject => ({ scopeFieldPaths: [`spec.forProvider.${field}`] });
  test.each<[reason: string, areTwo: boolean, field: string, rule: JsonObject, crossplane?: CallParts]>([
    ["are two where scopeFieldPaths distinguish them", true, "cell", scoped("cell")],
    ["are two in two parents, although these are literals", true, "projectId", {}],
    ["are one without", false, "cell", {}],
    ["are two by a literal beside which their schema has a reference", true, "cell", {}, bySchema],
    ["are two by a number", true, "cell", {}, answering({ cell: { type: "integer" }, cellRef: {} })],
    ["are one by one that stands alone in the schema", false, "size", {}, bySchema],
    ["are one by a schema that does not say the fields", false, "cell", {}, { ...bySchema, schemas: { Cluster: {} } }],
    ["are one by a list, which may change in place", false, "cell", {}, cells],
    ["are one where the input says what distinguishes them", false, "cell", scoped("region"), bySchema],
    ["are one before Crossplane v2.2", false, "cell", {}, { ...bySchema, capabilities: [] }],
  ])("%s", (_reason, areTwo, field, rule, crossplane) => {
    const [a, b] = ["a", "b"].map((value) => identityOf(draftOf({ [field]: value }, rule, crossplane)));
    expect([typeof a, a !== b]).toEqual(["string", areTwo]);
  });

  test("are one where nothing distinguishes them, and the condition names the fields that may", () => {
    const placeOf = (text: string) => ({ cell: text, size: "M10", tier: text, tierName: text, vaultId: text });
    const [ours, theirs] = ["a", "b"]
      .map((text) => draftOf(placeOf(text)))
      .map((draft, index) => applied(draft, `${index}`, {}, SYNCED));
    const annotations = ownedBy("XShop.apps.example.org/rival");
    const owner = withPolicies(withMetadata(theirs ?? {}, { annotations }), "*");
    const contenders = [ours ?? {}, owner];
    const desired = { bucket: cluster(placeOf("a")) };
    const draft = run({ tags: tagging(), desired, observed: { bucket: ours ?? {} }, contenders });
    const fields = ["tierName", "vaultId", "cell"].map((field) => `spec.forProvider.${field}`);
    expect(draft.conditions[0]?.message).toContain(`scopeFieldPaths: ${fields.join(", ")} and 1 more`);
  });

  /** The managed resource of an owner, labelled as an earlier draft labels it. */
  const ownedSince = (before: Draft, place: JsonObject): JsonObject => {
    const labels = { [mark("identity")]: identityOf(before), [mark("writes")]: null, [mark("contends")]: null };
    const owner = withMetadata(applied(draftOf(place), "ours", {}, SYNCED), { labels });
    return withPolicies(withMetadata(owner, { annotations: ownedBy("Shop.apps.example.org/team-a/shop") }), "*");
  };
  test.each<[reason: string, place: JsonObject, crossplane?: CallParts]>([
    ["literals tell apart since Crossplane can look up the schema", { cell: "a", alias: "b" }, bySchema],
    ["a literal does beside a literal parent", { cell: "a", projectId: "b" }, bySchema],
    ["a literal does beside a reference", { cell: "a", alias: "b", aliasRef: {} }, bySchema],
  ])("that %s keep their owner", (_reason, place, crossplane = {}) => {
    const { projectId = null, alias = null, aliasRef } = place as Record<string, JsonValue>;
    const before = draftOf(aliasRef === undefined ? { size: "M10", projectId } : { alias, aliasRef });
    const observed = ownedSince(before, place);
    const desired = { bucket: cluster(place) };
    const parts = { tags: tagging(), desired, observed: { bucket: observed }, contenders: [observed] };
    const next = run({ ...parts, ...crossplane });
    expect(policiesOf(next)).toEqual(WITHOUT_DELETE);
    expect([identityOf(next), reasonIn(next)]).toEqual([identityOf(draftOf(place, {}, crossplane)), "ExistedBefore"]);
    expect(identityOf(next)).not.toBe(identityOf(before));
  });

  test.each<[reason: string, place: JsonObject, crossplane?: CallParts]>([
    ["a literal parent", { projectId: "b" }],
    ["a literal that its schema tells", { cell: "b" }, bySchema],
  ])(
    "that gets %s only observes at first: another XR may own what it declares now",
    (_reason, place, crossplane = {}) => {
      const observed = ownedSince(draftOf({}, {}, crossplane), {});
      const parts = { tags: tagging(), observed: { bucket: observed }, contenders: [observed], ...crossplane };
      expect(policiesOf(run({ ...parts, desired: { bucket: cluster(place) } }))).toEqual(["Observe"]);
    },
  );

  test("are one by a literal and by the reference that fills in the same", () => {
    const [literal, referred] = [
      { alias: "a", cell: "b" },
      { alias: "a", aliasRef: {}, cell: "b" },
    ].map((place) => identityOf(draftOf(place, {}, bySchema)));
    expect(literal).toBe(referred);
  });

  const schemasIn = ({ requiredSchemas }: Draft) =>
    [...requiredSchemas.keys()].filter((name) => name.startsWith("tags/"));
  test.each<[reason: string, is: "pending" | "unknown", reason: string, policies: readonly string[]]>([
    ["wait for their schema as they are", "pending", "WaitingForRequiredResources", ["*"]],
    ["go on as they are where Crossplane has no schema", "unknown", "ExistedBefore", WITHOUT_DELETE],
  ])("%s", (_reason, is, reason, policies) => {
    const observed = ownedSince(draftOf({}), { cell: "a" });
    const parts = { tags: tagging(), desired: { bucket: cluster({ cell: "a" }) }, observed: { bucket: observed } };
    const call = callOf({ sharedResources: [], ...parts, ...bySchema, contenders: [observed] });
    const draft = runFeature(tagsFeature, { ...call, request: { ...call.request, requiredSchema: () => ({ is }) } });
    expect([reasonIn(draft), policiesOf(draft), identityOf(draft)]).toEqual([
      reason,
      policies,
      identityOf(draftOf({})),
    ]);
  });

  test("ask for their schema once, and have the same identity afterwards", () => {
    const begun = draftOf({ cell: "a" }, {}, bySchema);
    const observed = applied(begun, "ours", annotationsOf(desiredOf(begun)), SYNCED);
    const parts = { tags: tagging(), observed: { bucket: observed }, contenders: [], ...bySchema, schemas: {} };
    const [same, moved, cleared] = ["a", "b", null].map((cell) =>
      run({ ...parts, desired: { bucket: cluster({ cell }) } }),
    );
    expect([begun, same, moved].map((draft) => draft && schemasIn(draft).length)).toEqual([1, 0, 0]);
    expect(same && identityOf(same)).toBe(identityOf(begun));
    expect(moved && identityOf(moved)).toBe(identityOf(draftOf({ cell: "b" }, {}, bySchema)));
    expect(cleared && identityOf(cleared)).toBe(identityOf(draftOf({})));
  });

  test("do not ask for the schema where no other XR can declare them, or only the provider's name is there", () => {
    const unnamed = managed(`${GROUP}/v1alpha1`, "Cluster", { cell: "a", tags: {} }, { metadata: {} });
    const annotations = {
      "crossplane.io/external-name": "id-of-a",
      "crossplane.io/external-create-succeeded": "2026-01-01T00:00:00Z",
    };
    const observed = { ...withMetadata(unnamed, { name: "ours", uid: "ours", annotations }), status: SYNCED };
    const parts = { tags: tagging(), desired: { bucket: unnamed }, contenders: [], ...bySchema };
    const drafts = [run(parts), run({ ...parts, observed: { bucket: observed } })];
    expect(drafts.map(reasonIn)).toEqual(["Owned", "Owned"]);
    expect(drafts.flatMap(schemasIn)).toEqual([]);
  });
});
