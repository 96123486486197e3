import { setTimeout as sleep } from "node:timers/promises";
import { countCalls, type RunningFunction, withFunction } from "../rig/function.ts";
import { at } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { GROUP, install, type Kind, pluralOf, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";

/**
 * Fault 5: watches get lost (crossplane#5400), and an XR to which nothing happens is not reconciled any more. Its
 * function is its own, so that nobody else's calls are counted.
 */

const SILENT_FUNCTION = "function-silent";

const forgotten: Kind = {
  kind: "XForgotten",
  scope: "Legacy",
  functionName: SILENT_FUNCTION,
  input: { responseTTL: "0s" },
};

/** A scenario with the function whose calls it counts. */
const counting = (scenario: (rig: Rig, running: RunningFunction) => Promise<string>) => (rig: Rig) =>
  withFunction(rig, SILENT_FUNCTION, (running) => scenario(rig, running));

/** The time without events. */
const SILENCE_MS = 20_000;

export const withoutEvents: Suite = {
  name: "an XR to which nothing happens",
  scenarios: [
    { name: "without a TTL is not reconciled", run: counting(isNotReconciled) },
    { name: "with a TTL is", run: counting(isReconciled) },
  ],
};

async function isNotReconciled({ kubectl }: Rig, running: RunningFunction): Promise<string> {
  await install(kubectl, [forgotten]);
  await kubectl.apply({ apiVersion: VERSION, kind: forgotten.kind, metadata: { name: "one" }, spec: {} });
  const isReady = async () =>
    at(await kubectl.get(`${pluralOf(forgotten.kind)}.${GROUP}/one`), "status.conditions") !== undefined;
  await until("it was reconciled once", isReady, PATIENCE);
  // What its own creation still brings about, on a busy machine after seconds.
  await until("it is left alone", async () => (await callsIn(running, 10_000)) === 0, PATIENCE);
  const calls = await callsIn(running, SILENCE_MS);
  if (calls > 0) throw new Error(`Crossplane called ${calls} times: it looks after such XRs by itself now`);
  return `no call in ${SILENCE_MS / 1000} s`;
}

async function isReconciled({ kubectl }: Rig, running: RunningFunction): Promise<string> {
  await install(kubectl, [{ ...forgotten, input: { responseTTL: "2s" } }]);
  await until("the new Composition is used", async () => (await callsIn(running, 3000)) > 0, PATIENCE);
  const [before, start] = [countCalls(running), Date.now()];
  await until("it is called again and again", async () => countCalls(running) - before >= 5, PATIENCE);
  return `5 calls in ${((Date.now() - start) / 1000).toFixed()} s`;
}

async function callsIn(running: RunningFunction, milliseconds: number): Promise<number> {
  const before = countCalls(running);
  await sleep(milliseconds);
  return countCalls(running) - before;
}
