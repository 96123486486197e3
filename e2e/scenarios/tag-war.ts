import { setTimeout as sleep } from "node:timers/promises";
import { isV2 } from "../rig/crossplane.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { namespaceOf } from "./source.ts";
import {
  CLOUD,
  namespacedTagged,
  taggedComposition,
  taggedDefinitions,
  tamedComposition,
  untamedComposition,
  xrOf,
} from "./tagged.ts";

/** Fault 2 on a real control plane: two XRs, one cloud resource; without our step a war that never ends, with it an owner. */

/** The time without any write that proves that the war is over. For two full minutes: E2E_SETTLED_SECONDS=120. */
const SETTLED_SECONDS = Number(process.env["E2E_SETTLED_SECONDS"] ?? 30);

const PAIRS = Array.from({ length: 20 }, (_, index) => `pair-${index}`);

export const tagWar: Suite = {
  name: "tags of one cloud resource",
  scenarios: [
    { name: "without: two XRs rewrite its tags for ever", run: warWithout },
    { name: "the same XRs, with our step in their Composition: the war ends", run: warEnds },
  ],
};

export const tagOwners: Suite = {
  name: "the owner of a cloud resource",
  scenarios: [
    { name: "with: one owns it, the other observes", run: oneOwns },
    { name: "with: no writes once that is settled", run: nobodyWrites },
    { name: "an operator moves ownership", run: operatorMovesOwnership },
    { name: "its owner goes: it stays, and the other takes over", run: ownerGoes },
    { name: "the last one goes, and it goes too", run: lastOneGoes },
  ],
};

export const tagPairs: Suite = {
  name: "twenty cloud resources at once, and one in namespaces",
  scenarios: [
    { name: "twenty pairs created at the same time", run: createdAtTheSameTime },
    { name: "namespaced XRs in two namespaces", run: namespacedHandOver, isFor: isV2 },
    { name: "an object of another kind in a resource's place", run: decoyObserves, isFor: isV2 },
  ],
};

/** For each of the suites, which run side by side. */
async function prepare({ kubectl }: Reach): Promise<void> {
  await kubectl.apply(namespaceOf(CLOUD), ...taggedDefinitions);
  await kubectl.established(...taggedDefinitions.map(({ metadata }) => `xrd/${metadata.name}`));
  await kubectl.apply(taggedComposition);
}

async function warWithout({ kubectl }: Rig): Promise<string> {
  await prepare({ kubectl });
  await kubectl.apply(untamedComposition);
  await kubectl.apply(xrOf("XUntamed", "untamed", "a"), xrOf("XUntamed", "untamed", "b"));
  await until(
    "the cloud resource is there",
    async () => (await teamOf({ kubectl }, "untamed")) !== undefined,
    PATIENCE,
  );
  await sleep(5000);
  const writes = (await writesTo({ kubectl }, 20)).filter(({ name }) => name === "untamed").length;
  if (writes < 4) throw new Error(`there is no war: ${writes} writes in 20 s`);
  return `${writes * 3} writes a minute`;
}

/** Ends a war that is under way, and keeps the same managed resources and the same cloud resource. */
async function warEnds(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const names = async () =>
    (await kubectl.list("objects.kubernetes.crossplane.io"))
      .map(nameOf)
      .filter((name) => name.startsWith("untamed-"))
      .sort()
      .join();
  const before = { objects: await names(), uid: at(await kubectl.get("configmap/untamed", CLOUD), "metadata.uid") };
  await kubectl.apply(tamedComposition);
  const reasons = async () => {
    const xrs = await kubectl.list("xuntamed");
    return xrs.map((xr) => conditionOf(xr, "TagsOwned")?.reason).sort();
  };
  await until("one owns it", async () => (await reasons()).join() === "ObservedOnly,Owned", PATIENCE);
  await sleep(2000); // what the loser's provider had begun
  const writes = (await writesTo(rig, 10)).filter(({ name }) => name === "untamed").length;
  const after = { objects: await names(), uid: at(await kubectl.get("configmap/untamed", CLOUD), "metadata.uid") };
  if (writes > 0) throw new Error(`${writes} writes in 10 s`);
  if (JSON.stringify(before) !== JSON.stringify(after)) throw new Error(`${JSON.stringify({ before, after })}`);
  await kubectl.run("delete", "xuntamed", "--all", "--wait=false");
  return `0 writes in 10 s, the same Objects and the same ConfigMap, which has ${await teamOf(rig, "untamed")}'s tag`;
}

