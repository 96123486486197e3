import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../../src/model/json.ts";
import { isV2 } from "../rig/crossplane.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { startVelero, type Velero } from "../rig/velero.ts";
import { isPaused } from "./backup.ts";
import { autoReady, compose, compositionOf, definitionOf, GROUP, ours, VERSION } from "./definitions.ts";
import { COMPOSED_NAME, findController, isSynced, refersTo } from "./restored.ts";
import { PATIENCE, type Suite } from "./scenario.ts";

/**
 * Restores by the real Velero. Only what a scenario has lost is in its backup: other suites run at the same time. Velero restores by
 * plural name: albums (claims), then objects, then vaults (claims), then xalbums and xvaults.
 */
export const restoringByVelero: Suite = {
  name: "velero",
  // Beside all other suites on two cores its restores take longer than its waits. Alone: four minutes.
  isByHand: true,
  programs: ["velero"],
  scenarios: [
    { name: "over live XRs, with --existing-resource-policy=update: Duplicated, and nothing lost", run: updated },
    { name: "two phases: what was found is released, what has changed in the cloud waits for a person", run: phased },
    { name: "claims before their Objects, with their records first: no second set", run: recordsFirst },
    { name: "XRs before Objects, and claims that sort before Objects last: no second set", run: priorities },
    { name: "claims are deleted during the restore: what is left has a controller, or no XR", run: deleted },
    { name: "a namespace alone brings namespaced XRs back", run: namespaceAlone, isFor: isV2 },
    { name: "the Composition has lost a resource: adopted, then deleted; without our step lost", run: dropped },
    { name: "34 claims in its default order, three times: no second set", run: claims },
  ],
};

const LABEL = "e2e.example.org/backup";
const OBJECTS = "objects.kubernetes.crossplane.io";
const CLOUD = "velero-cloud";

/** By rig: a second try has a new one. */
const started = new WeakMap<Rig, Promise<Velero>>();

/** Velero, and what the scenarios compose. It ends with the rig. */
function veleroOf(rig: Rig): Promise<Velero> {
  const velero = started.get(rig) ?? prepare(rig);
  started.set(rig, velero);
  return velero;
}

async function prepare(rig: Rig): Promise<Velero> {
  const { kubectl } = rig;
  await kubectl.apply(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: CLOUD } },
    definitionOf({ kind: "XVault", claim: "Vault" }),
    definitionOf({ kind: "XAlbum", claim: "Album" }),
    ...(isV2(rig.version) ? [definitionOf({ kind: "Locker", scope: "Namespaced" })] : []),
  );
  await kubectl.waitFor("Offered", `xrd/xvaults.${GROUP}`, `xrd/xalbums.${GROUP}`);
  if (isV2(rig.version)) await kubectl.established(`xrd/lockers.${GROUP}`);
  return startVelero(rig); // it looks for kinds when it starts, and every five minutes
}

/** An Object over a ConfigMap, which is its cloud resource: `XR-NAME`. */
const objectOf = (backup: string, name: string) => ({
  apiVersion: "kubernetes.crossplane.io/v1alpha2",
  kind: "Object",
  metadata: { labels: { [LABEL]: backup } },
  spec: {
    forProvider: {
      manifest: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { namespace: CLOUD, name: `$(metadata.name)-${name}` },
        data: { tier: "small" },
      },
    },
  },
});

interface Composed {
  readonly kind?: "XVault" | "XAlbum";
  readonly names?: readonly string[];
  readonly isGuarded?: boolean;
  readonly adoption?: object;
}

const BOTH = ["first", "second"];

/** A Composition of the backup's name, whose XRs compose an Object for each of the names. */
const composing = (backup: string, { kind = "XVault", names = BOTH, isGuarded = true, adoption = {} }: Composed = {}) =>
  compositionOf(
    kind,
    [
      compose(Object.fromEntries(names.map((name) => [name, objectOf(backup, name)]))),
      autoReady,
      ...(isGuarded ? [ours("adopt", { adoption })] : []),
    ],
    { name: backup },
  );

const compositeOf = (backup: string, name: string, kind = "XVault") => ({
  apiVersion: VERSION,
  kind,
  metadata: { name, labels: { [LABEL]: backup }, ...(!kind.startsWith("X") && { namespace: "default" }) },
  spec: { compositionRef: { name: backup } },
});

