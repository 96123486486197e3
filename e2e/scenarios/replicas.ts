import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../testing/servers/free-port.ts";
import { type Dns, startDns } from "../rig/dns.ts";
import { countCalls, type RunningFunction, registerFunction, startFunction } from "../rig/function.ts";
import { conditionOf } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { install, pluralOf, seeker, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";

/** Several replicas behind one name, as a headless Service has it: to which of them Crossplane's client goes. */

const FUNCTION = "function-replicated";

const replicated = seeker("XReplicated", FUNCTION);

const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h"];
const SECONDS = 10;

interface Replicas {
  readonly dns: Dns;
  readonly start: (number: number) => Promise<RunningFunction>;
  readonly running: readonly RunningFunction[];
}

const replicas = new WeakMap<Rig, Replicas>();

export const severalReplicas: Suite = {
  name: "several replicas",
  scenarios: [
    { name: "calls are spread over those that DNS names", run: areSpread },
    { name: "one that is added gets its share once a connection ends", run: isAdded },
  ],
};

async function areSpread(rig: Rig): Promise<string> {
  const { kubectl, directory, authority } = rig;
  const port = await freePort();
  const start = (number: number) =>
    startFunction(directory, authority, {
      name: FUNCTION,
      part: `${FUNCTION}-${number}`,
      host: `127.0.0.${number}`,
      port,
    });
  const running = [await start(1), await start(2)];
  const dns = await startDns(["127.0.0.1", "127.0.0.2"]);
  replicas.set(rig, { dns, start, running });
  await registerFunction(kubectl, `dns://127.0.0.1:${dns.port}/${FUNCTION}:${port}`, FUNCTION);
  await install(kubectl, [replicated]);
  for (const name of NAMES) {
    await kubectl.apply({ apiVersion: VERSION, kind: replicated.kind, metadata: { name }, spec: {} });
  }
  const areAnswered = async () => (await shown(rig, "SharedResourcesReady")).every((status) => status === "False");
  await until("all are answered", areAnswered, PATIENCE);
  const calls = await callsTo(running);
  if (Math.min(...calls) * 2 < Math.max(...calls)) throw new Error(`${calls.join(" and ")} calls`);
  return `${calls.join(" and ")} calls in ${SECONDS} s`;
}

async function isAdded(rig: Rig): Promise<string> {
  const { dns, start, running } = replicas.get(rig) ?? missing();
  const third = await start(3);
  dns.addresses = ["127.0.0.2", "127.0.0.3"];
  const [before] = await callsTo([third]);
  await running[0]?.part.stop();
  const [after = 0] = await callsTo([third]);
  const synced = await shown(rig, "Synced");
  if (after === 0 || !synced.every((status) => status === "True")) throw new Error(`${after} calls; ${synced.join()}`);
  for (const { part } of [...running.slice(1), third]) await part.stop();
  dns.stop();
  return `${before} calls in ${SECONDS} s before, ${after} after; all XRs are synced`;
}

/** A condition's status on each of the XRs. */
async function shown({ kubectl }: Rig, type: string): Promise<readonly (string | undefined)[]> {
  const all = await kubectl.list(pluralOf(replicated.kind));
  return all.map((xr) => conditionOf(xr, type)?.status);
}

/** Counts the calls of each replica in some seconds. */
async function callsTo(running: readonly RunningFunction[]): Promise<readonly number[]> {
  const count = () => running.map(countCalls);
  const before = count();
  await sleep(SECONDS * 1000);
  return count().map((calls, index) => calls - (before[index] ?? 0));
}

function missing(): never {
  throw new Error("there are no replicas");
}
