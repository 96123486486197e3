import type { JsonObject } from "../../src/model/json.ts";
import { NAMES_NAME } from "../../src/records/names-record.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { current, lose, release } from "./backup.ts";
import { bucket, type Composed, compositionOf, storeOf } from "./restorable.ts";
import { PATIENCE } from "./scenario.ts";

/** Shared steps of the restore scenarios: compose resources, lose them, and check what came back. */

export const both = { first: bucket, second: bucket };

const LABEL = "metadata.labels[crossplane.io/composite]";
export const COMPOSED_NAME = "crossplane.io/composition-resource-name";

/** An XR that composes an XR that composes Buckets: composed, saved and lost. */
export async function backUpNested(rig: Rig, outerName: string, innerName: string) {
  const { kubectl } = rig;
  await kubectl.apply(compositionOf(innerName, { resources: both, isGuarded: true }));
  const { apiVersion, kind, spec } = storeOf(innerName);
  const resources = { inner: { apiVersion, kind, spec } };
  await kubectl.apply(compositionOf(outerName, { resources, isGuarded: true }), storeOf(outerName));
  await until("the nested XR has composed", async () => (await composedOf(rig, outerName)).length === 2, PATIENCE);
  const all = await kubectl.list("xstores");
  const found = all.find((xr) => at(xr, LABEL) === outerName && nameOf(xr) !== outerName) ?? {};
  const areSynced = async () =>
    isSynced(await current(rig, found)) && isSynced(await kubectl.get(`xstore/${outerName}`));
  await until("both are synced", areSynced, PATIENCE);

  const outer = await required(rig, `xstore/${outerName}`);
  const inner = await required(rig, `xstore/${nameOf(found)}`);
  const buckets = await composedOf(rig, outerName);
  await lose(rig, outer, inner, ...buckets);
  return { outer, inner, buckets };
}

/** Composes, saves and loses everything. */
export async function backUp(rig: Rig, name: string, composed: Composed) {
  await rig.kubectl.apply(compositionOf(name, composed), storeOf(name));
  const backup = await saved(rig, `xstore/${name}`);
  await lose(rig, backup.xr, backup.first, backup.second);
  return backup;
}

/** An XR and the two resources that it composes, once it is synced. */
export async function saved(rig: Rig, target: string, kind = "buckets") {
  await until(`${target} is synced`, async () => isSynced(await rig.kubectl.get(target)), PATIENCE);
  const xr = await required(rig, target);
  await until("it has composed", async () => (await composedOf(rig, nameOf(xr), kind)).length === 2, PATIENCE);
  const composed = await composedOf(rig, nameOf(xr), kind);
  return { xr: await required(rig, target), first: named(composed, "first"), second: named(composed, "second") };
}

/** Changes what the Composition desires, and waits for Crossplane's revision of it. */
export async function change({ kubectl }: Rig, name: string, composed: Composed): Promise<void> {
  const revisions = async () =>
    (await kubectl.list("compositionrevisions")).filter(
      (revision) => at(revision, "metadata.labels[crossplane.io/composition-name]") === name,
    ).length;
  const before = await revisions();
  await kubectl.apply(compositionOf(name, composed));
  await until("it has another revision", async () => (await revisions()) > before, PATIENCE);
}

/** Its deletion is held by a finalizer, so that one can see who controls it when it is deleted. */
export async function assertAdoptedThenDeleted(rig: Rig, xr: JsonObject, resource: JsonObject): Promise<void> {
  const isDeleted = async () => at(await current(rig, resource), "metadata.deletionTimestamp") !== undefined;
  await until("it is deleted", isDeleted, { timeoutMs: 120_000 });
  const [left, owner] = [await current(rig, resource), await current(rig, xr)];
  if (findController(left) !== at(owner, "metadata.uid")) throw new Error("it was deleted unadopted");
  await release(rig, resource);
  await until("the XR is synced", async () => isSynced(await current(rig, xr)), { timeoutMs: 120_000 });
  await until("all is adopted", async () => (await reasonOf(rig, xr)) === "Adopted", { timeoutMs: 120_000 });
  if (refersTo(await current(rig, xr), resource)) throw new Error("the XR still refers to it");
}

export async function required({ kubectl }: Rig, target: string): Promise<JsonObject> {
  const object = await kubectl.get(target);
  if (object === undefined) throw new Error(`there is no ${target}`);
  return object;
}

/** What an XR composes, but for the function's record of names, which it writes anew. */
export async function composedOf({ kubectl }: Rig, root: string, kind = "buckets"): Promise<readonly JsonObject[]> {
  const all = await kubectl.list(kind);
  return all.filter((object) => at(object, LABEL) === root && composedNameOf(object) !== NAMES_NAME);
}

export const composedNameOf = (object: JsonObject): string =>
  String(at(object, `metadata.annotations[${COMPOSED_NAME}]`));

export function named(objects: readonly JsonObject[], name: string): JsonObject {
  const object = objects.find((candidate) => composedNameOf(candidate) === name);
  if (object === undefined) throw new Error(`nothing is composed as ${name}`);
  return object;
}

export const isSynced = (object: JsonObject | undefined): boolean => conditionOf(object, "Synced")?.status === "True";

export const reasonOf = async (rig: Rig, xr: JsonObject): Promise<string | undefined> =>
  conditionOf(await current(rig, xr), "ResourcesAdopted")?.reason;

export const refersTo = (xr: JsonObject | undefined, resource: JsonObject): boolean =>
  JSON.stringify([at(xr, "spec.resourceRefs"), at(xr, "spec.crossplane.resourceRefs")]).includes(nameOf(resource));

export const findController = (object: JsonObject | undefined): unknown =>
  at(object, "metadata.ownerReferences[0].uid");