/** Applies a changed Composition, and waits for Crossplane's revision of it. */
async function revise({ kubectl }: Rig, composition: ReturnType<typeof composing>): Promise<void> {
  const { name } = composition.metadata;
  const label = "metadata.labels[crossplane.io/composition-name]";
  const revisions = async () =>
    (await kubectl.list("compositionrevisions")).filter((revision) => at(revision, label) === name).length;
  const before = await revisions();
  await kubectl.apply(composition);
  await until("there is a revision", async () => (await revisions()) > before, PATIENCE);
}

/** The objects of a backup, by kind. */
async function backedUp({ kubectl }: Rig, backup: string, kind: string): Promise<readonly JsonObject[]> {
  return (await kubectl.list(kind)).filter((object) => at(object, `metadata.labels[${LABEL}]`) === backup);
}

/** Waits until the XRs of a backup are synced and have composed so many Objects in all. */
async function composed(rig: Rig, backup: string, kind: string, count: number): Promise<void> {
  const isComposed = async () => {
    const xrs = await backedUp(rig, backup, kind);
    const objects = await backedUp(rig, backup, OBJECTS);
    return xrs.length > 0 && [...xrs, ...objects].every(isSynced) && objects.length === count;
  };
  await until(`${count} Objects are composed for ${backup}`, isComposed, PATIENCE);
}

/** Loses the objects of a backup, and nothing else: each is paused first, so that no controller acts on its end. */
async function lose(rig: Rig, backup: string, ...kinds: readonly string[]): Promise<void> {
  const { kubectl } = rig;
  const selector = ["--all-namespaces", `--selector=${LABEL}=${backup}`];
  for (const kind of kinds)
    await kubectl.run("annotate", kind, ...selector, "crossplane.io/paused=true", "--overwrite");
  const areGone = async (kind: string): Promise<boolean> => {
    const left = await backedUp(rig, backup, kind);
    const namespace = String(at(left[0], "metadata.namespace") ?? "default");
    const unfinalized = ["--type=merge", "--patch", '{"metadata":{"finalizers":null}}', "-n", namespace];
    if (left.length > 0) await kubectl.run("patch", kind, ...left.map(nameOf), ...unfinalized);
    return left.length === 0;
  };
  for (const kind of kinds) {
    await until(`${kind} are paused`, async () => (await backedUp(rig, backup, kind)).every(isPaused), PATIENCE);
  }
  for (const kind of kinds.toReversed()) {
    await kubectl.run("delete", kind, ...selector, "--wait=false");
    await until(`${kind} are lost`, () => areGone(kind), PATIENCE);
  }
}

const VAULTS = ["vaults", "xvaults", OBJECTS];

/** Waits until these Objects, and no others, are controlled by the XRs that they were composed for. */
async function assertSame(rig: Rig, backup: string, kind: string, objects: readonly JsonObject[]): Promise<void> {
  const pair = (object: JsonObject): string =>
    `${at(object, "metadata.labels[crossplane.io/composite]")}/${nameOf(object)}`;
  const expected = objects.map(pair).sort().join();
  const isAdopted = async () => {
    const uids = new Map((await backedUp(rig, backup, kind)).map((xr) => [at(xr, "metadata.uid"), nameOf(xr)]));
    const found = (await backedUp(rig, backup, OBJECTS)).map(
      (one) => `${uids.get(String(findController(one)))}/${nameOf(one)}`,
    );
    if (found.length > objects.length) throw new Error(`there are ${found.length} Objects, and not ${objects.length}`);
    return found.sort().join() === expected;
  };
  await until(`${backup} has what it had`, isAdopted, PATIENCE);
  await composed(rig, backup, kind, objects.length);
}

/** With and without our step: fault S2. */
async function dropped(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const velero = await veleroOf(rig);
  const both = [true, false].map((isGuarded) => ({ name: isGuarded ? "guarded" : "plain", isGuarded }));
  for (const { name, isGuarded } of both) {
    await kubectl.apply(composing(name, { isGuarded }), compositeOf(name, name));
    await composed(rig, name, "xvaults", 2);
  }
  await velero.backUp("dropped", `--selector=${LABEL} in (guarded,plain)`);
  for (const { name, isGuarded } of both) {
    await lose(rig, name, "xvaults", OBJECTS);
    await revise(rig, composing(name, { isGuarded, names: ["first"] }));
  }
  await velero.restore("dropped", "dropped");
  const left = (name: string) => backedUp(rig, name, OBJECTS);
  const isDeleted = async () => (await left("guarded")).length === 1 && !(await isInCloud(rig, "guarded-second"));
  await until("the Object and its ConfigMap are deleted", isDeleted, PATIENCE);
  await until(
    "the other is controlled",
    async () => findController((await left("guarded"))[0]) !== undefined,
    PATIENCE,
  );
  const isLost = async () => {
    const [xr, all] = [await kubectl.get("xvault/plain"), await left("plain")];
    const isForgotten = all.some((one) => !refersTo(xr, one) && findController(one) === undefined);
    return isSynced(xr) && (rig.version === "v2.4" ? isForgotten : all.length === 1);
  };
  await until("without our step the Object is lost", isLost, PATIENCE);
  const fate = rig.version === "v2.4" ? "stays, and nothing controls it" : "is deleted, though never adopted";
  return `adopted and deleted; without our step the Object ${fate}`;
}

