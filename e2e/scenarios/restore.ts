import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../src/model/json.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { current, HOLD, lose, release, restore } from "./backup.ts";
import { GROUP } from "./definitions.ts";
import {
  bucket,
  type Composed,
  compositionOf,
  configMap,
  namespacedRestorable,
  restorable,
  shelfOf,
  storeOf,
} from "./restorable.ts";
import { PATIENCE, type Suite } from "./scenario.ts";

/**
 * Fault 3 on a real control plane: an XR and what it composes come back from a backup, without owner references, while its
 * Composition desires one resource less.
 */
export const restoring: Suite = {
  name: "restore from a backup",
  scenarios: [
    { name: "without: the dropped resource is deleted unadopted, or orphaned", run: withoutOurStep },
    { name: "with: it is adopted, then deleted", run: dropped },
    { name: "with: one that was renamed", run: renamed },
    { name: "with: the XR comes back first", run: compositeFirst },
    { name: "with: a nested XR", run: nested },
    { name: "with: a claim, last", run: claimed },
    { name: "with: a namespaced XR", run: namespaced, isFor: (version) => version !== "v1.20" },
    { name: "a reference that a user adds gets nothing adopted and nothing deleted", run: foreignReference },
  ],
};

const both = { first: bucket, second: bucket };

async function withoutOurStep(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(...restorable);
  for (const target of [`crd/buckets.cloud.example.org`, `xrd/xstores.${GROUP}`]) {
    await kubectl.run("wait", "--for=condition=Established", target, "--timeout=60s");
  }
  const { xr, second } = await backUp(rig, "unguarded", { resources: both, isGuarded: false });
  await change(rig, "unguarded", { resources: { first: bucket }, isGuarded: false });
  await restore(rig, second, [HOLD]);
  await restore(rig, xr);
  await until("the XR is synced", async () => isSynced(await current(rig, xr)), PATIENCE);
  await until("the XR does not refer to it", async () => !refersTo(await current(rig, xr), second), PATIENCE);

  const left = await current(rig, second);
  const isDeleted = at(left, "metadata.deletionTimestamp") !== undefined;
  if (controllerOf(left) !== undefined) throw new Error("it was adopted, without our step");
  if (isDeleted !== (rig.version !== "v2.4")) throw new Error(`deleted: ${isDeleted}`);
  await release(rig, second);
  await kubectl.run("delete", "xstore/unguarded", "--wait=false");
  return isDeleted ? "deleted, while nobody controlled it" : "orphaned, and the XR is Synced";
}

async function dropped(rig: Rig): Promise<string> {
  const { xr, first, second } = await backUp(rig, "dropped", { resources: both, isGuarded: true });
  await change(rig, "dropped", { resources: { first: bucket }, isGuarded: true });
  await restore(rig, first);
  await restore(rig, second, [HOLD]);
  await restore(rig, xr);
  await assertAdoptedThenDeleted(rig, xr, second);
  if (controllerOf(await current(rig, first)) === undefined) throw new Error("the other one is not adopted");
  return "controlled by the XR when it was deleted; the other one is kept";
}

async function renamed(rig: Rig): Promise<string> {
  const { xr, first, second } = await backUp(rig, "renamed", { resources: both, isGuarded: true });
  await change(rig, "renamed", { resources: { first: bucket, third: bucket }, isGuarded: true });
  await restore(rig, first);
  await restore(rig, second, [HOLD]);
  await restore(rig, xr);
  await assertAdoptedThenDeleted(rig, xr, second);
  const names = (await composedOf(rig, "renamed")).map(composedNameOf).sort();
  if (names.join() !== "first,third") throw new Error(`composed are ${names.join()}`);
  return "the old one adopted and deleted, the new one made";
}

async function compositeFirst(rig: Rig): Promise<string> {
  const { xr, first, second } = await backUp(rig, "composite-first", { resources: both, isGuarded: true });
  await change(rig, "composite-first", { resources: { first: bucket }, isGuarded: true });
  await restore(rig, xr);
  await until("the XR waits", async () => (await reasonOf(rig, xr)) === "MissingAfterRestore", PATIENCE);
  await restore(rig, second, [HOLD]);
  await sleep(3000);
  if ((await reasonOf(rig, xr)) !== "MissingAfterRestore") throw new Error("the XR does not wait for the other one");
  await restore(rig, first);
  await assertAdoptedThenDeleted(rig, xr, second);
  const names = (await composedOf(rig, "composite-first")).map(nameOf);
  if (names.join() !== nameOf(first)) throw new Error(`there is ${names.join()}, and not just ${nameOf(first)}`);
  return "MissingAfterRestore until both were back; none was made twice";
}

