import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { externallyNamed } from "../../../testing/builders/composed.ts";
import type { CallParts } from "../../../testing/builders/sharing.ts";
import { at, bucket, DOMAIN, desiredOf, named, run, team } from "../../../testing/builders/tags.ts";

/** What a provider writes on a managed resource for which it has created the cloud resource. */
const CREATED = { "crossplane.io/external-create-succeeded": "2026-01-01T00:00:01Z" };
const SYNCED = { conditions: [{ type: "Synced", status: "True" }] };
const READY = {
  conditions: [
    { type: "Synced", status: "True" },
    { type: "Ready", status: "True" },
  ],
};
const PAUSED = { conditions: [{ type: "Synced", status: "False", reason: "ReconcilePaused" }] };
const ABSENT = {
  conditions: [{ type: "Synced", status: "False", message: "observe failed: external resource does not exist" }],
};

/** The bucket as the API server shows it, once `draft` is applied. */
function applied(draft: Draft, name: string, metadata: JsonObject = {}, rest: JsonObject = {}): JsonObject {
  const object = desiredOf(draft);
  const { labels, annotations } = (object["metadata"] ?? {}) as Record<string, JsonObject>;
  return {
    ...object,
    ...rest,
    metadata: {
      name,
      uid: name,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ownerReferences: [{ apiVersion: "apps.example.org/v1", kind: "XShop", name: "xr", uid: "xr", controller: true }],
      ...metadata,
      labels: labels ?? {},
      annotations: { ...annotations, ...CREATED, "crossplane.io/composition-resource-name": "bucket" },
    },
    status: SYNCED,
  };
}