const isInCloud = async ({ kubectl }: Rig, name: string): Promise<boolean> =>
  (await kubectl.get(`configmap/${name}`, CLOUD)) !== undefined;

const NAMES = Array.from({ length: 34 }, (_, index) => `claimed-${index}`);

async function claims(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const velero = await veleroOf(rig);
  await kubectl.apply(composing("claims"));
  await kubectl.apply(...NAMES.map((name) => compositeOf("claims", name, "Vault")));
  await composed(rig, "claims", "xvaults", 2 * NAMES.length);
  const objects = await backedUp(rig, "claims", OBJECTS);
  await velero.backUp("claims", `--selector=${LABEL}=claims`);
  for (const flags of [[], ["--status-include-resources=vaults,xvaults"]]) {
    await lose(rig, "claims", ...VAULTS);
    await velero.restore("claims", `claims-${flags.length}`, ...flags);
    await assertSame(rig, "claims", "xvaults", objects);
  }
  await lose(rig, "claims", ...VAULTS);
  await revise(rig, composing("claims", { names: ["first"] }));
  await velero.restore("claims", "claims-last");
  const firsts = objects.filter((one) => at(one, `metadata.annotations[${COMPOSED_NAME}]`) === "first");
  const isDropped = async () => (await backedUp(rig, "claims", OBJECTS)).length === firsts.length;
  await until("the others are deleted", isDropped, PATIENCE);
  await assertSame(rig, "claims", "xvaults", firsts);
  return `second sets: 0 of ${3 * NAMES.length}; once with status; once the others were adopted, then deleted`;
}

/** The live XR has other Objects than the one in the backup, as after a restore that came too late. */
async function updated(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const velero = await veleroOf(rig);
  await kubectl.apply(composing("updated"), compositeOf("updated", "updated"));
  await composed(rig, "updated", "xvaults", 2);
  await velero.backUp("updated", `--selector=${LABEL}=updated`);
  const old = (await backedUp(rig, "updated", OBJECTS)).map(nameOf);
  await lose(rig, "updated", "xvaults", OBJECTS);
  await kubectl.apply(compositeOf("updated", "updated"));
  await composed(rig, "updated", "xvaults", 2);
  await velero.restore("updated", "updated", "--existing-resource-policy=update");
  const isToldSo = async () => (await conditionFor(rig, "updated"))?.reason === "Duplicated";
  await until("the XR says so", isToldSo, { timeoutMs: 60_000 });
  await sleep(5000); // several reconciles
  const all = await backedUp(rig, "updated", OBJECTS);
  if (all.length !== 4) throw new Error(`there are ${all.length} Objects, and not 4`);
  for (const name of old) {
    await kubectl.patch(`${OBJECTS}/${name}`, { spec: { deletionPolicy: "Orphan" } }); // both have one ConfigMap
    await kubectl.run("delete", OBJECTS, name, "--wait=false");
  }
  const live = all.filter((one) => !old.includes(nameOf(one)));
  await assertSame(rig, "updated", "xvaults", live);
  return "all four Objects stayed until a person had deleted two; then one set";
}

const MODIFIER = fileURLToPath(new URL("../../deploy/velero/observe-first.yaml", import.meta.url));