async function nested(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(compositionOf("inner", { resources: both, isGuarded: true }));
  const { apiVersion, kind, spec } = storeOf("inner");
  const resources = { inner: { apiVersion, kind, spec } };
  await kubectl.apply(compositionOf("outer", { resources, isGuarded: true }), storeOf("outer"));
  await until("the nested XR has composed", async () => (await bucketsOf(rig, "outer")).length === 2, PATIENCE);
  const outer = await required(rig, "xstore/outer");
  const inner = (await kubectl.list("xstores")).find((xr) => at(xr, LABEL) === "outer" && nameOf(xr) !== "outer") ?? {};
  await until(
    "both are synced",
    async () => isSynced(await current(rig, inner)) && isSynced(await current(rig, outer)),
    PATIENCE,
  );
  const saved = [await required(rig, "xstore/outer"), await required(rig, `xstore/${nameOf(inner)}`)] as const;
  const buckets = await bucketsOf(rig, "outer");
  for (const object of [...saved, ...buckets]) await lose(rig, object);

  await change(rig, "inner", { resources: { first: bucket }, isGuarded: true });
  const second = named(buckets, "second");
  await restore(rig, named(buckets, "first"));
  await restore(rig, second, [HOLD]);
  await restore(rig, saved[1]);
  await until(
    "it waits for its own adoption",
    async () => (await reasonOf(rig, inner)) === "WaitingForComposite",
    PATIENCE,
  );
  await restore(rig, saved[0]);
  await assertAdoptedThenDeleted(rig, inner, second);
  return "WaitingForComposite until the outer XR had adopted it; then adopted and deleted";
}

async function claimed(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.run("wait", "--for=condition=Offered", `xrd/xstores.${GROUP}`, "--timeout=60s");
  await kubectl.apply(compositionOf("claimed", { resources: both, isGuarded: true }), storeOf("claimed", "Store"));
  const find = async () => (await kubectl.list("xstores")).find((xr) => at(xr, "spec.claimRef.name") === "claimed");
  await until("the claim has an XR", async () => (await find()) !== undefined, PATIENCE);
  const name = nameOf((await find()) ?? {});
  const { xr, first, second } = await saved(rig, `xstore/${name}`);
  const claim = await required(rig, "store/claimed");
  for (const object of [claim, xr, first, second]) await lose(rig, object);

  await change(rig, "claimed", { resources: { first: bucket }, isGuarded: true });
  await restore(rig, first);
  await restore(rig, second, [HOLD]);
  await restore(rig, xr);
  await assertAdoptedThenDeleted(rig, xr, second);
  await restore(rig, claim);
  await until("the claim is synced", async () => isSynced(await current(rig, claim)), PATIENCE);
  return "adopted and deleted; the claim is bound again";
}

async function namespaced(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const resources = { first: configMap, second: configMap };
  await kubectl.apply(namespacedRestorable, compositionOf("shelf", { kind: "Shelf", resources, isGuarded: true }));
  await kubectl.run("wait", "--for=condition=Established", `xrd/shelves.${GROUP}`, "--timeout=60s");
  await kubectl.apply(shelfOf("shelf"));
  const { xr, first, second } = await saved(rig, `shelf.${GROUP}/shelf`, "configmaps");
  for (const object of [xr, first, second]) await lose(rig, object);
  await change(rig, "shelf", { kind: "Shelf", resources: { first: configMap }, isGuarded: true });
  await restore(rig, first);
  await restore(rig, second, [HOLD]);
  await restore(rig, xr);
  await assertAdoptedThenDeleted(rig, xr, second);
  return "its ConfigMap adopted, then deleted";
}

async function foreignReference(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(compositionOf("victim", { resources: { first: bucket }, isGuarded: true }), storeOf("victim"));
  await until("the XR is synced", async () => isSynced(await kubectl.get("xstore/victim")), PATIENCE);
  const foreign = { metadata: { name: "foreign", annotations: { [COMPOSED_NAME]: "foreign" } } };
  await kubectl.apply({ ...bucket, ...foreign });
  const own = at(await kubectl.get("xstore/victim"), "spec.resourceRefs") as readonly JsonObject[];
  const added = { apiVersion: bucket.apiVersion, kind: bucket.kind, name: "foreign" };
  await kubectl.patch("xstore/victim", { spec: { resourceRefs: [...own, added] } });
  const xr = await required(rig, "xstore/victim");
  await until("the XR stops", async () => (await reasonOf(rig, xr)) === "Unproven", PATIENCE);
  await sleep(5000);
  const found = await kubectl.get("bucket/foreign");
  if (found === undefined || at(found, "metadata.deletionTimestamp") !== undefined) throw new Error("it was deleted");
  if (controllerOf(found) !== undefined) throw new Error("it was adopted");
  await kubectl.patch("xstore/victim", { spec: { resourceRefs: own } });
  await until("the XR goes on without it", async () => isSynced(await current(rig, xr)), { timeoutMs: 120_000 });
  return "Unproven, until the reference was removed";
}

