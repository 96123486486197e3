import { setTimeout as sleep } from "node:timers/promises";
import { fieldManagerOf } from "../../src/crossplane/metadata.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { isV2 } from "../rig/crossplane.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { current, HOLD, lose, release, restore } from "./backup.ts";
import { GROUP, VERSION } from "./definitions.ts";
import { bucket, compositionOf, configMap, namespacedRestorable, restorable, shelfOf, storeOf } from "./restorable.ts";
import {
  assertAdoptedThenDeleted,
  backUp,
  backUpNested,
  both,
  COMPOSED_NAME,
  change,
  composedNameOf,
  composedOf,
  findController,
  isSynced,
  named,
  reasonOf,
  refersTo,
  required,
  saved,
} from "./restored.ts";
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
    { name: "a reference that a user adds gets nothing adopted and nothing deleted", run: foreignReference },
  ],
};

export const restoringNested: Suite = {
  name: "restore of nested XRs",
  scenarios: [
    { name: "with: a nested XR", run: nested },
    { name: "with: a nested XR that is dropped itself", run: nestedDropped },
  ],
};

export const restoringClaims: Suite = {
  name: "restore after a failed step, of a claim and in a namespace",
  scenarios: [
    { name: "with: a step fails in between", run: stepFails },
    { name: "with: a claim, last", run: claimed },
    { name: "with: a namespaced XR", run: namespaced, isFor: isV2 },
  ],
};

export const restoringWithoutReferences: Suite = {
  name: "restore of XRs without their references",
  scenarios: [
    { name: "with: ten claims before their XRs, which Crossplane makes anew: no second set", run: claimsFirst },
    { name: "with: two resources for one name, until a person has deleted one", run: duplicated },
    { name: "with: a namespaced XR", run: namespacedWithoutReferences, isFor: isV2 },
  ],
};

/** For each of the suites, which run side by side. */
async function prepare({ kubectl }: Rig): Promise<void> {
  await kubectl.apply(...restorable);
  await kubectl.established(`crd/buckets.cloud.example.org`, `xrd/xstores.${GROUP}`);
}

