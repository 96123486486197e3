import { parseArgs } from "node:util";
import { obtainTools } from "../scripts/tools/build.ts";
import { toolsOf } from "../scripts/tools/catalogue.ts";
import { type Version, versions } from "./rig/crossplane.ts";
import { type Rig, startRig } from "./rig/rig.ts";
import { shareConnectionSecret } from "./scenarios/share-connection-secret.ts";

/**
 * `npm run e2e [-- --only=v2.4 --keep]`: runs the scenarios on a real control plane, one Crossplane after the other, a line
 * for each with what was seen. With `--keep` the last control plane stays, and says how to look around.
 */

const { values } = parseArgs({ options: { only: { type: "string" }, keep: { type: "boolean", default: false } } });
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

const chosen = versions.filter((version) => values.only === undefined || version === values.only);
if (chosen.length === 0) throw new Error(`cannot run on ${String(values.only)}: there is ${versions.join(", ")}`);

const problems = await obtainTools([...toolsOf("e2e"), "crossplane-core-v2.3"], say);
if (problems.length > 0) throw new Error(problems.join("\n"));

let failed = 0;
for (const version of chosen) failed += await runOn(version);
process.exitCode = failed === 0 ? 0 : 1;

/** @returns how many scenarios failed; those after a failed one build on it and are not run. */
async function runOn(version: Version): Promise<number> {
  const rig = await startRig(version);
  say(`Crossplane ${version} (${rig.directory})`);
  let hasFailed = false;
  for (const { name, run } of shareConnectionSecret.filter(({ isFor }) => isFor?.(version) ?? true)) {
    try {
      say(`  ok      ${name}: ${await run(rig)}`);
    } catch (error) {
      hasFailed = true;
      say(`  FAILED  ${name}: ${String(error)}; logs are in ${rig.directory}`);
      break;
    }
  }
  if (values.keep) await waitWith(rig);
  await rig.stop();
  return hasFailed ? 1 : 0;
}

async function waitWith({ kubeconfig }: Rig): Promise<void> {
  say(`\n  kubectl --kubeconfig ${kubeconfig} get managed,composite,claim -A\n\nCtrl-C ends it.`);
  await new Promise((resolve) => process.once("SIGINT", resolve));
}