async function oneOwns(rig: Rig): Promise<string> {
  await prepare(rig);
  await rig.kubectl.apply(xrOf("XTagged", "orders", "a"));
  await until("a owns it", async () => (await reasonOf(rig, "orders-a")) === "Owned", PATIENCE);
  await until("its tag is there", async () => (await teamOf(rig, "orders")) === "a", PATIENCE);
  await rig.kubectl.apply(xrOf("XTagged", "orders", "b"));
  await until("b observes it", async () => (await reasonOf(rig, "orders-b")) === "ObservedOnly", PATIENCE);
  const seen = async () => at(await objectOf(rig, "orders-b"), "status.atProvider.manifest.metadata.labels.team");
  await until("b sees its status", async () => (await seen()) === "a", PATIENCE);
  const { message } = conditionOf(await rig.kubectl.get("xtagged/orders-b"), "TagsOwned") ?? {};
  return String(message).split(",")[0] ?? "";
}

async function nobodyWrites(rig: Rig): Promise<string> {
  const writes = (await writesTo(rig, SETTLED_SECONDS)).filter(({ name }) => name === "orders").length;
  if (writes > 0) throw new Error(`${writes} writes in ${SETTLED_SECONDS} s`);
  if ((await teamOf(rig, "orders")) !== "a") throw new Error("a does not own it any more");
  return `0 writes in ${SETTLED_SECONDS} s`;
}

async function operatorMovesOwnership(rig: Rig): Promise<string> {
  const take = "shared-infrastructure.fn.crossplane.io/take-ownership=2026-01-01T00:00:00Z";
  await rig.kubectl.run("annotate", `object.kubernetes.crossplane.io/${await objectName(rig, "orders-b")}`, take);
  const start = Date.now();
  await until("b owns it", async () => (await reasonOf(rig, "orders-b")) === "Owned", PATIENCE);
  await until("b's tag is there", async () => (await teamOf(rig, "orders")) === "b", PATIENCE);
  await until("a observes it", async () => (await reasonOf(rig, "orders-a")) === "ObservedOnly", PATIENCE);
  return `after ${((Date.now() - start) / 1000).toFixed(1)} s`;
}

async function ownerGoes(rig: Rig): Promise<string> {
  const before = await rig.kubectl.get("configmap/orders", CLOUD);
  await rig.kubectl.run("delete", "xtagged/orders-b", "--timeout=180s");
  const start = Date.now();
  await until("a owns it", async () => (await reasonOf(rig, "orders-a")) === "Owned", PATIENCE);
  await until("a's tag is there", async () => (await teamOf(rig, "orders")) === "a", PATIENCE);
  const after = await rig.kubectl.get("configmap/orders", CLOUD);
  if (at(before, "metadata.uid") !== at(after, "metadata.uid")) throw new Error("it was deleted and created again");
  return `the same ConfigMap, a's tag after ${((Date.now() - start) / 1000).toFixed(1)} s`;
}

async function lastOneGoes(rig: Rig): Promise<string> {
  const mayDelete = async () =>
    JSON.stringify(at(await objectOf(rig, "orders-a"), "spec.managementPolicies")) === '["*"]';
  await until("a may delete it", mayDelete, PATIENCE);
  await rig.kubectl.run("delete", "xtagged/orders-a", "--timeout=180s");
  await until("it is gone", async () => (await teamOf(rig, "orders")) === undefined, PATIENCE);
  return "deleted with its last XR";
}

async function namespacedHandOver(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const { definition, composition, xrOf: bucketOf } = namespacedTagged;
  await kubectl.apply(definition, composition);
  await kubectl.established(`xrd/${definition.metadata.name}`);
  const reason = async (team: string) =>
    conditionOf(await kubectl.get("teambucket/shared", `bucket-${team}`), "TagsOwned")?.reason;
  for (const team of ["a", "b"]) {
    await kubectl.apply(namespaceOf(`bucket-${team}`));
    await kubectl.apply(bucketOf("shared", team));
    const is = team === "a" ? "Owned" : "ObservedOnly";
    await until(`${team} is ${is}`, async () => (await reason(team)) === is, PATIENCE);
  }
  await until("a's tag is there", async () => (await teamOf(rig, "shared")) === "a", PATIENCE);
  await kubectl.run("delete", "teambucket/shared", "-n", "bucket-a", "--timeout=180s");
  await until("b owns it", async () => (await reason("b")) === "Owned", PATIENCE);
  await until("b's tag is there", async () => (await teamOf(rig, "shared")) === "b", PATIENCE);
  await kubectl.run("delete", "teambucket/shared", "-n", "bucket-b", "--wait=false");
  return "one owns it, the other takes over, by Objects of kubernetes.m.crossplane.io";
}

