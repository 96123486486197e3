import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../src/model/json.ts";
import { SCOPE } from "../../src/ownership/annotations.ts";
import { isV2 } from "../rig/crossplane.ts";
import { at, conditionOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { UPJET_GROUP, UPJET_NAMESPACED_GROUP, upjetOf } from "../rig/upjet-provider.ts";
import { compose, compositionOf, definitionOf, ours, VERSION } from "./definitions.ts";
import { isNewest, PATIENCE, type Suite } from "./scenario.ts";
import { namespaceOf } from "./source.ts";

/** Who owns a cloud resource is known before the first write: seen in the log of the upjet provider's cloud. */

export const upjetReferences: Suite = {
  name: "references and associations on upjet's runtime",
  scenarios: [
    { name: "two XRs attach to one bucket by a reference: the second one writes nothing", run: secondObserves },
    { name: "the observer of an attachment, whose name the cloud makes, is Ready", run: observerIsReady },
    { name: "one that is deleted at once takes nothing along", run: deletedAtOnce },
    { name: "the owner goes: the attachment stays, and the observer takes over", run: attachmentStays },
    {
      name: "one XR created an attachment, another one imports it by its id: one of them writes, and the other observes",
      run: importerShares,
      isFor: isNewest,
    },
    {
      name: "the creator goes: the attachment stays, and the importer has it",
      run: importerTakesOver,
      isFor: isNewest,
    },
  ],
};

export const upjetMoves: Suite = {
  name: "renames on upjet's runtime",
  scenarios: [
    {
      name: "a rename while a creation is under way: a bucket that was there before is not deleted",
      run: renamedInFlight,
    },
    { name: "an XR that is deleted right after a rename goes", run: deletedAfterRename },
    { name: "a bucket that is being deleted and gets another one's name goes alone", run: renamedInDeletion },
  ],
};

export const upjetTwins: Suite = {
  name: "from a claim to a namespaced XR, on upjet's runtime",
  scenarios: [{ name: "the new XR observes, the claim goes, and the new one takes over", run: handsOver, isFor: isV2 }],
};

const KIND = {
  attached: "XAttached",
  moved: "XMoved",
  old: "XOldBucket",
  new: "NewBucket",
  created: "XCreated",
  imported: "XImported",
} as const;

const spec = { team: { type: "string" }, bucket: { type: "string" } };

/** Tags managed resources of the provider, whose kinds our tables lack. */
const tag = (apiGroup: string, externalNameFieldPath?: string) =>
  ours("tag", {
    tags: {
      add: [{ key: "team", value: { fromCompositeFieldPath: "spec.team" } }],
      resources: [
        { apiGroup, fieldPath: "spec.forProvider.tags", ...(externalNameFieldPath && { externalNameFieldPath }) },
      ],
    },
  });

const attachment = compose({
  attachment: {
    apiVersion: `${UPJET_GROUP}/v1alpha1`,
    kind: "Attachment",
    spec: { forProvider: { bucketRef: { name: "$(spec.bucket)" } } },
  },
});

const bucketOf = (group: string) =>
  compose({
    bucket: {
      apiVersion: `${group}/v1alpha1`,
      kind: "Bucket",
      metadata: { annotations: { "crossplane.io/external-name": "$(spec.bucket)" } },
      spec: { forProvider: { region: "eu" } },
    },
  });

const xrOf = (kind: string, team: string, bucket: string, namespace?: string) => ({
  apiVersion: VERSION,
  kind,
  metadata: { name: `${bucket}-${team}`, ...(namespace && { namespace }) },
  spec: { team, bucket },
});

async function installKind(
  { kubectl }: Rig,
  definition: ReturnType<typeof definitionOf>,
  ...pipeline: Parameters<typeof compositionOf>[1]
) {
  await kubectl.apply(definition);
  await kubectl.established(`xrd/${definition.metadata.name}`);
  await kubectl.apply(compositionOf(definition.spec.names.kind, pipeline));
}

const ATTACHMENTS = `attachments.${UPJET_GROUP}`;

async function secondObserves(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const { cloud } = upjetOf(rig);
  await kubectl.apply({
    apiVersion: `${UPJET_GROUP}/v1alpha1`,
    kind: "Bucket",
    metadata: { name: "held" },
    spec: { forProvider: { region: "eu" } },
  });
  await installKind(
    rig,
    definitionOf({ kind: KIND.attached, spec }),
    attachment,
    tag(UPJET_GROUP, "spec.forProvider.bucket"),
  );
  await kubectl.apply(xrOf(KIND.attached, "a", "held"));
  await isReason(rig, KIND.attached, "held-a", "Owned");
  await until("a's tag is there", async () => tagOf(rig) === "a", PATIENCE);
  const before = cloud.writes.length;
  await kubectl.apply(xrOf(KIND.attached, "b", "held"));
  await isReason(rig, KIND.attached, "held-b", "ObservedOnly");
  await sleep(5000); // several polls
  const writes = writesSince(rig, before);
  if (writes.length > 0 || tagOf(rig) !== "a") throw new Error(`${writes.join()}, and the tag of ${tagOf(rig)}`);
  return "no write";
}

async function observerIsReady(rig: Rig): Promise<string> {
  const name = "metadata.annotations[crossplane.io/external-name]";
  const isReady = async () => conditionOf(await managedOf(rig, ATTACHMENTS, "held-b"), "Ready")?.status === "True";
  await until("b's attachment is Ready", isReady, PATIENCE);
  const [a, b] = [await managedOf(rig, ATTACHMENTS, "held-a"), await managedOf(rig, ATTACHMENTS, "held-b")];
  if (at(a, name) !== at(b, name)) throw new Error(`${at(a, name)} and ${at(b, name)}`);
  return "Ready, with the owner's external name";
}

async function deletedAtOnce(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const before = upjetOf(rig).cloud.writes.length;
  await kubectl.apply(xrOf(KIND.attached, "c", "held"));
  await until("it is composed", async () => (await managedOf(rig, ATTACHMENTS, "held-c")) !== undefined, PATIENCE);
  await kubectl.run("delete", `${KIND.attached.toLowerCase()}/held-c`, "--timeout=180s");
  await sleep(3000);
  const writes = writesSince(rig, before);
  if (writes.length > 0) throw new Error(writes.join());
  return "no write, and no deletion";
}

async function attachmentStays(rig: Rig): Promise<string> {
  const before = upjetOf(rig).cloud.writes.length;
  await rig.kubectl.run("delete", `${KIND.attached.toLowerCase()}/held-a`, "--timeout=180s");
  await isReason(rig, KIND.attached, "held-b", "Owned");
  await until("b's tag is there", async () => tagOf(rig) === "b", PATIENCE);
  const others = writesSince(rig, before).filter((write) => !write.startsWith("PUT "));
  if (others.length > 0) throw new Error(others.join());
  await rig.kubectl.run("delete", KIND.attached.toLowerCase(), "--all", "--wait=false");
  return "the same attachment, with b's tag";
}

/** C: what was created under the former name does not count as the creation of what was there under the new one. */
async function renamedInFlight(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const { cloud } = upjetOf(rig);
  await installKind(rig, definitionOf({ kind: KIND.moved, spec }), bucketOf(UPJET_GROUP), tag(UPJET_GROUP));
  cloud.put("buckets/there-before", { region: "eu", tags: {} });
  const xr = { ...xrOf(KIND.moved, "a", "made"), metadata: { name: "mover" } };
  cloud.writingMs = 4000;
  try {
    await kubectl.apply(xr);
    const isBegun = async () =>
      at(await managedOf(rig, BUCKETS, "mover"), "metadata.annotations[crossplane.io/external-create-pending]") !==
      undefined;
    await until("its creation is under way", isBegun, PATIENCE);
    await kubectl.apply({ ...xr, spec: { ...xr.spec, bucket: "there-before" } });
    await isReason(rig, KIND.moved, "mover", "ExistedBefore");
  } finally {
    cloud.writingMs = 0;
  }
  await kubectl.run("delete", `${KIND.moved.toLowerCase()}/mover`, "--timeout=180s");
  await sleep(3000);
  if (!cloud.resources.has("buckets/there-before")) throw new Error("it was deleted");
  return "ExistedBefore, and it is there after the XR has gone";
}

async function deletedAfterRename(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const xr = xrOf(KIND.moved, "b", "first");
  await kubectl.apply(xr);
  await isReason(rig, KIND.moved, "first-b", "Owned");
  await kubectl.apply({ ...xr, spec: { ...xr.spec, bucket: "second" } });
  const start = performance.now();
  await kubectl.run("delete", `${KIND.moved.toLowerCase()}/first-b`, "--timeout=120s");
  await until("its Bucket has gone", async () => (await managedOf(rig, BUCKETS, "first-b")) === undefined, PATIENCE);
  return `after ${((performance.now() - start) / 1000).toFixed(1)} s`;
}

/** A team has its bucket deleted, which takes its time, and gives it the name of another team's meanwhile. */
async function renamedInDeletion(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const { cloud } = upjetOf(rig);
  const thief = xrOf(KIND.moved, "thief", "mine");
  await kubectl.apply(xrOf(KIND.moved, "victim", "theirs"), thief);
  await isReason(rig, KIND.moved, "theirs-victim", "Owned");
  await isReason(rig, KIND.moved, "mine-thief", "Owned");
  // Within seconds of its creation no managed resource has the policy Delete yet, and the bucket would stay.
  const mayDelete = async () => at(await managedOf(rig, BUCKETS, "mine-thief"), "spec.managementPolicies[0]") === "*";
  await until("it has the policy Delete", mayDelete, PATIENCE);
  const going = await managedOf(rig, BUCKETS, "mine-thief");
  cloud.inUse.add("buckets/mine");
  await kubectl.run("delete", `${BUCKETS}/${String(at(going, "metadata.name"))}`, "--wait=false");
  await kubectl.apply({ ...thief, spec: { ...thief.spec, bucket: "theirs" } });
  await isReason(rig, KIND.moved, "mine-thief", "BeingDeleted");
  await sleep(10_000); // several polls
  const name = at(await managedOf(rig, BUCKETS, "mine-thief"), "metadata.annotations[crossplane.io/external-name]");
  cloud.inUse.clear();
  if (name !== "mine") throw new Error(`it is named ${String(name)}`);
  await isReason(rig, KIND.moved, "mine-thief", "ObservedOnly");
  if (!cloud.resources.has("buckets/theirs")) throw new Error("the other team's bucket was deleted");
  await until("its own bucket is gone", async () => !cloud.resources.has("buckets/mine"), PATIENCE);
  return "its own bucket is deleted, and the next one observes the other team's";
}

/** An attachment, whose id the cloud makes up. */
const madeUp = (id?: string) =>
  compose({
    attachment: {
      apiVersion: `${UPJET_GROUP}/v1alpha1`,
      kind: "Attachment",
      ...(id && { metadata: { annotations: { "crossplane.io/external-name": id } } }),
      spec: { forProvider: { bucket: "$(spec.bucket)" } },
    },
  });

const IMPORTED = "imported";

async function importerShares(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const { cloud } = upjetOf(rig);
  await installKind(rig, definitionOf({ kind: KIND.created, spec }), madeUp(), tag(UPJET_GROUP));
  const withId = { ...spec, id: { type: "string" } };
  await installKind(rig, definitionOf({ kind: KIND.imported, spec: withId }), madeUp("$(spec.id)"), tag(UPJET_GROUP));
  await kubectl.apply(xrOf(KIND.created, "creator", IMPORTED));
  const idOf = async () => at(await managedOf(rig, ATTACHMENTS, `${IMPORTED}-creator`), "status.atProvider.id");
  await until("the cloud has made up an id", async () => (await idOf()) !== undefined, PATIENCE);
  await isReason(rig, KIND.created, `${IMPORTED}-creator`, "Owned");
  const importer = xrOf(KIND.imported, "importer", IMPORTED);
  const id = await idOf();
  await kubectl.apply({ ...importer, spec: { ...importer.spec, id } });
  const reasons = async () => {
    const creator = conditionOf(
      await kubectl.get(`${KIND.created.toLowerCase()}/${IMPORTED}-creator`),
      "TagsOwned",
    )?.reason;
    const importing = await kubectl.get(`${KIND.imported.toLowerCase()}/${IMPORTED}-importer`);
    return `${creator} ${conditionOf(importing, "TagsOwned")?.reason}`;
  };
  // The creator learns of the import in its next reconcile: whoever writes first has it.
  const settled = ["Owned ObservedOnly", "ObservedOnly Owned"];
  await until("one of them writes", async () => settled.includes(await reasons()), PATIENCE);
  // The schema of the kind, which no table lists, has a reference beside the literal.
  for (const team of ["creator", "importer"]) {
    const scope = at(await managedOf(rig, ATTACHMENTS, `${IMPORTED}-${team}`), `metadata.annotations[${SCOPE}]`);
    if (scope !== "bucket") throw new Error(`the fields that count are ${String(scope)}`);
  }
  await sleep(3000); // what its provider had begun
  const before = cloud.writes.length;
  await sleep(5000); // several polls
  const writes = writesSince(rig, before).filter((write) => write.endsWith(`/${String(id)}`));
  if (writes.length > 0 || !settled.includes(await reasons())) throw new Error(`${await reasons()}: ${writes.join()}`);
  return `both have ${String(id)}, and nobody writes it any more`;
}

async function importerTakesOver(rig: Rig): Promise<string> {
  const { cloud } = upjetOf(rig);
  const made = [...cloud.resources].find(([, { bucket }]) => bucket === IMPORTED)?.[0];
  const before = cloud.writes.length;
  await rig.kubectl.run("delete", `${KIND.created.toLowerCase()}/${IMPORTED}-creator`, "--timeout=180s");
  await isReason(rig, KIND.imported, `${IMPORTED}-importer`, "Owned");
  // The importer may have owned it before: then it gets the policy Delete once the creator has gone.
  const importing = () => managedOf(rig, ATTACHMENTS, `${IMPORTED}-importer`);
  const mayDelete = async () => at(await importing(), "spec.managementPolicies[0]") === "*";
  await until("it has the policy Delete", mayDelete, PATIENCE);
  const others = writesSince(rig, before).filter((write) => !write.startsWith("PUT "));
  if (others.includes(`DELETE ${made}`)) throw new Error(others.join());
  await rig.kubectl.run("delete", `${KIND.imported.toLowerCase()}/${IMPORTED}-importer`, "--timeout=180s");
  const isThere = () => [...cloud.resources.values()].some(({ bucket }) => bucket === IMPORTED);
  await until("it goes with the last one", async () => !isThere(), PATIENCE);
  return "the same one, which goes with the importer";
}

const BUCKETS = `buckets.${UPJET_GROUP}`;
const TEAM = "upjet-twins";

async function handsOver(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const { cloud } = upjetOf(rig);
  await kubectl.apply(namespaceOf(TEAM));
  const old = definitionOf({ kind: KIND.old, claim: "OldBucket", spec });
  await installKind(rig, old, bucketOf(UPJET_GROUP), tag(UPJET_GROUP));
  await installKind(
    rig,
    definitionOf({ kind: KIND.new, scope: "Namespaced", spec }),
    bucketOf(UPJET_NAMESPACED_GROUP),
    tag(UPJET_NAMESPACED_GROUP),
  );
  await kubectl.waitFor("Offered", `xrd/${old.metadata.name}`);
  await kubectl.apply(xrOf("OldBucket", "old", "moving", TEAM));
  await isReason(rig, "OldBucket", "moving-old", "Owned", TEAM);
  const team = () => at(cloud.resources.get("buckets/moving"), "tags.team");
  await until("the claim's tag is there", async () => team() === "old", PATIENCE);
  await kubectl.apply(xrOf(KIND.new, "new", "moving", TEAM));
  await isReason(rig, KIND.new, "moving-new", "ObservedOnly", TEAM);
  await kubectl.run("delete", "oldbucket/moving-old", "-n", TEAM, "--timeout=180s");
  await isReason(rig, KIND.new, "moving-new", "Owned", TEAM);
  await until("the new XR's tag is there", async () => team() === "new", PATIENCE);
  if (cloud.writes.includes("DELETE buckets/moving")) throw new Error("it was deleted on the way");
  await kubectl.run("delete", "newbucket/moving-new", "-n", TEAM, "--wait=false");
  return "the same bucket, with the new XR's tag";
}

const writesSince = (rig: Rig, from: number): readonly string[] =>
  upjetOf(rig)
    .cloud.writes.slice(from)
    .filter((write) => write.includes(" attachments/"));

/** Reads the tag of the attachment in the cloud. */
function tagOf(rig: Rig): unknown {
  const all = [...upjetOf(rig).cloud.resources].filter(([path]) => path.startsWith("attachments/"));
  return at(all[0]?.[1], "tags.team");
}

const isReason = (rig: Rig, kind: string, name: string, reason: string, namespace?: string): Promise<void> =>
  until(
    `${name} is ${reason}`,
    async () =>
      conditionOf(await rig.kubectl.get(`${kind.toLowerCase()}/${name}`, namespace), "TagsOwned")?.reason === reason,
    PATIENCE,
  );

const managedOf = async ({ kubectl }: Rig, kind: string, xr: string): Promise<JsonObject | undefined> =>
  (await kubectl.list(kind)).find((found) => at(found, "metadata.labels[crossplane.io/composite]") === xr);
