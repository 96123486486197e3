import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../src/model/json.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { upjetOf } from "../rig/upjet-provider.ts";
import { composite, compositionOf, MANAGED, xrOf } from "./asynchronous.ts";
import { lose } from "./backup.ts";
import { GROUP } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";

/** Fault 4 on a real control plane, with the real runtime of upjet's providers: how many cloud resources there are. */
export const losingExternalNames: Suite = {
  name: "external names over a restart",
  // It kills the provider: a creation of another suite that is under way at that moment ends with an unknown result.
  when: "after the others",
  scenarios: [
    { name: "without: a restarted provider creates a second cloud resource", run: withoutOurStep },
    { name: "with: it finds the first one", run: rescued },
    {
      name: "with: a provider killed before it has reported a name creates no second one, and the XR says what to look for",
      run: killedTooEarly,
    },
    { name: "with: a managed resource made anew gets its name from the record", run: restoredFromRecord },
    { name: "with: a name changed by hand stays, and the XR says so", run: changedByHand },
  ],
};

const EXTERNAL_NAME = "metadata.annotations[crossplane.io/external-name]";

/** Crossplane's runtime creates nothing again within 30 seconds. */
const GRACE_MS = 35_000;

async function withoutOurStep(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const upjet = upjetOf(rig);
  await kubectl.apply(composite);
  await kubectl.established(`xrd/xclusters.${GROUP}`);
  await kubectl.apply(compositionOf("forgetful", { isGuarded: false }), xrOf("forgetful"));
  await reported(rig, "forgetful");
  await upjet.restart();
  await until("there is a second one", async () => upjet.cloud.clustersIn("forgetful").length === 2, PATIENCE);
  await kubectl.run("delete", "xcluster/forgetful", "--wait=false");
  return "2 cloud resources for 1 managed resource";
}

async function rescued(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const upjet = upjetOf(rig);
  await kubectl.apply(compositionOf("mindful", { isGuarded: true }), xrOf("mindful"));
  const id = at(await reported(rig, "mindful"), "status.atProvider.id");
  const isNamed = async () => at(await managedOf(rig, "mindful"), EXTERNAL_NAME) === id;
  await until("it has its name", isNamed, PATIENCE);
  await upjet.restart();
  await sleep(GRACE_MS);
  assertOnly(rig, "mindful", id);
  await until("the XR says so", async () => (await reasonOf(rig)) === "Pinned", PATIENCE);
  return "1 cloud resource for 1 managed resource";
}

/** In the middle of a create nobody but the cloud knows the name yet. */
async function killedTooEarly(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const upjet = upjetOf(rig);
  const count = () => upjet.cloud.clustersIn("hasty").length;
  const { creatingMs } = upjet.cloud;
  upjet.cloud.creatingMs = 600_000;
  await kubectl.apply(xrOf("hasty", "mindful"));
  await until("the cloud creates it", async () => count() === 1, PATIENCE);
  const isHeld = async () => (await reasonOf(rig, "hasty")) === "NameNotRecorded";
  await until("the XR says so", isHeld, PATIENCE);
  upjet.cloud.creatingMs = creatingMs;
  await upjet.restart();
  await sleep(GRACE_MS);
  const [only = "", ...more] = upjet.cloud.clustersIn("hasty");
  if (more.length > 0 || !(await isHeld())) throw new Error(`there are ${count()}: ${await reasonOf(rig, "hasty")}`);
  const managed = (await managedOf(rig, "hasty")) ?? {};
  await kubectl.run("annotate", `${MANAGED}/${nameOf(managed)}`, `crossplane.io/external-name=${only}`);
  await until("it goes on with that name", async () => (await reasonOf(rig, "hasty")) === "Pinned", PATIENCE);
  if (at(await reported(rig, "hasty"), "status.atProvider.id") !== only) throw new Error("it is another one");
  await kubectl.run("delete", "xcluster/hasty", "--wait=false");
  return "1 cloud resource, NameNotRecorded, and Pinned once it was named";
}

async function restoredFromRecord(rig: Rig): Promise<string> {
  const before = (await managedOf(rig, "mindful")) ?? {};
  const { data } = await recordOf(rig);
  await lose(rig, before);
  const isBack = async () => {
    const found = await managedOf(rig, "mindful");
    return found !== undefined && at(found, "metadata.uid") !== at(before, "metadata.uid");
  };
  await until("it is made anew", isBack, PATIENCE);
  const after = await reported(rig, "mindful");
  assertOnly(rig, "mindful", at(before, EXTERNAL_NAME));
  if (at(after, EXTERNAL_NAME) !== at(before, EXTERNAL_NAME)) throw new Error("it has another name");
  return JSON.stringify(data);
}

async function changedByHand(rig: Rig): Promise<string> {
  const found = (await managedOf(rig, "mindful")) ?? {};
  const imported = upjetOf(rig).cloud.createCluster("mindful");
  const target = `${MANAGED}/${nameOf(found)}`;
  const settle = (reason: string, act: () => Promise<unknown>) =>
    until(`the XR says ${reason}`, () => actUntil(rig, reason, act), PATIENCE);
  // A reconcile that is under way takes either back: then it has to be done once more.
  const annotate = () => rig.kubectl.run("annotate", target, "--overwrite", `crossplane.io/external-name=${imported}`);
  await settle("DuplicateSuspected", annotate);
  await sleep(5000);
  if (at(await managedOf(rig, "mindful"), EXTERNAL_NAME) !== imported) throw new Error("it was changed back");
  const record = nameOf(await recordOf(rig));
  await settle("Pinned", () => rig.kubectl.patch(`environmentconfig/${record}`, { data: { cluster: null } }));
  return "DuplicateSuspected, until the record's entry was removed";
}

/** The record of names of the XR `mindful`. */
async function recordOf({ kubectl }: Rig): Promise<JsonObject> {
  const references = at(await kubectl.get("xcluster/mindful"), "spec.resourceRefs") as readonly JsonObject[];
  const name = String(references.find(({ kind }) => kind === "EnvironmentConfig")?.["name"]);
  return (await kubectl.get(`environmentconfig/${name}`)) ?? {};
}

/** Acts, and says whether that has led to the reason within some reconciles. */
async function actUntil(rig: Rig, reason: string, act: () => Promise<unknown>): Promise<boolean> {
  await act();
  await sleep(6000);
  return (await reasonOf(rig)) === reason;
}

async function managedOf({ kubectl }: Rig, xr: string): Promise<JsonObject | undefined> {
  const all = await kubectl.list(MANAGED);
  return all.find((candidate) => at(candidate, "metadata.labels[crossplane.io/composite]") === xr);
}

/** The managed resource, once its provider has reported the cloud's name for it. */
async function reported(rig: Rig, xr: string): Promise<JsonObject> {
  const isReported = async () => at(await managedOf(rig, xr), "status.atProvider.id") !== undefined;
  await until(`what ${xr} composes is created`, isReported, PATIENCE);
  return (await managedOf(rig, xr)) ?? {};
}

/** @throws {Error} where the cloud has another cluster for the XR, or that one no more. */
function assertOnly(rig: Rig, xr: string, id: unknown): void {
  const ids = upjetOf(rig).cloud.clustersIn(xr).join();
  if (ids !== id) throw new Error(`the cloud has ${ids}, and not only ${String(id)}`);
}

const reasonOf = async ({ kubectl }: Rig, xr = "mindful") =>
  conditionOf(await kubectl.get(`xcluster/${xr}`), "ExternalNamesPinned")?.reason;