describe("a cloud resource that several XRs may name", () => {
  const parts: CallParts = { tags: { add: [team] }, desired: { bucket: bucket({}, named) } };
  const first = run({ ...parts, contenders: [] });
  const policies = (draft: Draft) => at(desiredOf(draft), "spec.managementPolicies");
  const ownXr = "Shop.apps.example.org/team-a/shop";

  /** Ours and another's, as they are after their first reconcile. */
  const ours = applied(first, "ours");
  const annotated = (object: JsonObject, more: JsonObject): JsonObject => {
    const { annotations, ...rest } = object["metadata"] as Record<string, JsonObject>;
    return { ...object, metadata: { ...rest, annotations: { ...annotations, ...more } } };
  };
  const rival = (metadata: JsonObject = {}): JsonObject =>
    annotated(applied(first, "rival", metadata), { [`${DOMAIN}/owner`]: "XShop.apps.example.org/rival" });
  const owning = (object: JsonObject, more: JsonObject = {}): JsonObject => {
    const marker = { [`${DOMAIN}/tags-owner`]: `${at(object, `metadata.annotations[${DOMAIN}/owner]`)}#bucket` };
    return annotated(writing(object), { ...marker, ...more });
  };
  const writing = (object: JsonObject): JsonObject => ({
    ...object,
    spec: { ...(object["spec"] as JsonObject), managementPolicies: ["*"] },
  });

  test("is looked up by its label, and only observed until the answer is there", () => {
    const pending = run(parts);
    expect([...pending.requirements]).toEqual([...first.requirements]);
    expect([...first.requirements.values()]).toEqual([
      {
        apiVersion: "s3.aws.upbound.io/v1beta2",
        kind: "Bucket",
        match: { labels: { [`${DOMAIN}/writes`]: at(ours, `metadata.labels[${DOMAIN}/identity]`) } },
      },
    ]);
    expect([policies(pending), policies(first)]).toEqual([["Observe"], ["Observe"]]);
    expect(first.resources.get("bucket")).toMatchObject({ ready: "False" });
    expect(pending.conditions).toMatchObject([{ status: "Unknown", reason: "WaitingForRequiredResources" }]);
    expect(pending.audit).toEqual([]);
  });

  test("has the function's own marks, and none that earlier steps have copied from an XR", () => {
    const marks = ["identity", "contends", "writes", "external-name", "owner"];
    const verdicts = ["cluster", "tags-owner", "contenders", "origin", "created-before"];
    const forge = (keys: readonly string[]): JsonObject =>
      Object.fromEntries(keys.map((key) => [`${DOMAIN}/${key}`, "forged"]));
    const operators = forge(["take-ownership", "allow-delete", "leave-behind", "ignore-tags"]);
    const annotations = { "crossplane.io/external-name": "orders" };
    const withMarks = (keys: readonly string[]): CallParts => {
      const labels = keys.length === 0 ? {} : { labels: forge(keys) };
      const metadata = {
        ...labels,
        annotations: { ...annotations, ...forge(keys), ...(keys.length > 0 && operators) },
      };
      return { ...parts, desired: { bucket: bucket({}, { metadata }) } };
    };
    const written = (keys: readonly string[]) =>
      at(desiredOf(run({ ...withMarks(keys), contenders: [] })), "metadata.annotations");
    expect(written([...verdicts, "owner"])).toEqual(written([]));
    const labels = at(desiredOf(run({ ...withMarks(marks), contenders: [] })), "metadata.labels");
    expect(labels).toEqual(at(desiredOf(first), "metadata.labels"));
  });

  test("is owned by the only XR that names it", () => {
    const draft = run({ ...parts, observed: { bucket: ours }, contenders: [ours] });
    expect(at(desiredOf(draft), "metadata.annotations")).toEqual({
      "crossplane.io/external-name": "orders",
      [`${DOMAIN}/owner`]: ownXr,
      [`${DOMAIN}/origin`]: "Created",
      [`${DOMAIN}/tags-owner`]: `${ownXr}#bucket`,
    });
    expect([policies(draft), at(desiredOf(draft), "spec.forProvider.tags")]).toEqual([["*"], { team: "shop" }]);
    expect(draft.audit).toEqual([{ resource: "bucket", key: "team", old: undefined, new: "shop", owner: ownXr }]);
  });

  test.each([
    {
      contends: "hash",
      kept: ["Observe", "Create", "Update", "LateInitialize"],
      successors: "rival",
      says: "1 tagged; bucket: shared with XShop.apps.example.org/rival",
    },
    { contends: undefined, kept: ["*"], successors: undefined, says: "1 tagged" },
  ])("keeps $kept while another XR has the label contends: $contends", ({ contends, kept, successors, says }) => {
    const newcomer = rival();
    const metadata = newcomer["metadata"] as Record<string, JsonObject>;
    const labels = { ...metadata["labels"], ...(contends !== undefined && { [`${DOMAIN}/contends`]: contends }) };
    const contenders = [owning(ours), { ...newcomer, metadata: { ...metadata, labels } }];
    const draft = run({ ...parts, observed: { bucket: owning(ours) }, contenders });
    expect(policies(draft)).toEqual(kept);
    expect(at(desiredOf(draft), `metadata.annotations[${DOMAIN}/contenders]`)).toBe(successors);
    expect(draft.conditions[0]).toMatchObject({ status: "True", reason: "Owned", message: says });
  });

  test("keeps Delete under onRelease: Delete", () => {
    const tags = { add: [team], owner: { onRelease: "Delete" } };
    const draft = run({ ...parts, tags, observed: { bucket: owning(ours) }, contenders: [owning(ours), rival()] });
    expect(policies(draft)).toEqual(["*"]);
  });

  test("is arbitrated once for all resources of an XR that name it, and not for each beside each", () => {
    const count = 20_000;
    const mine = Array.from({ length: count }, (_, i) => [`bucket-${i}`, applied(first, `ours-${i}`)] as const);
    const draft = run({
      ...parts,
      desired: Object.fromEntries(mine.map(([name]) => [name, bucket({}, named)])),
      observed: Object.fromEntries(mine),
      contenders: mine.map(([, object]) => object),
    });
    expect(draft.resources.size).toBe(count);
  });

  test("is not described by a text without end, where its owner wrote one", () => {
    const long = "x".repeat(240_000);
    const marks = { [`${DOMAIN}/owner`]: long, [`${DOMAIN}/tags-owner`]: `${long}#bucket` };
    const owner = owning(rival(), { ...marks, [`${DOMAIN}/contenders`]: "ours" });
    const draft = run({ ...parts, observed: { bucket: ours }, contenders: [ours, owner] });
    expect(draft.conditions[0]?.message).toContain(`bucket: ${"x".repeat(99)}… (Bucket rival of `);
    expect(JSON.stringify([...draft.resources]).length).toBeLessThan(3000);
  });

  test("is only observed by an XR that does not own it, whose condition names the owner and how to take over", () => {
    const owner = owning(rival(), { [`${DOMAIN}/contenders`]: "ours" });
    const draft = run({ ...parts, observed: { bucket: ours }, contenders: [ours, owner] });
    expect([policies(draft), at(desiredOf(draft), "spec.forProvider.tags")]).toEqual([["Observe"], undefined]);
    expect(draft.resources.get("bucket")).toMatchObject({ ready: undefined });
    expect(draft.conditions[0]).toMatchObject({ status: "True", reason: "ObservedOnly" });
    expect(draft.conditions[0]?.message).toBe(
      "0 tagged, 1 only observed; bucket: XShop.apps.example.org/rival (Bucket rival of 2026-01-01T00:00:00Z) owns it, so this XR only observes it; to move " +
        `ownership here: kubectl annotate bucket.s3.aws.upbound.io ours --overwrite ${DOMAIN}/take-ownership="$(date -u +%FT%TZ)"`,
    );
  });

  test.each([
    [
      "Withheld",
      "onConflict is Withhold, before this XR has created it",
      "Withhold",
      {},
      { is: "removed" },
      "Warning",
      "so this XR does not create it",
    ],
    [
      "WaitingForOwner",
      "onConflict is Withhold, after this XR has created it",
      "Withhold",
      { bucket: ours },
      { is: "set" },
      "Warning",
      "and has not listed this XR as a successor yet",
    ],
    [
      "Conflict",
      "onConflict is Fail",
      "Fail",
      { bucket: ours },
      { is: "set" },
      "Fatal",
      "and onConflict is Fail; to move ownership here: kubectl annotate bucket",
    ],
  ])(
    "that another XR owns leads to the reason %s when %s",
    (is, _reason, onConflict, observed, edit, severity, says) => {
      const contenders = [...Object.values(observed), owning(rival())];
      const draft = run({ ...parts, tags: { add: [team], owner: { onConflict } }, observed, contenders } as CallParts);
      expect(draft.resources.get("bucket")).toMatchObject(edit);
      const message = expect.stringContaining(
        `XShop.apps.example.org/rival (Bucket rival of 2026-01-01T00:00:00Z) owns it, ${says}`,
      );
      expect(draft.conditions).toMatchObject([{ status: "False", reason: is, message }]);
      expect(draft.results).toMatchObject([{ severity }]);
    },
  );

  test.each([
    { reason: "its provider has not found it", own: ABSENT, is: "WaitingForProvider", status: "False" },
    { reason: "its provider has found it", own: SYNCED, is: "ObservedOnly", status: "True" },
  ])("leads to the reason $is for an observer that the owner has listed when $reason", ({ own, is, status }) => {
    const owner = owning(rival(), { [`${DOMAIN}/contenders`]: "ours" });
    const observer = { ...ours, status: own };
    const { conditions } = run({
      ...parts,
      observed: { bucket: observer },
      contenders: [observer, owner],
    } as CallParts);
    expect(conditions).toMatchObject([{ reason: is, status }]);
    expect(conditions[0]?.message).toMatch(
      /XShop.apps.example.org\/rival .* owns it, .* to move ownership here: kubectl annotate/,
    );
  });

  test("that existed before this step keeps its tags and its policies, but for Delete, and the condition says so", () => {
    const before = bucket(
      { tags: { team: "shop" } },
      { metadata: { ...(named["metadata"] as JsonObject), name: "old", uid: "old" } },
    );
    const draft = run({ ...parts, observed: { bucket: writing(before) }, contenders: [] });
    expect(draft.conditions[0]?.message).toBe(
      "1 tagged; bucket: managed and tagged as before, without Delete, until the next reconcile shows that no other XR owns it",
    );
    expect([policies(draft), at(desiredOf(draft), "spec.forProvider.tags")]).toEqual([
      ["Observe", "Create", "Update", "LateInitialize"],
      { team: "shop" },
    ]);
    expect(draft.audit).toEqual([]);
  });

  describe("that no managed resource of ours created", () => {
    const found = (object: JsonObject, more: JsonObject = {}, status: JsonObject = SYNCED): JsonObject => {
      const metadata = object["metadata"] as Record<string, JsonObject>;
      const { "crossplane.io/external-create-succeeded": _, ...annotations } = metadata["annotations"] as JsonObject;
      return { ...object, metadata: { ...metadata, annotations: { ...annotations, ...more } }, status };
    };
    const withoutDelete = ["Observe", "Create", "Update", "LateInitialize"];

    test.each([
      ["is only observed until its provider has looked for it", found(ours, {}, {}), ["Observe"], "WaitingForProvider"],
      ["is owned and never deleted when it existed before", found(ours), withoutDelete, "ExistedBefore"],
      [
        "is created by ours when it does not exist, and cannot be deleted before that is done",
        found(ours, {}, ABSENT),
        withoutDelete,
        "Owned",
      ],
      [
        "is deleted with its owner once an operator allows it",
        found(ours, { [`${DOMAIN}/allow-delete`]: "true" }),
        ["*"],
        "Owned",
      ],
      [
        "is deleted with a successor of the owner that created it",
        found(ours, { [`${DOMAIN}/origin`]: "Created" }),
        ["*"],
        "Owned",
      ],
    ])("%s", (_reason, own, allowed, is) => {
      const draft = run({ ...parts, observed: { bucket: own }, contenders: [own] });
      expect([policies(draft), draft.conditions[0]?.reason]).toEqual([allowed, is]);
    });

    test("has a condition that says so, with the command that allows its deletion", () => {
      const own = found(ours);
      const { conditions } = run({ ...parts, observed: { bucket: own }, contenders: [own] });
      expect(conditions).toMatchObject([
        {
          status: "True",
          message:
            "1 tagged; bucket: existed before this XR, so it is not deleted with it; to delete it with this XR: " +
            `kubectl annotate bucket.s3.aws.upbound.io ours ${DOMAIN}/allow-delete=true`,
        },
      ]);
    });

    test("is only observed where its provider does not tell who writes it, and the condition says how to go on", () => {
      const classic = { ...bucket({}, named), apiVersion: "s3.aws.crossplane.io/v1beta1" };
      const theirs: CallParts = { ...parts, desired: { bucket: classic } };
      const own = applied(run({ ...theirs, contenders: [] }), "ours");
      const { annotations, ...rest } = own["metadata"] as Record<string, JsonObject>;
      const { [Object.keys(CREATED)[0] ?? ""]: _, ...others } = annotations ?? {};
      const found = { ...own, metadata: { ...rest, annotations: others } } as JsonObject;
      const draft = run({ ...theirs, observed: { bucket: found }, contenders: [found] });
      expect([policies(draft), draft.resources.get("bucket"), draft.conditions]).toMatchObject([
        ["Observe"],
        { ready: "True" },
        [
          {
            status: "False",
            reason: "ExistedBefore",
            message:
              "0 tagged, 1 not tagged; bucket: existed before this XR, and its provider does not report who else writes it, so this XR " +
              "only observes it; to move ownership here: kubectl annotate bucket.s3.aws.crossplane.io ours --overwrite " +
              `${DOMAIN}/take-ownership="$(date -u +%FT%TZ)"; to delete it with this XR: ` +
              `kubectl annotate bucket.s3.aws.crossplane.io ours ${DOMAIN}/allow-delete=true`,
          },
        ],
      ]);
    });

    test("is not taken for created because ours created another one under its earlier name", () => {
      const moved = bucket({}, { metadata: { annotations: { "crossplane.io/external-name": "bills" } } });
      const reconcile = (own: JsonObject, contenders: readonly JsonObject[]) =>
        run({ ...parts, desired: { bucket: moved }, observed: { bucket: own }, contenders });
      const moving = { ...applied(reconcile(owning(ours), []), "ours"), status: PAUSED };
      const looking = applied(reconcile(moving, [moving]), "ours");
      const settled = reconcile(looking, [looking]);
      expect([policies(settled), settled.conditions[0]?.reason]).toEqual([withoutDelete, "ExistedBefore"]);
      const later = applied(settled, "ours");
      expect(reconcile(later, [later]).conditions).toMatchObject([{ reason: "ExistedBefore" }]);
    });
  });

  test.each([
    { reason: "its provider has observed it and its owner is Ready", own: SYNCED, owner: READY, ready: "True" },
    { reason: "its owner is not Ready", own: SYNCED, owner: SYNCED, ready: undefined },
    { reason: "its provider has not observed it", own: {}, owner: READY, ready: undefined },
  ])("has the readiness $ready for an observer when $reason", ({ own, owner, ready }) => {
    const rivals = { ...owning(rival(), { [`${DOMAIN}/contenders`]: "ours" }), status: owner };
    const observer = { ...ours, status: own };
    const draft = run({ ...parts, observed: { bucket: observer }, contenders: [observer, rivals] } as CallParts);
    expect(draft.resources.get("bucket")).toMatchObject({ ready });
  });

  test("that two XRs write is given up by the loser before onConflict: Fail stops its XR", () => {
    const input = { add: [team], owner: { onConflict: "Fail" } };
    const reconcile = (own: JsonObject) =>
      run({ ...parts, tags: input, observed: { bucket: own }, contenders: [own, owning(rival())] } as CallParts);
    const writer = writing(ours);
    expect([policies(reconcile(writer)), reconcile(writer).results]).toMatchObject([
      ["Observe"],
      [{ severity: "Warning" }],
    ]);
    expect(reconcile(ours).results).toMatchObject([{ severity: "Fatal" }]);
  });

  test("keeps its owner after a restore with other UIDs", () => {
    const restored = owning(applied(first, "ours", { uid: "new", creationTimestamp: "2026-06-01T00:00:00Z" }));
    const draft = run({ ...parts, observed: { bucket: restored }, contenders: [rival(), restored] });
    expect(draft.conditions).toMatchObject([{ status: "True", reason: "Owned" }]);
  });

  test("of a kind without managementPolicies is orphaned with the owner's tags by an XR that does not own it", () => {
    const bare = (object: JsonObject, rest: JsonObject = {}): JsonObject => ({
      ...object,
      spec: { ...rest, forProvider: { tags: { team: "rival" } } },
    });
    const tags = { add: [team], resources: [{ managementPolicies: false }] };
    const contenders = [bare(ours), bare(owning(rival()))];
    const lost = run({ ...parts, tags, observed: { bucket: bare(ours) }, contenders });
    expect(desiredOf(lost)["spec"]).toEqual({
      forProvider: { region: "eu-central-1", tags: { team: "rival" } },
      deletionPolicy: "Orphan",
    });
    expect(lost.conditions).toMatchObject([{ reason: "CannotObserve" }]);
    const withheld = run({ ...parts, tags, contenders: [bare(owning(rival()))] });
    expect(withheld.resources.get("bucket")).toEqual({ is: "removed" });
  });

  test.each([
    [
      "the owner still writes",
      owning(rival()),
      "stop writing it; if that XR is paused, unpause it, or pause its Bucket as well",
    ],
    [
      "the owner is being deleted together with the cloud resource",
      owning(rival({ deletionTimestamp: "2026-02-01T00:00:00Z" })),
      "and the cloud resource are deleted",
    ],
  ])("is only observed by the XR that an operator chose while %s", (_reason, contender, says) => {
    const chosen = annotated(ours, { [`${DOMAIN}/take-ownership`]: "2026" });
    const draft = run({ ...parts, observed: { bucket: chosen }, contenders: [chosen, contender] });
    expect([policies(draft), draft.conditions[0]?.reason]).toEqual([["Observe"], "WaitingForOwner"]);
    expect(draft.conditions[0]?.message).toContain(says);
  });

  test("keeps its owner and policies while the control plane's own name is not known", () => {
    const input = { add: [team], owner: { cluster: { fromEnvironmentFieldPath: "cluster" } } };
    const draft = run({ ...parts, tags: input, observed: { bucket: owning(ours) }, contenders: [owning(ours)] });
    expect([policies(draft), draft.conditions[0]?.reason]).toEqual([["*"], "FieldNotSet"]);
    expect(at(desiredOf(draft), `metadata.annotations[${DOMAIN}/tags-owner]`)).toBe(`${ownXr}#bucket`);
  });

  describe("that gets another name", () => {
    const moved = bucket({}, externallyNamed("bills"));
    const moveTo = (desired: JsonObject, own: JsonObject, contenders?: readonly JsonObject[]) =>
      run({ ...parts, desired: { bucket: desired }, observed: { bucket: own }, ...(contenders && { contenders }) });
    const outcome = (draft: Draft) => [
      policies(draft),
      draft.conditions[0]?.reason,
      at(desiredOf(draft), `metadata.annotations[${DOMAIN}/created-before]`),
    ];
    const createdAt = CREATED["crossplane.io/external-create-succeeded"];
    const moving = applied(moveTo(moved, owning(ours), []), "ours");
    const unlabelled = (object: JsonObject): JsonObject => ({
      ...object,
      metadata: { ...(object["metadata"] as JsonObject), labels: {} },
    });
    const theirs = "XShop.apps.example.org/rival";
    const found = applied(run({ ...parts, desired: { bucket: moved }, contenders: [] }), "rival");
    const others: JsonObject = {
      ...found,
      metadata: {
        ...(found["metadata"] as JsonObject),
        annotations: {
          ...(externallyNamed("bills")["metadata"] as Record<string, JsonObject>)["annotations"],
          [`${DOMAIN}/owner`]: theirs,
          [`${DOMAIN}/tags-owner`]: `${theirs}#bucket`,
        },
      },
    };
    const cloudNamed = {
      ...unlabelled(ours),
      metadata: { name: "ours", uid: "ours", annotations: { ...CREATED, "crossplane.io/external-name": "vpc-1" } },
    };
    const nameless = {
      ...cloudNamed,
      metadata: { name: "ours", uid: "ours", annotations: CREATED },
      spec: { managementPolicies: ["*"], forProvider: { region: "eu-central-1" } },
    };
    const elsewhere = (place: JsonObject): JsonObject => ({
      ...bucket(),
      ...named,
      spec: { forProvider: { region: "eu-central-1", ...place }, providerConfigRef: { name: "theirs" } },
    });

    const reported = { ...nameless, status: { ...SYNCED, atProvider: { id: "bills" } } };
    const waiting = [[], "WaitingForProvider", createdAt];
    test.each<[reason: string, draft: Draft, is?: readonly unknown[]]>([
      [
        "is left alone until its provider has read that, since what it found is about the other",
        moveTo(moved, owning(ours), []),
      ],
      [
        "also while it is not known who else needs it",
        moveTo(moved, owning(ours)),
        [[], "WaitingForRequiredResources", createdAt],
      ],
      ["also where it was never arbitrated, since the cloud had named it", moveTo(moved, cloudNamed, [])],
      ["also where it is the place that changes", moveTo(elsewhere({}), unlabelled(ours), [])],
      [
        "also where somebody else owns it, who does not take it for created because of that",
        moveTo(moved, owning(ours), [others]),
        [[], "WaitingForOwner", createdAt],
      ],
      [
        "goes on where it had lost that name, and its provider reports it",
        moveTo(moved, reported, []),
        [["Observe", "Create", "Update", "LateInitialize"], "Arbitrating", undefined],
      ],
      ["is left alone where nothing tells that it was its name", moveTo(moved, nameless, [])],
      ["is left alone as long as the provider has not read that", moveTo(moved, moving, [moving])],
      [
        "is observed then",
        moveTo(moved, { ...moving, status: PAUSED }, [moving]),
        [["Observe"], "WaitingForProvider", createdAt],
      ],
    ])("%s", (_reason, draft, is = waiting) => {
      expect(outcome(draft)).toEqual(is);
      expect(at(desiredOf(draft), `metadata.annotations[${DOMAIN}/origin]`)).toBeUndefined();
    });
  });

  test("owned by another control plane is recognised by its tags", () => {
    const input = { add: [team], owner: { cluster: "prod-eu" } };
    const reports = (cluster: string) => ({
      ...ours,
      status: { ...SYNCED, atProvider: { tags: { "crossplane-cluster": cluster } } },
    });
    const lost = run({ ...parts, tags: input, observed: { bucket: reports("prod-us") }, contenders: [ours] });
    expect([policies(lost), lost.conditions[0]?.reason]).toEqual([["Observe"], "OwnedByAnotherCluster"]);
    const kept = run({ ...parts, tags: input, observed: { bucket: reports("prod-eu") }, contenders: [ours] });
    expect(at(desiredOf(kept), "spec.forProvider.tags")).toEqual({ "crossplane-cluster": "prod-eu", team: "shop" });
    expect(at(desiredOf(kept), `metadata.annotations[${DOMAIN}/cluster]`)).toBe("prod-eu");
  });

  describe("with the tags of another writer", () => {
    const writer = { "crossplane-kind": "bucket.s3.aws.upbound.io", "crossplane-name": "elsewhere" };
    const observed = { bucket: { ...ours, status: { ...SYNCED, atProvider: { tags: writer } } } };
    const elsewhere = (name: string) =>
      writing(
        bucket(
          {},
          { metadata: { name: "elsewhere", uid: "elsewhere", ...(externallyNamed(name)["metadata"] as JsonObject) } },
        ),
      );
    const item = elsewhere("orders");
    const another = elsewhere("bills");
    test.each([
      ["WaitingForOwner", "that writer still writes", [item]],
      ["Owned", "that writer stands for another cloud resource now", [another]],
      ["Owned", "that writer is gone", []],
    ])("leads to the reason %s when %s", (is, _reason, elsewhere) => {
      const draft = run({ ...parts, observed, contenders: [ours], answers: { elsewhere } });
      expect([...draft.requirements.values()].map(({ match }) => match)).toMatchObject([{}, { name: "elsewhere" }]);
      expect(draft.conditions).toMatchObject([{ reason: is }]);
    });
  });

  test.each([
    ["one with another name", false, bucket({}, externallyNamed("bills"))],
    ["one in another region", false, bucket({ region: "us-east-1" }, named)],
    [
      "one of another ProviderConfig",
      false,
      { ...bucket({}, named), spec: { forProvider: { region: "eu-central-1" }, providerConfigRef: { name: "x" } } },
    ],
    ["the same of the namespaced kind", true, { ...bucket({}, named), apiVersion: "s3.aws.m.upbound.io/v1beta1" }],
  ])("has the same identity as %s: %s", (_reason, same, other) => {
    const label = (draft: Draft) => at(desiredOf(draft), `metadata.labels[${DOMAIN}/identity]`);
    expect(label(run({ ...parts, desired: { bucket: other } })) === label(first)).toBe(same);
  });

  test("has no identity while the parent that it refers to is not resolved", () => {
    const subnet = {
      apiVersion: "apimanagement.azure.upbound.io/v1beta2",
      kind: "Management",
      ...named,
      spec: { forProvider: { tags: {}, resourceGroupNameSelector: { matchControllerRef: true } } },
    };
    expect(run({ ...parts, desired: { bucket: subnet } }).requirements.size).toBe(0);
  });
});
