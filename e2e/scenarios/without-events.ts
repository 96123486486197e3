import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { at } from "../rig/objects.ts";
import { until } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { GROUP, install, type Kind, pluralOf, VERSION } from "./definitions.ts";
import { PATIENCE, type Suite } from "./scenario.ts";

/**
 * Fault 5: watches get lost (crossplane#5400), and an XR to which nothing happens is not reconciled any more. It counts
 * all calls, so nothing else may go on meanwhile.
 */

const forgotten: Kind = { kind: "XForgotten", scope: "Legacy", input: { responseTTL: "0s" } };

/** The time without events. */
const SILENCE_MS = 20_000;

export const withoutEvents: Suite = {
  name: "an XR to which nothing happens",
  when: "before the others",
  scenarios: [
    { name: "without a TTL is not reconciled", run: isNotReconciled },
    { name: "with a TTL is", run: isReconciled },
  ],
};

async function isNotReconciled(rig: Rig): Promise<string> {
  const { kubectl } = rig;
  await install(kubectl, [forgotten]);
  await kubectl.apply({ apiVersion: VERSION, kind: forgotten.kind, metadata: { name: "one" }, spec: {} });
  const isReady = async () =>
    at(await kubectl.get(`${pluralOf(forgotten.kind)}.${GROUP}/one`), "status.conditions") !== undefined;
  await until("it was reconciled once", isReady, PATIENCE);
  await sleep(3000); // what its own creation still brings about
  const calls = await callsIn(rig, SILENCE_MS);
  if (calls > 0) throw new Error(`Crossplane called ${calls} times: it looks after such XRs by itself now`);
  return `no call in ${SILENCE_MS / 1000} s`;
}

async function isReconciled(rig: Rig): Promise<string> {
  await install(rig.kubectl, [{ ...forgotten, input: { responseTTL: "2s" } }]);
  await until("the new Composition is used", async () => (await callsIn(rig, 3000)) > 0, PATIENCE);
  const calls = await callsIn(rig, SILENCE_MS);
  if (calls < SILENCE_MS / 1000 / 4) throw new Error(`only ${calls} calls`);
  return `${calls} calls in ${SILENCE_MS / 1000} s`;
}

async function callsIn({ function: { part } }: Rig, milliseconds: number): Promise<number> {
  const calls = (): number => readFileSync(part.log, "utf8").split("ran function").length;
  const before = calls();
  await sleep(milliseconds);
  return calls() - before;
}