/** Two XRs: the cloud resource of one has changed since the backup, and its Composition has lost another. */
async function phased(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const velero = await veleroOf(rig);
  await kubectl.applyFile(MODIFIER);
  const adoption = { restore: "ObserveFirst" };
  const three = [...BOTH, "third"];
  await kubectl.apply(composing("phased", { names: three, adoption }));
  await kubectl.apply(...["drifted", "calm"].map((name) => compositeOf("phased", name)));
  await composed(rig, "phased", "xvaults", 6);
  await velero.backUp("phased", `--selector=${LABEL}=phased`);
  const objects = await backedUp(rig, "phased", OBJECTS);
  await lose(rig, "phased", "xvaults", OBJECTS);
  const tier = async (name: string) => at(await kubectl.get(`configmap/${name}`, CLOUD), "data.tier");
  await kubectl.patch("configmap/drifted-second", { data: { tier: "large" } }, { namespace: CLOUD });
  await velero.restore("phased", "phased", "--resource-modifier-configmap=observe-first");
  await until("calm has what it had", async () => (await conditionFor(rig, "calm"))?.reason === "Adopted", PATIENCE);

  const message = async () => String((await conditionFor(rig, "drifted"))?.message);
  await until("the difference is counted", async () => (await message()).startsWith("2 found, 1 different:"), PATIENCE);
  await sleep(5000); // several reconciles and polls
  const { reason } = (await conditionFor(rig, "drifted")) ?? {};
  if (reason !== "RestoreNotConfirmed") throw new Error(`the condition is ${reason}`);
  if ((await tier("drifted-second")) !== "large") throw new Error("the cloud was written before it was released");
  const command = /kubectl annotate (?<target>\S+) (?<name>\S+) --overwrite (?<annotation>\S+)\/NAME,NAME/.exec(
    await message(),
  );
  const { target = "", name = "", annotation = "" } = command?.groups ?? {};
  await kubectl.run("annotate", target, name, "--overwrite", `${annotation}/second`);
  await assertSame(rig, "phased", "xvaults", objects);
  await until("the cloud is as desired", async () => (await tier("drifted-second")) === "small", PATIENCE);
  const areReleased = async () =>
    (await backedUp(rig, "phased", OBJECTS)).every(
      (one) => JSON.stringify(at(one, "spec.managementPolicies")) === '["*"]',
    );
  await until("all have their policies", areReleased, PATIENCE);
  return "all found: released by itself; one changed in the cloud: RestoreNotConfirmed, and not written until it was released";
}

const conditionFor = async ({ kubectl }: Rig, name: string) =>
  conditionOf(await kubectl.get(`xvault/${name}`), "ResourcesAdopted");

/** Velero's default, and what docs/restore.md adds to it. */
const DEFAULT_PRIORITIES = ["customresourcedefinitions", "namespaces", "secrets", "configmaps"];

const ALBUMS = ["albums", "xalbums", OBJECTS];

/** Composes for claims whose kind sorts before Objects. */
async function collect(rig: Rig, backup: string, count: number): Promise<readonly JsonObject[]> {
  const names = Array.from({ length: count }, (_, index) => `${backup}-${index}`);
  await rig.kubectl.apply(composing(backup, { kind: "XAlbum" }));
  await rig.kubectl.apply(...names.map((name) => compositeOf(backup, name, "Album")));
  await composed(rig, backup, "xalbums", 2 * count);
  return backedUp(rig, backup, OBJECTS);
}

const ALBUMS_RECORDED = 10;

/** The records of names alone are restored first. Then come the claims, and last the Objects, which Crossplane has made anew by then. */
async function recordsFirst(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const velero = await veleroOf(rig);
  const objects = await collect(rig, "recorded", ALBUMS_RECORDED);
  const records = async () =>
    (await kubectl.list("environmentconfigs")).filter((one) => {
      const composite = String(at(one, "metadata.labels[crossplane.io/composite]"));
      return composite.startsWith("recorded-") && Object.keys(at(one, "data") ?? {}).length === BOTH.length;
    });
  await until("all names are recorded", async () => (await records()).length === ALBUMS_RECORDED, PATIENCE);
  await kubectl.run("label", "environmentconfigs", ...(await records()).map(nameOf), `${LABEL}=recorded`);
  await velero.backUp("recorded", `--selector=${LABEL}=recorded`);
  await lose(rig, "recorded", ...ALBUMS);
  const areGone = async () => (await backedUp(rig, "recorded", "environmentconfigs")).length === 0;
  await until("the records are collected with their XRs", areGone, PATIENCE);
  await velero.restore(
    "recorded",
    "recorded-names",
    "--include-resources=environmentconfigs.apiextensions.crossplane.io",
  );
  await velero.restore("recorded", "recorded");
  await assertSame(rig, "recorded", "xalbums", objects);
  return `second sets: 0 of ${ALBUMS_RECORDED}`;
}