/** A team may have its XR refer to any object: Crossplane observes it under the name that it carries, and hands its own name down. */
async function decoyObserves(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const [ofA, ofB] = ["a", "b"].map((team) => namespacedTagged.xrOf("decoyed", team)) as [TeamBucket, TeamBucket];
  const reason = async ({ metadata: { namespace } }: TeamBucket) =>
    conditionOf(await kubectl.get("teambucket/decoyed", namespace), "TagsOwned")?.reason;
  await kubectl.apply(ofA);
  await until("a owns it", async () => (await reason(ofA)) === "Owned", PATIENCE);
  await until("a's tag is there", async () => (await teamOf(rig, "decoyed")) === "a", PATIENCE);
  const { namespace } = ofB.metadata;
  const annotations = { "crossplane.io/composition-resource-name": "object" };
  const decoy = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "decoy", annotations } };
  const writing = writesTo(rig, 20);
  const resourceRefs = [{ apiVersion: "v1", kind: "ConfigMap", name: "decoy" }];
  await kubectl.apply(decoy, { ...ofB, spec: { ...ofB.spec, crossplane: { resourceRefs } } });
  await until("b observes it", async () => (await reason(ofB)) === "ObservedOnly", PATIENCE);
  const composed = await kubectl.get("object.kubernetes.m.crossplane.io/decoy", namespace);
  const writes = (await writing).filter(({ name }) => name === "decoyed").length;
  if (composed === undefined || writes > 0) throw new Error(`${writes} writes; ${composed ? "" : "no "}Object decoy`);
  await kubectl.run("delete", "teambucket/decoyed", "-n", namespace, "--timeout=180s");
  if ((await teamOf(rig, "decoyed")) !== "a") throw new Error("it was deleted with b's XR");
  await kubectl.run("delete", "teambucket/decoyed", "-n", ofA.metadata.namespace, "--wait=false");
  return "its name goes to the Object, which observes: no writes";
}

type TeamBucket = ReturnType<typeof namespacedTagged.xrOf>;

async function createdAtTheSameTime(rig: Rig): Promise<string> {
  await prepare(rig);
  const watching = writesTo(rig, 60);
  const xrs = PAIRS.flatMap((pair) => [xrOf("XTagged", pair, "a"), xrOf("XTagged", pair, "b")]);
  await rig.kubectl.apply({ apiVersion: "v1", kind: "List", items: xrs });
  const owners = new Map<string, string>();
  await until("each pair has an owner and an observer", () => areSettled(rig, owners), { timeoutMs: 120_000 });
  const writes = await watching;
  const byLosers = writes.filter(({ name, team }) => owners.has(name) && owners.get(name) !== team).length;
  if (byLosers > 4) throw new Error(`${byLosers} writes by losers`);
  await rig.kubectl.run("delete", "xtagged", ...xrs.map(nameOf), "--wait=false");
  return `${owners.size} owners, ${byLosers} writes by losers`;
}

async function areSettled({ kubectl }: Rig, owners: Map<string, string>): Promise<boolean> {
  const xrs = await kubectl.list("xtagged");
  const reasons = new Map(xrs.map((xr) => [String(at(xr, "metadata.name")), conditionOf(xr, "TagsOwned")?.reason]));
  for (const pair of PAIRS) {
    const [a, b] = [reasons.get(`${pair}-a`), reasons.get(`${pair}-b`)];
    if (a === "Owned" && b === "ObservedOnly") owners.set(pair, "a");
    else if (a === "ObservedOnly" && b === "Owned") owners.set(pair, "b");
    else owners.delete(pair);
  }
  return owners.size === PAIRS.length;
}

type Reach = Pick<Rig, "kubectl">;

/** Each time that something in the cloud changed, and whose tag it had then; what was there before does not count. */
async function writesTo({ kubectl }: Reach, seconds: number) {
  const fields = '{.metadata.name} {.metadata.resourceVersion} {.metadata.labels.team}{"\\n"}';
  const before = new Set((await kubectl.list("configmap", CLOUD)).map((map) => at(map, "metadata.resourceVersion")));
  const lines = await kubectl.watch(sleep(seconds * 1000), "configmap", "-n", CLOUD, "-o", `jsonpath=${fields}`);
  return lines
    .map((line) => line.split(" "))
    .map(([name = "", version = "", team = ""]) => ({ name, version, team }))
    .filter(({ version }) => !before.has(version));
}

const teamOf = async ({ kubectl }: Reach, resource: string) =>
  at(await kubectl.get(`configmap/${resource}`, CLOUD), "metadata.labels.team");

const reasonOf = async ({ kubectl }: Reach, xr: string) =>
  conditionOf(await kubectl.get(`xtagged/${xr}`), "TagsOwned")?.reason;

async function objectOf({ kubectl }: Reach, xr: string) {
  const objects = await kubectl.list("objects.kubernetes.crossplane.io");
  return objects.find((object) => at(object, "metadata.labels[crossplane.io/composite]") === xr);
}

const objectName = async (rig: Reach, xr: string): Promise<string> =>
  String(at(await objectOf(rig, xr), "metadata.name"));
