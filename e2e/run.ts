import { parseArgs } from "node:util";
import { obtainTools } from "../scripts/tools/build.ts";
import { toolsOf } from "../scripts/tools/catalogue.ts";
import { type Version, versions } from "./rig/crossplane.ts";
import { type Rig, startRig } from "./rig/rig.ts";
import type { Suite } from "./scenarios/scenario.ts";
import { missingIn, readSeen, type Seen, withSeen, writeSeen } from "./seen.ts";
import { suites } from "./suites.ts";

/**
 * `npm run e2e [-- --only=v2.4 --suite=sharing --retry --keep --record]`: runs the scenarios on a real control plane, one
 * Crossplane after the other, a line for each with what was seen. With `--retry` suites that failed are run once more, on a
 * new control plane: real processes on a busy machine. With `--keep` the last control plane stays, and says how to look
 * around. With `--record` the results go into the matrix of docs/compatibility.md (`npm run generate` writes it).
 */

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    suite: { type: "string", multiple: true },
    retry: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
});
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

const chosenVersions = versions.filter((version) => values.only === undefined || version === values.only);
const chosenSuites = suites.filter(({ name }) => values.suite?.some((part) => name.includes(part)) ?? true);
if (chosenVersions.length === 0)
  throw new Error(`cannot run on ${String(values.only)}: there is ${versions.join(", ")}`);
if (chosenSuites.length === 0) {
  const names = suites.map(({ name }) => `"${name}"`).join(", ");
  throw new Error(`cannot run suite ${String(values.suite)}: there is ${names}`);
}

const problems = await obtainTools([...toolsOf("e2e"), "crossplane-core-v2.3", "crossplane-v2.5", "crane"], say);
if (problems.length > 0) throw new Error(problems.join("\n"));

// The parts end with this process.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const isWhole = values.only === undefined && values.suite === undefined;
let seen: Seen = values.record && isWhole ? {} : readSeen();
let failed = 0;
for (const version of chosenVersions) {
  const again = await runOn(version, chosenSuites);
  failed += values.retry && again.length > 0 ? (await runOn(version, again)).length : again.length;
}
if (values.record) writeSeen(seen);
for (const missing of isWhole ? missingIn(seen) : []) {
  failed++;
  say(`FAILED  docs/compatibility.md lacks ${missing}: npm run e2e -- --record && npm run generate`);
}
process.exitCode = failed === 0 ? 0 : 1;

/** @returns the suites that failed. */
async function runOn(version: Version, those: readonly Suite[]): Promise<readonly Suite[]> {
  const rig = await startRig(version).catch((error: unknown) => {
    say(`FAILED  Crossplane ${version}: ${String(error)}`);
  });
  if (rig === undefined) return those;
  say(`Crossplane ${version} (${rig.directory})`);
  const failing = new Set<Suite>();
  const runOne = async (suite: Suite): Promise<void> => {
    if (!(await runSuite(suite, rig))) failing.add(suite);
  };
  for (const when of ["before the others", undefined, "after the others"]) {
    await Promise.all(those.filter((suite) => suite.when === when).map(runOne));
  }
  if (values.keep) await look(rig);
  await rig.stop();
  return those.filter((suite) => failing.has(suite));
}

/** @returns whether all was seen; scenarios after a failed one build on it and are not run. */
async function runSuite({ name: suite, scenarios }: Suite, rig: Rig): Promise<boolean> {
  for (const { name, run } of scenarios.filter(({ isFor }) => isFor?.(rig.version) ?? true)) {
    try {
      const words = await Promise.race([run(rig), rig.crashed.then(throwing)]);
      seen = withSeen(seen, suite, name, rig.version, words);
      say(`  ok      ${suite}: ${name}: ${words}`);
    } catch (error) {
      say(`  FAILED  ${suite}: ${name}: ${String(error)}; logs are in ${rig.directory}`);
      return false;
    }
  }
  return true;
}

function throwing(message: string): never {
  throw new Error(message);
}

/** Until Ctrl-C. */
async function look({ kubeconfig }: Rig): Promise<void> {
  say(`\n  kubectl --kubeconfig ${kubeconfig} get managed,composite,claim -A\n\nCtrl-C ends it.`);
  await new Promise(() => setInterval(() => {}, 60_000));
}
