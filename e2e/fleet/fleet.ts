import { setTimeout as sleep } from "node:timers/promises";
import { letRead } from "../rig/crossplane-rights.ts";
import { startFunction } from "../rig/function.ts";
import type { Kubectl } from "../rig/kubectl.ts";
import { at, conditionOf, encode, nameOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import type { Span } from "./counts.ts";
import * as kinds from "./kinds.ts";

/** A fleet on a rig: its namespaces by what they are for, and waits for what happens to them. */

/** The number of namespaces that are granted access at a time. */
const TEN = 10;
const STRANGERS = 2;
const PATIENCE = { timeoutMs: 240_000 };
/** The time after which nothing more of a change is expected. */
const SETTLING_MS = 10_000;
/** The time between two lists of all XRs: five a second would be most of what the API server does. */
const LISTING_MS = 2000;

export interface Fleet {
  readonly rig: Rig;
  readonly size: number;
  readonly withCompanion: boolean;
  /** The namespaces of all consumers. */
  readonly all: readonly string[];
  /** Those that an annotation of the owner grants, and those that a label of their own grants, ten each. */
  readonly byName: readonly string[];
  readonly byLabel: readonly string[];
  /** One that a label grants alone. */
  readonly one: readonly string[];
  /** Those that have access from the beginning, by a label. */
  readonly first: readonly string[];
}

export function planFleet(rig: Rig, size: number, withCompanion: boolean): Fleet {
  const all = Array.from({ length: Math.floor((size * 3) / 4) }, (_, index) => `fleet-${index}`);
  const [byName, byLabel, one] = [all.slice(0, TEN), all.slice(TEN, 2 * TEN), all.slice(2 * TEN, 2 * TEN + 1)];
  const first = all.slice(2 * TEN + 1 + STRANGERS);
  if (first.length === 0) throw new Error(`cannot use a size of ${size}: two groups of ten are granted`);
  return { rig, size, withCompanion, all, byName, byLabel, one, first };
}

/** Creates all XRs at once, and waits until they are Ready, but for consumers without a grant. */
export async function createXrs({ rig: { kubectl }, size, withCompanion, all, first }: Fleet): Promise<void> {
  const definitions = kinds.definitionsOf(withCompanion);
  await letRead(kubectl, "namespaces", "referencegrants");
  await applyAll(kubectl, definitions);
  await kubectl.established(...definitions.map(({ metadata }) => `xrd/${metadata.name}`));
  const namespaces = all.map((name) => kinds.consumerNamespace(name, first.includes(name)));
  await applyAll(kubectl, [...kinds.compositionsOf(withCompanion), ...kinds.namespaces, ...namespaces]);
  await kubectl.apply(kinds.ownerOf("first", []), ...(withCompanion ? [kinds.companion] : []));
  const bystanders = Array.from({ length: size - all.length - 1 }, (_, index) => kinds.bystander(index));
  await applyAll(kubectl, [...all.map(kinds.consumerIn), ...bystanders]);
  const patience = { timeoutMs: 60_000 + size * 1000 };
  for (const { metadata } of definitions) {
    const isReady = async () => {
      await sleep(LISTING_MS);
      const xrs = await kubectl.list(metadata.name);
      const ready = xrs.filter((xr) => conditionOf(xr, "Ready")?.status === "True").length;
      return (
        xrs.length > 0 && ready >= xrs.length - (metadata.name.startsWith("fleetuser") ? all.length - first.length : 0)
      );
    };
    await until(`all ${metadata.name} are Ready`, isReady, patience);
  }
  await until("all have their Secret", async () => (await copies(kubectl)).size === first.length, patience);
}

const applyAll = (kubectl: Kubectl, items: readonly object[]): Promise<void> =>
  kubectl.apply({ apiVersion: "v1", kind: "List", items });

/** The copies by namespace: what must not change where nothing was granted or taken back. */
export async function copies(kubectl: Kubectl): Promise<ReadonlyMap<string, { uid: unknown; password: unknown }>> {
  const secrets = (await kubectl.list("secrets")).filter((secret) => nameOf(secret) === kinds.COPY);
  return new Map(
    secrets.map((secret) => [
      String(at(secret, "metadata.namespace")),
      { uid: at(secret, "metadata.uid"), password: at(secret, "data.password") },
    ]),
  );
}

export interface Waited extends Span {
  /** The seconds of each, in the order in which they ended. */
  readonly seconds: readonly number[];
}

/** Makes a change, and waits until each of these namespaces has a copy, or has none. The time span ends when all has settled. */
export async function waitFor(
  { rig: { kubectl } }: Fleet,
  namespaces: readonly string[],
  isThere: boolean,
  change: () => Promise<unknown>,
): Promise<Waited> {
  const from = Date.now();
  await change();
  const seconds: number[] = [];
  const wait = async (namespace: string): Promise<void> => {
    const has = async () => ((await kubectl.get(`secret/${kinds.COPY}`, namespace)) !== undefined) === isThere;
    await until(`${namespace} has ${isThere ? "its" : "no"} Secret`, has, PATIENCE);
    seconds.push((Date.now() - from) / 1000);
  };
  await Promise.all(namespaces.map(wait));
  await sleep(SETTLING_MS);
  return { from, to: Date.now(), seconds };
}

export const grantByName = ({ rig: { kubectl } }: Fleet, password: string, namespaces: readonly string[]) =>
  kubectl.apply(kinds.ownerOf(password, namespaces));

export const grantByLabel = ({ rig: { kubectl } }: Fleet, namespaces: readonly string[], isGranted: boolean) =>
  kubectl.run(
    ...["label", "namespace", "--overwrite", ...namespaces],
    `${kinds.GRANTED.key}=${isGranted ? kinds.GRANTED.value : "no"}`,
  );

/** Waits until the owner's Secret, and then all copies hold the new password. */
export async function rotate({ rig: { kubectl } }: Fleet, password: string, granted: readonly string[]) {
  const start = Date.now();
  await kubectl.apply(kinds.ownerOf(password, granted));
  const { namespace, name } = kinds.SOURCE;
  const value = async () => at(await kubectl.get(`secret/${name}`, namespace), "data.password");
  await until("the owner's Secret has the password", async () => (await value()) === encode(password), PATIENCE);
  const source = (Date.now() - start) / 1000;
  const haveIt = async () => [...(await copies(kubectl)).values()].every((copy) => copy.password === encode(password));
  await until("all copies have the password", haveIt, PATIENCE);
  return {
    "rotation → the owner's Secret, s": source,
    "rotation → all copies, s": (Date.now() - start) / 1000,
  };
}

/** Kills the function for some seconds, in which `change` is made, and starts it again where it was. */
export async function killFunction({ rig }: Fleet, forMs: number, change: () => Promise<unknown>): Promise<void> {
  const { part, port } = rig.function;
  await part.stop("SIGKILL");
  await change();
  await sleep(forMs);
  rig.function = await startFunction(rig.directory, rig.authority, { port });
}
