import { setTimeout as sleep } from "node:timers/promises";
import { isV2 } from "../rig/crossplane.ts";
import { at, conditionOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { UPJET_NAMESPACED_GROUP, upjetOf } from "../rig/upjet-provider.ts";
import { compose, compositionOf, definitionOf, ours, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { namespaceOf } from "./source.ts";

/** Two namespaces that have a ProviderConfig each, as all of v2 may: it is a way into an account, and not the account. */

export const accounts: Suite = {
  name: "a ProviderConfig in each namespace",
  scenarios: [
    { name: "one account: the second XR writes nothing", run: secondObserves, isFor: isV2 },
    { name: "its owner goes: the bucket stays, and the other takes over", run: bucketStays, isFor: isV2 },
    { name: "the last one goes, and the bucket too", run: lastOneGoes, isFor: isV2 },
    { name: "only the owner has new scopeFieldPaths: the other takes over", run: fieldsAreAdded, isFor: isV2 },
    { name: "only the second lacks the step: the owner says so until it is back", run: stepIsRemoved, isFor: isV2 },
    { name: "two accounts: an owner each, and nobody waits", run: twoOwners, isFor: isV2 },
    { name: "nothing tells the account: the condition of the second says so", run: nothingTells, isFor: isV2 },
  ],
};

const KIND = "AccountBucket";
const TEAMS = ["account-red", "account-blue"] as const;
const [RED, BLUE] = TEAMS;

const composed = compose({
  bucket: {
    apiVersion: `${UPJET_NAMESPACED_GROUP}/v1alpha1`,
    kind: "Bucket",
    metadata: { annotations: { "crossplane.io/external-name": "$(spec.bucket)" } },
    spec: { forProvider: { region: "eu" }, providerConfigRef: { kind: "ProviderConfig", name: "default" } },
  },
});

const tag = (owner: object, scope: object) =>
  ours("tag", {
    tags: {
      add: [{ key: "team", value: { fromCompositeFieldPath: "metadata.namespace" } }],
      resources: [{ apiGroup: UPJET_NAMESPACED_GROUP, fieldPath: "spec.forProvider.tags", ...scope }],
      owner,
    },
  });

const FROM_FIELD = { account: { fromCompositeFieldPath: "spec.account" } };

async function useOwner({ kubectl }: Rig, owner: object, scope: object = {}): Promise<void> {
  const spec = { bucket: { type: "string" }, account: { type: "string" } };
  const definition = definitionOf({ kind: KIND, scope: "Namespaced", spec });
  await kubectl.apply(...TEAMS.map((team) => namespaceOf(team)), definition);
  await kubectl.established(`xrd/${definition.metadata.name}`);
  await kubectl.apply(compositionOf(KIND, [composed, tag(owner, scope)]));
}

const xrOf = (namespace: string, bucket: string, account = "one") => ({
  apiVersion: VERSION,
  kind: KIND,
  metadata: { namespace, name: bucket },
  spec: { bucket, account },
});

async function secondObserves(rig: Rig): Promise<string> {
  const { cloud } = upjetOf(rig);
  await useOwner(rig, FROM_FIELD);
  await rig.kubectl.apply(xrOf(RED, "shared"));
  await isReason(rig, RED, "shared", "Owned");
  await until("red's tag is there", async () => teamOf(rig) === RED, PATIENCE);
  const before = cloud.writes.length;
  await rig.kubectl.apply(xrOf(BLUE, "shared"));
  await isReason(rig, BLUE, "shared", "ObservedOnly");
  await sleep(5000); // several polls
  const writes = cloud.writes.slice(before).filter((write) => write.endsWith("buckets/shared"));
  if (writes.length > 0 || teamOf(rig) !== RED) throw new Error(`${writes.join()}, and the tag of ${teamOf(rig)}`);
  return "no write, and red's tag";
}

async function bucketStays(rig: Rig): Promise<string> {
  await remove(rig, RED, "shared");
  await isReason(rig, BLUE, "shared", "Owned");
  await until("blue's tag is there", async () => teamOf(rig) === BLUE, PATIENCE);
  if (upjetOf(rig).cloud.writes.includes("DELETE buckets/shared")) throw new Error("it was deleted on the way");
  return "the same bucket, with blue's tag";
}

async function lastOneGoes(rig: Rig): Promise<string> {
  await remove(rig, BLUE, "shared");
  const isGone = async () => !upjetOf(rig).cloud.resources.has("buckets/shared");
  await until("the bucket is gone", isGone, PATIENCE);
  return "deleted with its last XR";
}

/** A kind in no table, whose Composition is updated for one of two XRs. */
async function fieldsAreAdded(rig: Rig): Promise<string> {
  const { cloud } = upjetOf(rig);
  const revision = async () =>
    at(await rig.kubectl.get(`${KIND.toLowerCase()}/scoped`, RED), "spec.crossplane.compositionRevisionRef.name");
  await rig.kubectl.apply(xrOf(RED, "scoped"));
  await isReason(rig, RED, "scoped", "Owned");
  await rig.kubectl.apply(withRevision(xrOf(BLUE, "scoped")));
  await isReason(rig, BLUE, "scoped", "ObservedOnly");
  const [before, first] = [cloud.writes.length, await revision()];
  await useOwner(rig, FROM_FIELD, { scopeFieldPaths: ["spec.forProvider.region"] });
  await until("red has the new revision", async () => (await revision()) !== first, PATIENCE);
  await sleep(5000); // several reconciles and polls
  const writes = cloud.writes.slice(before).filter((write) => write.endsWith("buckets/scoped"));
  if (writes.length > 0) throw new Error(writes.join());
  for (const [team, reason] of [
    [RED, "Owned"],
    [BLUE, "ObservedOnly"],
  ] as const)
    await isReason(rig, team, "scoped", reason);
  await remove(rig, RED, "scoped");
  await isReason(rig, BLUE, "scoped", "Owned");
  if (cloud.writes.includes("DELETE buckets/scoped")) throw new Error("it was deleted on the way");
  await remove(rig, BLUE, "scoped");
  await until("the bucket is gone", async () => !cloud.resources.has("buckets/scoped"), PATIENCE);
  return "no write meanwhile, and it goes with the last XR";
}

/** Keeps the revision of the Composition that an XR has when it is created. */
const withRevision = ({ spec, ...xr }: ReturnType<typeof xrOf>) => ({
  ...xr,
  spec: { ...spec, crossplane: { compositionUpdatePolicy: "Manual" } },
});

async function stepIsRemoved(rig: Rig): Promise<string> {
  await rig.kubectl.apply(withRevision(xrOf(RED, "unmarked")));
  await isReason(rig, RED, "unmarked", "Owned");
  await rig.kubectl.apply(xrOf(BLUE, "unmarked"));
  await isReason(rig, BLUE, "unmarked", "ObservedOnly");
  await rig.kubectl.apply(compositionOf(KIND, [composed]));
  await isReason(rig, RED, "unmarked", "WrittenByAnother");
  const message = (await conditionIn(rig, RED, "unmarked"))?.message ?? "";
  await useOwner(rig, FROM_FIELD);
  for (const [team, reason] of [
    [RED, "Owned"],
    [BLUE, "ObservedOnly"],
  ] as const)
    await isReason(rig, team, "unmarked", reason);
  for (const team of TEAMS) await remove(rig, team, "unmarked");
  if (!message.includes(`Bucket ${BLUE}/`)) throw new Error(message);
  return "WrittenByAnother, which names the other Bucket, and then Owned";
}

/** The provider's cloud has one account: what is seen is that neither XR takes the other one for a contender. */
async function twoOwners(rig: Rig): Promise<string> {
  await rig.kubectl.apply(xrOf(RED, "main", "one"));
  await isReason(rig, RED, "main", "Owned");
  await rig.kubectl.apply(xrOf(BLUE, "main", "two"));
  await isReason(rig, BLUE, "main", "ExistedBefore");
  await isReason(rig, RED, "main", "Owned");
  for (const team of TEAMS) await remove(rig, team, "main");
  return "Owned, and ExistedBefore";
}

async function nothingTells(rig: Rig): Promise<string> {
  await useOwner(rig, { onConflict: "Observe" });
  await rig.kubectl.apply(xrOf(RED, "doubtful"));
  await isReason(rig, RED, "doubtful", "Owned");
  await rig.kubectl.apply(xrOf(BLUE, "doubtful"));
  await isReason(rig, BLUE, "doubtful", "AccountUnknown");
  const message = (await conditionIn(rig, BLUE, "doubtful"))?.message ?? "";
  for (const team of TEAMS) await remove(rig, team, "doubtful");
  if (!message.includes(RED) || !message.includes("tags.owner.account")) throw new Error(message);
  return "it names the other one and tags.owner.account";
}

const remove = (rig: Rig, namespace: string, name: string) =>
  rig.kubectl.run("delete", `${KIND.toLowerCase()}/${name}`, "-n", namespace, "--timeout=180s");

const teamOf = (rig: Rig): unknown => at(upjetOf(rig).cloud.resources.get("buckets/shared"), "tags.team");

const conditionIn = async ({ kubectl }: Rig, namespace: string, name: string) =>
  conditionOf(await kubectl.get(`${KIND.toLowerCase()}/${name}`, namespace), "TagsOwned");

const isReason = (rig: Rig, namespace: string, name: string, reason: string): Promise<void> =>
  until(
    `${namespace}/${name} is ${reason}`,
    async () => (await conditionIn(rig, namespace, name))?.reason === reason,
    PATIENCE,
  );
