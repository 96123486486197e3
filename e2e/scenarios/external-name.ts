import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../src/model/json.ts";
import { AsyncProvider } from "../rig/async-provider.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { composite, compositionOf, definition, MANAGED, xrOf } from "./asynchronous.ts";
import { lose } from "./backup.ts";
import { GROUP } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";

/** Fault 4 on a real control plane, with a simulator of an asynchronous provider: how many cloud resources there are. */
export const losingExternalNames: Suite = {
  name: "external names over a restart",
  scenarios: [
    { name: "without: a restarted provider creates a second cloud resource", run: withoutOurStep },
    { name: "with: it finds the first one", run: rescued },
    { name: "with: a managed resource made anew gets its name from the ledger", run: restoredFromLedger },
    { name: "with: a name changed by hand stays, and the XR says so", run: changedByHand },
  ],
};

const EXTERNAL_NAME = "metadata.annotations[crossplane.io/external-name]";

/** One for each rig; scenarios build on each other. */
const providers = new WeakMap<Rig, AsyncProvider>();

function providerOf(rig: Rig): AsyncProvider {
  const provider = providers.get(rig);
  if (provider === undefined) throw new Error("the provider is not there");
  return provider;
}

async function withoutOurStep(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(definition, composite);
  await kubectl.established(`crd/${MANAGED}`, `xrd/xclusters.${GROUP}`);
  const provider = new AsyncProvider(kubectl, MANAGED);
  providers.set(rig, provider);
  provider.run().catch(() => {}); // the API server may be gone before it

  await kubectl.apply(compositionOf("forgetful", { isGuarded: false }), xrOf("forgetful"));
  const name = nameOf(await reported(rig, "forgetful"));
  provider.restart();
  await until("there is a second one", async () => countFor(rig, name) === 2, PATIENCE);
  await kubectl.run("delete", "xcluster/forgetful", "--wait=false");
  return "2 cloud resources for 1 managed resource";
}

async function rescued(rig: Rig): Promise<string> {
  await rig.kubectl.apply(compositionOf("mindful", { isGuarded: true }), xrOf("mindful"));
  const id = at(await reported(rig, "mindful"), "status.atProvider.id");
  const isNamed = async () => at(await managedOf(rig, "mindful"), EXTERNAL_NAME) === id;
  await until("it has its name", isNamed, PATIENCE);
  providerOf(rig).restart();
  await sleep(5000);
  const name = nameOf((await managedOf(rig, "mindful")) ?? {});
  if (countFor(rig, name) !== 1) throw new Error(`there are ${countFor(rig, name)}`);
  await until("the XR says so", async () => (await reasonOf(rig)) === "Pinned", PATIENCE);
  return "1 cloud resource for 1 managed resource";
}

async function restoredFromLedger(rig: Rig): Promise<string> {
  const before = (await managedOf(rig, "mindful")) ?? {};
  const ledger = at(await rig.kubectl.get("xcluster/mindful"), "status.externalNames");
  const count = providerOf(rig).cloud.size;
  await lose(rig, before);
  const isBack = async () => {
    const found = await managedOf(rig, "mindful");
    return found !== undefined && at(found, "metadata.uid") !== at(before, "metadata.uid");
  };
  await until("it is made anew", isBack, PATIENCE);
  await reported(rig, "mindful");
  const after = await managedOf(rig, "mindful");
  if (at(after, EXTERNAL_NAME) !== at(before, EXTERNAL_NAME)) throw new Error("it has another name");
  if (providerOf(rig).cloud.size !== count) throw new Error("there is another cloud resource");
  return JSON.stringify(ledger);
}

async function changedByHand(rig: Rig): Promise<string> {
  const found = (await managedOf(rig, "mindful")) ?? {};
  providerOf(rig).cloud.set("imported", "by hand");
  const target = `${MANAGED}/${nameOf(found)}`;
  const settle = (reason: string, act: () => Promise<unknown>) =>
    until(`the XR says ${reason}`, () => actUntil(rig, reason, act), PATIENCE);
  // A reconcile that is under way takes either back: then it has to be done once more.
  const annotate = () => rig.kubectl.run("annotate", target, "--overwrite", "crossplane.io/external-name=imported");
  await settle("DuplicateSuspected", annotate);
  await sleep(5000);
  if (at(await managedOf(rig, "mindful"), EXTERNAL_NAME) !== "imported") throw new Error("it was changed back");
  await settle("Pinned", () =>
    rig.kubectl.patch("xcluster/mindful", { status: { externalNames: null } }, { subresource: "status" }),
  );
  providerOf(rig).stop();
  return "DuplicateSuspected, until the ledger's entry was removed";
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

const countFor = (rig: Rig, name: string): number =>
  [...providerOf(rig).cloud.values()].filter((createdFor) => createdFor === name).length;

const reasonOf = async ({ kubectl }: Rig) =>
  conditionOf(await kubectl.get("xcluster/mindful"), "ExternalNamesPinned")?.reason;
