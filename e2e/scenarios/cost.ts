import { setTimeout as sleep } from "node:timers/promises";
import { type RunningFunction, withFunction } from "../rig/function.ts";
import { at, conditionOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { compositionOf, definitionOf, GROUP, install, ours, pluralOf, seeker, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";
import { namespaceOf } from "./source.ts";
import { CLOUD, object } from "./tagged.ts";

/** The function's cost for a control plane: calls for each reconcile, and reconciles for each change. Figures: docs/operations.md. */

/** Functions of their own, whose calls are counted: no other suite's XRs may go there. */
const STEADY_FUNCTION = "function-steady";
const SHARERS_FUNCTION = "function-sharers";
/** The XRs of one cloud resource, all created at once. */
const SHARERS = Number(process.env["E2E_SHARERS"] ?? 20);
/** Fewer tell nothing: a reconcile may be under way at either end. A loaded machine takes its time for them. */
const STEADY_RECONCILES = 8;

const steady = seeker("XSteady", STEADY_FUNCTION);

/** XRs of one kind that all declare one ConfigMap; nothing but events wakes them for ten minutes. */
const SHARER = "XSharer";
const sharer = {
  definition: definitionOf({ kind: SHARER, spec: { team: { type: "string" }, resource: { type: "string" } } }),
  composition: compositionOf(SHARER, [
    object({}),
    ours(
      "tag",
      { responseTTL: "10m", tags: { add: [{ key: "team", value: { fromCompositeFieldPath: "spec.team" } }] } },
      SHARERS_FUNCTION,
    ),
  ]),
};

export const steadyCost: Suite = {
  name: "what a steady XR costs",
  scenarios: [
    {
      name: "one call a steady reconcile on v2.4, two before",
      run: (rig) => counting(rig, STEADY_FUNCTION, steadyReconcile),
    },
  ],
};

export const sharedCost: Suite = {
  name: "what a cloud resource of many XRs costs",
  isByHand: true,
  scenarios: [
    {
      name: "twenty XRs on one cloud resource open no circuit, and one succeeds its owner",
      run: (rig) => counting(rig, SHARERS_FUNCTION, oneOfManyChanges),
      // Before, Crossplane does not watch what a function requires: a change of one wakes nobody.
      isFor: (version) => version === "v2.4",
    },
  ],
};

/** Reads the counts of an XR's kind. */
type ReadCounts = (kind: string) => Promise<Counts>;

/** Runs a scenario with a function whose calls it can count. */
const counting = (rig: Rig, name: string, scenario: (rig: Rig, read: ReadCounts) => Promise<string>): Promise<string> =>
  withFunction(rig, name, (running) => scenario(rig, (kind) => countsOf(rig, running, kind)));

async function steadyReconcile({ kubectl, version }: Rig, read: ReadCounts): Promise<string> {
  await install(kubectl, [steady]);
  const target = `${pluralOf(steady.kind)}.${GROUP}`;
  await kubectl.apply({ apiVersion: VERSION, kind: steady.kind, metadata: { name: "one" }, spec: {} });
  const reason = async () => conditionOf(await kubectl.get(`${target}/one`), "SharedResourcesReady")?.reason;
  await until("the XR is answered", async () => (await reason()) === "NotFound", PATIENCE);
  await sleep(3000);
  const before = await read(steady.kind);
  const since = async () => difference(await read(steady.kind), before);
  await until(
    "it is reconciled again and again",
    async () => (await since()).reconciles >= STEADY_RECONCILES,
    PATIENCE,
  );
  const { calls, reconciles } = await since();
  await kubectl.run("delete", `${target}/one`, "--wait=false");
  const expected = version === "v2.4" ? 1 : 2;
  if (Math.abs(calls - expected * reconciles) > expected) {
    throw new Error(`${calls} calls in ${reconciles} reconciles, and not ${expected} in each`);
  }
  return `${calls} calls in ${reconciles} reconciles`;
}

async function oneOfManyChanges(rig: Rig, read: ReadCounts): Promise<string> {
  const { kubectl } = rig;
  await kubectl.apply(namespaceOf(CLOUD), sharer.definition);
  await kubectl.established(`xrd/${sharer.definition.metadata.name}`);
  await kubectl.apply(sharer.composition);
  const xrs = Array.from({ length: SHARERS }, (_, index) => ({
    apiVersion: VERSION,
    kind: SHARER,
    metadata: { name: `sharer-${index}` },
    spec: { team: `team-${index}`, resource: "shared-by-many" },
  }));
  const none = await read(SHARER);
  await kubectl.apply({ apiVersion: "v1", kind: "List", items: xrs });
  await until("one owns it, and the others observe", () => isSettled(rig, SHARERS), {
    timeoutMs: 60_000 + SHARERS * 12_000,
  });
  const created = difference(await quiet(read), none);

  const before = await read(SHARER);
  const owner = (await kubectl.list(pluralOf(SHARER))).find((xr) => conditionOf(xr, "TagsOwned")?.reason === "Owned");
  await kubectl.patch(`${pluralOf(SHARER)}/${at(owner, "metadata.name")}`, { spec: { team: "changed" } });
  const team = async () => at(await kubectl.get("configmap/shared-by-many", CLOUD), "metadata.labels.team");
  await until("its tag is there", async () => (await team()) === "changed", PATIENCE);
  const woken = difference(await quiet(read), before);

  const start = Date.now();
  await kubectl.run("delete", `${pluralOf(SHARER)}/${at(owner, "metadata.name")}`, "--wait=false");
  await until("another owns it", () => isSettled(rig, SHARERS - 1), { timeoutMs: 60_000 + SHARERS * 12_000 });
  const seconds = ((Date.now() - start) / 1000).toFixed(0);
  const opened = await openCircuits(rig);
  await kubectl.run("delete", pluralOf(SHARER), "--all", "--wait=false");
  if (opened.length > 0) throw new Error(`open circuits: ${opened.join("; ")}`);
  const words = ({ calls, reconciles }: Counts): string => `${reconciles} reconciles and ${calls} calls`;
  return `${SHARERS} XRs: ${words(created)} until one owned it; ${words(woken)} for the change; handed over after ${seconds} s; no circuit open`;
}

async function isSettled({ kubectl }: Rig, xrs: number): Promise<boolean> {
  const reasons = (await kubectl.list(pluralOf(SHARER))).map((xr) => conditionOf(xr, "TagsOwned")?.reason);
  const count = (reason: string): number => reasons.filter((one) => one === reason).length;
  return count("Owned") === 1 && count("ObservedOnly") === xrs - 1;
}

/** The XRs whose circuit is open, each with the resource that opened it. */
async function openCircuits({ kubectl }: Rig): Promise<readonly string[]> {
  return (await kubectl.list(pluralOf(SHARER))).flatMap((xr) => {
    const { status, message = "" } = conditionOf(xr, "Responsive") ?? {};
    return status === "False" ? [`${at(xr, "metadata.name")}: ${message}`] : [];
  });
}

interface Counts {
  readonly calls: number;
  readonly reconciles: number;
}

const difference = (after: Counts, before: Counts): Counts => ({
  calls: after.calls - before.calls,
  reconciles: after.reconciles - before.reconciles,
});

/** The counts once nothing has been reconciled for five seconds, or after half a minute. */
async function quiet(read: ReadCounts): Promise<Counts> {
  let last = await read(SHARER);
  for (let waited = 0; waited < 30; waited += 5) {
    await sleep(5000);
    const now = await read(SHARER);
    if (now.reconciles === last.reconciles) return now;
    last = now;
  }
  return last;
}

async function countsOf({ crossplane }: Rig, running: RunningFunction, kind: string): Promise<Counts> {
  const controller = `controller="composite/${pluralOf(kind)}.${GROUP}"`;
  return {
    calls: await sumOf(running.metrics, "grpc_server_handled_total", 'grpc_method="RunFunction"'),
    reconciles: await sumOf(crossplane.metrics, "controller_runtime_reconcile_total", controller),
  };
}

/** Sums what a metric counts under a label. */
export async function sumOf(metrics: string, name: string, label: string): Promise<number> {
  const lines = (await (await fetch(metrics)).text()).split("\n");
  const counted = lines.filter((line) => line.startsWith(`${name}{`) && line.includes(label));
  return counted.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