async function withoutOurStep(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await prepare(rig);
  const { xr, second } = await backUp(rig, "unguarded", { resources: both, isGuarded: false });
  await change(rig, "unguarded", { resources: { first: bucket }, isGuarded: false });
  await restore(rig, second, [HOLD]);
  await restore(rig, xr);
  await until("the XR is synced", async () => isSynced(await current(rig, xr)), PATIENCE);
  await until("the XR does not refer to it", async () => !refersTo(await current(rig, xr), second), PATIENCE);

  const left = await current(rig, second);
  const isDeleted = at(left, "metadata.deletionTimestamp") !== undefined;
  if (findController(left) !== undefined) throw new Error("it was adopted, without our step");
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
  if (findController(await current(rig, first)) === undefined) throw new Error("the other one is not adopted");
  const get = ["get", `bucket/${nameOf(first)}`, "--show-managed-fields", "-o", "jsonpath={.metadata.managedFields}"];
  const manager = fieldManagerOf({ apiVersion: VERSION, kind: "XStore", name: "dropped" });
  if (!(await rig.kubectl.run(...get)).includes(manager)) throw new Error(`${manager} is not its field manager`);
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

/** One resource comes back before the first reconcile, which fails, and one after it. */
async function stepFails(rig: Rig): Promise<string> {
  await prepare(rig);
  const { xr, first, second } = await backUp(rig, "failing", { resources: both, isGuarded: true });
  await change(rig, "failing", { resources: { first: bucket }, isGuarded: true, isBroken: true });
  await restore(rig, first);
  await restore(rig, xr);
  const hasFailed = async () => conditionOf(await current(rig, xr), "Synced")?.status === "False";
  await until("the XR is not synced", hasFailed, { timeoutMs: 180_000 });
  await change(rig, "failing", { resources: { first: bucket }, isGuarded: true });
  await until("the XR waits", async () => (await reasonOf(rig, xr)) === "MissingAfterRestore", { timeoutMs: 120_000 });
  await restore(rig, second, [HOLD]);
  await assertAdoptedThenDeleted(rig, xr, second);
  return "MissingAfterRestore after it, too; then adopted and deleted";
}

async function nested(rig: Rig): Promise<string> {
  await prepare(rig);
  const { outer, inner, buckets } = await backUpNested(rig, "outer", "inner");
  await change(rig, "inner", { resources: { first: bucket }, isGuarded: true });
  const second = named(buckets, "second");
  await restore(rig, named(buckets, "first"));
  await restore(rig, second, [HOLD]);
  await restore(rig, inner);
  await until("it waits", async () => (await reasonOf(rig, inner)) === "WaitingForComposite", PATIENCE);
  await restore(rig, outer);
  await assertAdoptedThenDeleted(rig, inner, second);
  return "WaitingForComposite until the outer XR had adopted it; then adopted and deleted";
}

/** Deleted before it has adopted its Buckets, it would leave them behind. */
async function nestedDropped(rig: Rig): Promise<string> {
  const { outer, inner, buckets } = await backUpNested(rig, "dropping", "dropped-inner");
  await change(rig, "dropping", { resources: {}, isGuarded: true });
  for (const object of [...buckets, outer, inner]) await restore(rig, object);
  await until("the nested XR is gone", async () => (await current(rig, inner)) === undefined, { timeoutMs: 120_000 });
  await until("its Buckets are gone", async () => (await composedOf(rig, "dropping")).length === 0, PATIENCE);
  await until("all is adopted", async () => (await reasonOf(rig, outer)) === "Adopted", PATIENCE);
  return "deleted after it had adopted its own, and they with it";
}

async function claimed(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.waitFor("Offered", `xrd/xstores.${GROUP}`);
  await kubectl.apply(compositionOf("claimed", { resources: both, isGuarded: true }), storeOf("claimed", "Store"));
  const find = async () => (await kubectl.list("xstores")).find((xr) => at(xr, "spec.claimRef.name") === "claimed");
  await until("the claim has an XR", async () => (await find()) !== undefined, PATIENCE);
  const name = nameOf((await find()) ?? {});
  const { xr, first, second } = await saved(rig, `xstore/${name}`);
  const claim = await required(rig, "store/claimed");
  await lose(rig, claim, xr, first, second);

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
  await kubectl.established(`xrd/shelves.${GROUP}`);
  await kubectl.apply(shelfOf("shelf"));
  const { xr, first, second } = await saved(rig, `shelf.${GROUP}/shelf`, "configmaps");
  await lose(rig, xr, first, second);
  await change(rig, "shelf", { kind: "Shelf", resources: { first: configMap }, isGuarded: true });
  await restore(rig, first);
  await restore(rig, second, [HOLD]);
  await restore(rig, xr);
  await assertAdoptedThenDeleted(rig, xr, second);
  return "its ConfigMap adopted, then deleted";
}

const CLAIMS = Array.from({ length: 10 }, (_, index) => `claim-first-${index}`);

/** Velero restores by plural name: buckets, then stores (claims), then xstores, of which it says "already exists". */
async function claimsFirst(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await prepare(rig);
  await kubectl.waitFor("Offered", `xrd/xstores.${GROUP}`);
  await kubectl.apply(...CLAIMS.map((name) => compositionOf(name, { resources: both, isGuarded: true })));
  await kubectl.apply(...CLAIMS.map((name) => storeOf(name, "Store")));
  const backups = await Promise.all(CLAIMS.map((name) => saveClaim(rig, name)));
  for (const { claim, xr, first, second } of backups) await lose(rig, claim, xr, first, second);
  for (const { first, second } of backups) await restore(rig, first).then(() => restore(rig, second));
  for (const { claim } of backups) await restore(rig, claim);
  for (const { xr, first, second } of backups) {
    await until(`${nameOf(xr)} is synced`, async () => isSynced(await current(rig, xr)), PATIENCE);
    await assertSame(rig, xr, [first, second]);
  }
  return `${CLAIMS.length} of ${CLAIMS.length} claims have the resources that they had`;
}

async function saveClaim(rig: Rig, name: string) {
  const find = async () => (await rig.kubectl.list("xstores")).find((xr) => at(xr, "spec.claimRef.name") === name);
  await until(`${name} has an XR`, async () => (await find()) !== undefined, PATIENCE);
  const backup = await saved(rig, `xstore/${nameOf((await find()) ?? {})}`);
  return { ...backup, claim: await required(rig, `store/${name}`) };
}

/** Waits until the XR controls these resources, and checks that it has no others. */
async function assertSame(rig: Rig, xr: JsonObject, resources: readonly JsonObject[], kind?: string): Promise<void> {
  const expected = resources.map(nameOf).sort().join();
  const names = async () => (await composedOf(rig, nameOf(xr), kind)).map(nameOf).sort().join();
  const isOurs = async (one: JsonObject) =>
    findController(await current(rig, one)) === at(await current(rig, xr), "metadata.uid");
  for (const one of resources) await until(`${nameOf(one)} is adopted`, () => isOurs(one), PATIENCE);
  await until("all is adopted", async () => (await reasonOf(rig, xr)) === "Adopted", PATIENCE);
  if ((await names()) !== expected) throw new Error(`composed are ${await names()}, and not ${expected}`);
}

const withoutReferences = (xr: JsonObject): JsonObject => {
  const { resourceRefs: _, crossplane, ...spec } = xr["spec"] as Record<string, JsonObject>;
  const { resourceRefs: _refs, ...rest } = crossplane ?? {};
  return { ...xr, spec: { ...spec, ...(crossplane && { crossplane: rest }) } };
};

async function duplicated(rig: Rig): Promise<string> {
  await prepare(rig);
  const { xr, first, second } = await backUp(rig, "twice", { resources: both, isGuarded: true });
  const { metadata, ...rest } = second;
  const another = { ...rest, metadata: { ...(metadata as JsonObject), name: "another" } };
  for (const object of [first, second, another]) await restore(rig, object);
  await sleep(1000); // Crossplane looks in its cache
  await restore(rig, withoutReferences(xr));
  await until("the XR says so", async () => (await reasonOf(rig, xr)) === "Duplicated", PATIENCE);
  await sleep(5000); // several reconciles
  const names = (await composedOf(rig, "twice")).map(nameOf).sort().join();
  const expected = [first, second, another].map(nameOf).sort().join();
  if (names !== expected) throw new Error(`composed are ${names}, and not ${expected}`);
  await rig.kubectl.run("delete", "bucket/another", "--wait=false");
  await assertSame(rig, xr, [first, second]);
  return "Duplicated, and all three stayed, until one was deleted";
}

async function namespacedWithoutReferences(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const resources = { first: configMap, second: configMap };
  await kubectl.apply(namespacedRestorable, compositionOf("bare-shelf", { kind: "Shelf", resources, isGuarded: true }));
  await kubectl.established(`xrd/shelves.${GROUP}`);
  await kubectl.apply(shelfOf("bare-shelf"));
  const { xr, first, second } = await saved(rig, `shelf.${GROUP}/bare-shelf`, "configmaps");
  await lose(rig, xr, first, second);
  for (const object of [first, second, withoutReferences(xr)]) await restore(rig, object);
  await until("the XR is synced", async () => isSynced(await current(rig, xr)), PATIENCE);
  await assertSame(rig, xr, [first, second], "configmaps");
  return "the same two ConfigMaps";
}

async function foreignReference(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(compositionOf("victim", { resources: { first: bucket }, isGuarded: true }), storeOf("victim"));
  await until("the XR is synced", async () => isSynced(await kubectl.get("xstore/victim")), PATIENCE);
  const foreign = { metadata: { name: "foreign", annotations: { [COMPOSED_NAME]: "foreign" } } };
  await kubectl.apply({ ...bucket, ...foreign });
  const own = at(await kubectl.get("xstore/victim"), "spec.resourceRefs") as readonly JsonObject[];
  const added = { apiVersion: bucket.apiVersion, kind: bucket.kind, name: "foreign" };
  const xr = await required(rig, "xstore/victim");
  const stops = async (): Promise<boolean> => {
    if ((await reasonOf(rig, xr)) === "Unproven") return true;
    // A reconcile that has read the XR before writes its own references over it.
    await kubectl.patch("xstore/victim", { spec: { resourceRefs: [...own, added] } });
    return false;
  };
  await until("the XR stops", stops, PATIENCE);
  await sleep(5000);
  const found = await kubectl.get("bucket/foreign");
  if (found === undefined || at(found, "metadata.deletionTimestamp") !== undefined) throw new Error("it was deleted");
  if (findController(found) !== undefined) throw new Error("it was adopted");
  await kubectl.patch("xstore/victim", { spec: { resourceRefs: own } });
  await until("the XR goes on without it", async () => isSynced(await current(rig, xr)), { timeoutMs: 120_000 });
  return "Unproven, until the reference was removed";
}