const LABEL = "metadata.labels[crossplane.io/composite]";
const COMPOSED_NAME = "crossplane.io/composition-resource-name";

/** Composes, saves and loses everything. */
async function backUp(rig: Rig, name: string, composed: Composed) {
  await rig.kubectl.apply(compositionOf(name, composed), storeOf(name));
  const backup = await saved(rig, `xstore/${name}`);
  for (const object of [backup.xr, backup.first, backup.second]) await lose(rig, object);
  return backup;
}

/** An XR and the two resources that it composes, once it is synced. */
async function saved(rig: Rig, target: string, kind = "buckets") {
  await until(`${target} is synced`, async () => isSynced(await rig.kubectl.get(target)), PATIENCE);
  const xr = await required(rig, target);
  await until("it has composed", async () => (await composedOf(rig, nameOf(xr), kind)).length === 2, PATIENCE);
  const composed = await composedOf(rig, nameOf(xr), kind);
  return { xr: await required(rig, target), first: named(composed, "first"), second: named(composed, "second") };
}

/** What the Composition desires from now on; Crossplane makes a revision of it. */
async function change({ kubectl }: Rig, name: string, composed: Composed): Promise<void> {
  await kubectl.apply(compositionOf(name, composed));
  const revisions = async () =>
    (await kubectl.list("compositionrevisions")).filter(
      (revision) => at(revision, "metadata.labels[crossplane.io/composition-name]") === name,
    ).length;
  await until("it has a second revision", async () => (await revisions()) === 2, PATIENCE);
}

/** Its deletion is held by a finalizer, so that one can see who controls it when it is deleted. */
async function assertAdoptedThenDeleted(rig: Rig, xr: JsonObject, resource: JsonObject): Promise<void> {
  const isDeleted = async () => at(await current(rig, resource), "metadata.deletionTimestamp") !== undefined;
  await until("it is deleted", isDeleted, { timeoutMs: 120_000 });
  const [left, owner] = [await current(rig, resource), await current(rig, xr)];
  if (controllerOf(left) !== at(owner, "metadata.uid")) throw new Error("it was deleted unadopted");
  await release(rig, resource);
  await until("the XR is synced", async () => isSynced(await current(rig, xr)), { timeoutMs: 120_000 });
  await until("all is adopted", async () => (await reasonOf(rig, xr)) === "Adopted", { timeoutMs: 120_000 });
  if (refersTo(await current(rig, xr), resource)) throw new Error("the XR still refers to it");
}

async function required({ kubectl }: Rig, target: string): Promise<JsonObject> {
  const object = await kubectl.get(target);
  if (object === undefined) throw new Error(`there is no ${target}`);
  return object;
}

async function composedOf({ kubectl }: Rig, root: string, kind = "buckets"): Promise<readonly JsonObject[]> {
  return (await kubectl.list(kind)).filter((object) => at(object, LABEL) === root);
}

const bucketsOf = (rig: Rig, root: string) => composedOf(rig, root);

const composedNameOf = (object: JsonObject): string => String(at(object, `metadata.annotations[${COMPOSED_NAME}]`));

function named(objects: readonly JsonObject[], name: string): JsonObject {
  const object = objects.find((candidate) => composedNameOf(candidate) === name);
  if (object === undefined) throw new Error(`nothing is composed as ${name}`);
  return object;
}

const isSynced = (object: JsonObject | undefined): boolean => conditionOf(object, "Synced")?.status === "True";

const reasonOf = async (rig: Rig, xr: JsonObject): Promise<string | undefined> =>
  conditionOf(await current(rig, xr), "ResourcesAdopted")?.reason;

const refersTo = (xr: JsonObject | undefined, resource: JsonObject): boolean =>
  JSON.stringify([at(xr, "spec.resourceRefs"), at(xr, "spec.crossplane.resourceRefs")]).includes(nameOf(resource));

const controllerOf = (object: JsonObject | undefined): unknown => at(object, "metadata.ownerReferences[0].uid");
