import { parseArgs } from "node:util";
import { obtainTools } from "../scripts/tools/build.ts";
import { toolsOf } from "../scripts/tools/catalogue.ts";
import { type Version, versions } from "./rig/crossplane.ts";
import { type Rig, startRig } from "./rig/rig.ts";
import type { Suite } from "./scenarios/scenario.ts";
import { suites } from "./suites.ts";

/**
 * `npm run e2e [-- --only=v2.4 --suite=sharing --keep]`: runs the scenarios on a real control plane, one Crossplane after
 * the other, a line for each with what was seen. With `--keep` the last control plane stays, and says how to look around.
 */

const { values } = parseArgs({
  options: { only: { type: "string" }, suite: { type: "string" }, keep: { type: "boolean", default: false } },
});
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

const chosenVersions = versions.filter((version) => values.only === undefined || version === values.only);
const chosenSuites = suites.filter(({ name }) => name.includes(values.suite ?? ""));
if (chosenVersions.length === 0)
  throw new Error(`cannot run on ${String(values.only)}: there is ${versions.join(", ")}`);
if (chosenSuites.length === 0) {
  const names = suites.map(({ name }) => `"${name}"`).join(", ");
  throw new Error(`cannot run suite ${String(values.suite)}: there is ${names}`);
}

const problems = await obtainTools([...toolsOf("e2e"), "crossplane-core-v2.3"], say);
if (problems.length > 0) throw new Error(problems.join("\n"));

let failed = 0;
for (const version of chosenVersions) failed += await runOn(version);
process.exitCode = failed === 0 ? 0 : 1;

/** @returns how many suites failed. */
async function runOn(version: Version): Promise<number> {
  const rig = await startRig(version);
  say(`Crossplane ${version} (${rig.directory})`);
  let failures = 0;
  for (const suite of chosenSuites) failures += (await runSuite(suite, rig)) ? 0 : 1;
  if (values.keep) await waitWith(rig);
  await rig.stop();
  return failures;
}

/** @returns whether all was seen; scenarios after a failed one build on it and are not run. */
async function runSuite({ name: suite, scenarios }: Suite, rig: Rig): Promise<boolean> {
  say(`  ${suite}`);
  for (const { name, run } of scenarios.filter(({ isFor }) => isFor?.(rig.version) ?? true)) {
    try {
      say(`    ok      ${name}: ${await run(rig)}`);
    } catch (error) {
      say(`    FAILED  ${name}: ${String(error)}; logs are in ${rig.directory}`);
      return false;
    }
  }
  return true;
}

async function waitWith({ kubeconfig }: Rig): Promise<void> {
  say(`\n  kubectl --kubeconfig ${kubeconfig} get managed,composite,claim -A\n\nCtrl-C ends it.`);
  await new Promise((resolve) => process.once("SIGINT", resolve));
}