async function priorities(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const velero = await veleroOf(rig);
  await kubectl.apply(composing("early"), compositeOf("early", "early"));
  const count = (await collect(rig, "albums", 5)).length / 2;
  await composed(rig, "early", "xvaults", 2);
  const [albums, early] = [await backedUp(rig, "albums", OBJECTS), await backedUp(rig, "early", OBJECTS)];
  await velero.backUp("priorities", `--selector=${LABEL} in (albums,early)`);
  await lose(rig, "albums", ...ALBUMS);
  await lose(rig, "early", "xvaults", OBJECTS);
  const order = [...DEFAULT_PRIORITIES, `xvaults.${GROUP}`, "-", `albums.${GROUP}`];
  await velero.restart(`--restore-resource-priorities=${order.join()}`);
  await velero.restore("priorities", "priorities");
  await velero.restart();
  await assertSame(rig, "early", "xvaults", early);
  await assertSame(rig, "albums", "xalbums", albums);
  return `one XR and ${count} claims have what they had`;
}

const CLAIMS_DELETED = 5;

/** An XR that is restored after its claim was deleted stays; one that is deleted before it has adopted its Objects leaves them. */
async function deleted(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const velero = await veleroOf(rig);
  const names = Array.from({ length: CLAIMS_DELETED }, (_, index) => `deleted-${index}`);
  await kubectl.apply(composing("deleted"), ...names.map((name) => compositeOf("deleted", name, "Vault")));
  await composed(rig, "deleted", "xvaults", 2 * names.length);
  await velero.backUp("deleted", `--selector=${LABEL}=deleted`);
  await lose(rig, "deleted", ...VAULTS);
  const isThere = async (name: string) => (await kubectl.get(`vault/${name}`)) !== undefined;
  const deleting = names.map(async (name) => {
    await until(`${name} is restored`, () => isThere(name), PATIENCE);
    await kubectl.run("delete", "vault", name, "--wait=false");
  });
  await velero.restore("deleted", "deleted");
  await Promise.all(deleting);
  await until("the claims are gone", async () => (await backedUp(rig, "deleted", "vaults")).length === 0, PATIENCE);
  const uncontrolled = async () => {
    const xrs = await backedUp(rig, "deleted", "xvaults");
    const uids = new Set(xrs.map((xr) => at(xr, "metadata.uid")));
    const left = (await backedUp(rig, "deleted", OBJECTS)).filter((one) => !uids.has(findController(one) as string));
    return { left, names: new Set(xrs.map(nameOf)) };
  };
  const isSettled = async () => {
    const { left, names } = await uncontrolled();
    return left.every((one) => !names.has(String(at(one, "metadata.labels[crossplane.io/composite]"))));
  };
  await until("what is left has a controller, or no XR", isSettled, PATIENCE);
  const { left } = await uncontrolled();
  return `of ${2 * CLAIMS_DELETED} Objects ${left.length} are left without XR and controller, as Crossplane leaves them`;
}

/** Namespaced XRs, and what they compose, are in the backup of their namespace; claims are without their XRs. */
async function namespaceAlone(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const velero = await veleroOf(rig);
  const namespace = "velero-alone";
  const configMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { labels: { [LABEL]: "alone" } },
    data: { a: "b" },
  };
  const steps = [compose({ first: configMap, second: configMap }), autoReady, ours("adopt", { adoption: {} })];
  const locker = { apiVersion: VERSION, kind: "Locker", metadata: { name: "locker", namespace } };
  await kubectl.apply(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    compositionOf("Locker", steps),
    { ...locker, spec: {} },
  );
  const controlled = async () => {
    const uid = at(await kubectl.get("locker/locker", namespace), "metadata.uid");
    const all = await backedUp(rig, "alone", "configmaps");
    return uid !== undefined && all.every((one) => findController(one) === uid) ? all.map(nameOf).sort().join() : "";
  };
  await until("it has composed", async () => (await controlled()).split(",").length === 2, PATIENCE);
  const before = await controlled();
  await velero.backUp("alone", `--include-namespaces=${namespace}`, "--include-cluster-resources=false");
  await kubectl.run("delete", "namespace", namespace);
  await velero.restore("alone", "alone");
  await until("it has what it had", async () => (await controlled()) === before, PATIENCE);
  await sleep(5000); // several reconciles
  if ((await controlled()) !== before) throw new Error(`it has ${await controlled()}, and not ${before}`);
  return "the XR has its two ConfigMaps, and no others";
}
