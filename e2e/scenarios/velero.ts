import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../src/model/json.ts";
import { at, conditionOf, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { startVelero, type Velero } from "../rig/velero.ts";
import { isPaused } from "./backup.ts";
import { autoReady, compose, compositionOf, definitionOf, GROUP, ours, VERSION } from "./definitions.ts";
import { findController, isSynced, refersTo } from "./restored.ts";
import { PATIENCE, type Suite } from "./scenario.ts";

/**
 * Restores by the real Velero. Only what a scenario has lost is in its backup: other suites run at the same time. Velero restores by
 * plural name: albums (claims), then objects, then vaults (claims), then xalbums and xvaults.
 */
export const restoringByVelero: Suite = {
  name: "velero",
  programs: ["velero"],
  scenarios: [
    { name: "the Composition has lost a resource: adopted, then deleted; without our step left behind", run: dropped },
    { name: "twenty claims in its default order, three times: no second set", run: claims },
    { name: "over live XRs, with --existing-resource-policy=update: Duplicated, and nothing lost", run: updated },
  ],
};

const LABEL = "e2e.example.org/backup";
const OBJECTS = "objects.kubernetes.crossplane.io";
const CLOUD = "velero-cloud";

let started: Promise<Velero> | undefined;

/** Velero, and what the scenarios compose. It ends with the rig. */
function veleroOf(rig: Rig): Promise<Velero> {
  started ??= prepare(rig);
  return started;
}

async function prepare(rig: Rig): Promise<Velero> {
  const { kubectl } = rig;
  await kubectl.apply(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: CLOUD } },
    definitionOf({ kind: "XVault", claim: "Vault" }),
    definitionOf({ kind: "XAlbum", claim: "Album" }),
  );
  await kubectl.waitFor("Offered", `xrd/xvaults.${GROUP}`, `xrd/xalbums.${GROUP}`);
  return startVelero(rig);
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
  const isForgotten = async () => {
    const xr = await kubectl.get("xvault/plain");
    return isSynced(xr) && (await left("plain")).some((one) => !refersTo(xr, one) && findController(one) === undefined);
  };
  await until("without our step the Object is forgotten", isForgotten, PATIENCE);
  return "adopted and deleted; without our step the Object stays, and nothing controls it";
}

const isInCloud = async ({ kubectl }: Rig, name: string): Promise<boolean> =>
  (await kubectl.get(`configmap/${name}`, CLOUD)) !== undefined;

const NAMES = Array.from({ length: 20 }, (_, index) => `claimed-${index}`);

async function claims(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  const velero = await veleroOf(rig);
  await kubectl.apply(composing("claims"));
  await kubectl.apply(...NAMES.map((name) => compositeOf("claims", name, "Vault")));
  await composed(rig, "claims", "xvaults", 2 * NAMES.length);
  const objects = await backedUp(rig, "claims", OBJECTS);
  await velero.backUp("claims", `--selector=${LABEL}=claims`);
  const flags = [[], [], ["--status-include-resources=vaults,xvaults"]];
  for (const [round, more] of flags.entries()) {
    await lose(rig, "claims", ...VAULTS);
    await velero.restore("claims", `claims-${round}`, ...more);
    await assertSame(rig, "claims", "xvaults", objects);
  }
  return `${flags.length * NAMES.length} of ${flags.length * NAMES.length} have what they had; in the last round with status`;
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
  const reason = async () => conditionOf(await kubectl.get("xvault/updated"), "ResourcesAdopted")?.reason;
  await until("the XR says so", async () => (await reason()) === "Duplicated", PATIENCE);
  await sleep(5000); // several reconciles
  const all = await backedUp(rig, "updated", OBJECTS);
  if (all.length !== 4) throw new Error(`there are ${all.length} Objects, and not 4`);
  for (const name of old) await kubectl.run("delete", OBJECTS, name, "--wait=false");
  const live = all.filter((one) => !old.includes(nameOf(one)));
  await assertSame(rig, "updated", "xvaults", live);
  return "all four Objects stayed until a person had deleted two; then one set";
}
