import { isObject, type JsonObject } from "../../src/model/json.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { PATIENCE } from "./scenario.ts";

/** A backup tool's work: it saves objects, and creates them again without the fields that the API server sets. */

type Reach = Pick<Rig, "kubectl">;

/** The argument by which kubectl finds an object. */
const targetOf = (object: JsonObject): string => {
  const [group, version] = String(object["apiVersion"]).split("/");
  const kind = String(object["kind"]).toLowerCase();
  return version === undefined ? `${kind}/${nameOf(object)}` : `${kind}.${group}/${nameOf(object)}`;
};

const namespaceOf = (object: JsonObject): string => String(at(object, "metadata.namespace") ?? "default");

/**
 * Loses objects, owners first in the list, and nothing else: whoever has a finalizer on them is not asked. They go in the other
 * order, so that nothing is collected with its owner.
 */
export async function lose(reach: Reach, ...objects: readonly JsonObject[]): Promise<void> {
  for (const object of objects) await pause(reach, object);
  for (const object of objects.toReversed()) await remove(reach, object);
}

/** Waits as well: a reconcile that is under way ends with an apply, which would make a lost XR anew, without its spec. */
async function pause({ kubectl }: Reach, object: JsonObject): Promise<void> {
  const [target, namespace] = [targetOf(object), namespaceOf(object)];
  await kubectl.patch(target, { metadata: { annotations: { "crossplane.io/paused": "true" } } }, { namespace });
  const isLeftAlone = async () => isPaused(await kubectl.get(target, namespace));
  if (conditionOf(object, "Synced") !== undefined) await until(`${target} is paused`, isLeftAlone, PATIENCE);
}

async function remove({ kubectl }: Reach, object: JsonObject): Promise<void> {
  const [target, namespace] = [targetOf(object), namespaceOf(object)];
  await kubectl.run("delete", target, "-n", namespace, "--wait=false");
  const isGone = async () => {
    const found = await kubectl.get(target, namespace);
    // Crossplane may have made it anew, under the same name.
    if (found === undefined || at(found, "metadata.uid") !== at(object, "metadata.uid")) return true;
    await kubectl.patch(target, { metadata: { finalizers: null } }, { namespace });
    return false;
  };
  await until(`${target} is lost`, isGone, PATIENCE);
}

export const isPaused = (object: JsonObject | undefined): boolean =>
  conditionOf(object, "Synced")?.reason === "ReconcilePaused";

/** Creates an object anew: without status, UID and owner references, but with a hold on its deletion where it is asked for. */
export async function restore(
  { kubectl }: Reach,
  object: JsonObject,
  finalizers: readonly string[] = [],
): Promise<void> {
  const { status: _, metadata, ...rest } = object;
  const { name, namespace, labels, annotations, generateName } = isObject(metadata) ? metadata : {};
  const kept = { name, namespace, labels, annotations, generateName, finalizers };
  await kubectl.apply({ ...rest, metadata: kept });
}

export const HOLD = "e2e.example.org/hold";

/** Lets go an object whose deletion was held. */
export const release = ({ kubectl }: Reach, object: JsonObject): Promise<void> =>
  kubectl.patch(targetOf(object), { metadata: { finalizers: null } }, { namespace: namespaceOf(object) });

/** The object as it is now. */
export const current = ({ kubectl }: Reach, object: JsonObject): Promise<JsonObject | undefined> =>
  kubectl.get(targetOf(object), namespaceOf(object));
