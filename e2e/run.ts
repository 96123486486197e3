import { parseArgs } from "node:util";
import { obtainTools } from "../scripts/tools/build.ts";
import { type Version, versions } from "./rig/crossplane.ts";
import { startLoad } from "./rig/load.ts";
import { programsOf, type Rig, startRig } from "./rig/rig.ts";
import { type Cloud, cloudNames, rigFor, type Suite } from "./scenarios/scenario.ts";
import { missingIn, readSeen, type Seen, withoutExpected, withSeen, writeSeen } from "./seen.ts";
import { differingOn, suites } from "./suites.ts";

/**
 * `npm run e2e [-- --only=v2.4 --suite=sharing --retry --repeat=20 --load --keep --record]`: runs the scenarios on a real
 * control plane, one Crossplane after the other, a line for each with what was seen.
 *
 * - `--retry`: suites that failed are run once more, on a new control plane; what looks at the whole control plane in the end looks
 *   at the same one. The last lines name them and what they failed with: a second try hides a race as well as a busy machine.
 * - `--repeat=N`: everything N times in a row, each on a new control plane.
 * - `--load`: keeps every core busy meanwhile.
 * - `--differing`: on older Crossplanes only what they do differently, as CI runs it.
 * - `--cloud=AWS`: the suites on a real AWS provider, in place of the others.
 * - `--keep`: the last control plane stays, and says how to look around.
 * - `--record`: what was seen goes into the matrix of docs/compatibility.md (`npm run generate` writes it).
 */

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    suite: { type: "string", multiple: true },
    retry: { type: "boolean", default: false },
    repeat: { type: "string", default: "1" },
    load: { type: "boolean", default: false },
    differing: { type: "boolean", default: false },
    cloud: { type: "string", default: "Kubernetes" },
    keep: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
});
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

const chosenVersions = versions.filter((version) => values.only === undefined || version === values.only);
const cloud = toCloud(values.cloud);
const chosenSuites = suites
  .filter((suite) => (suite.cloud ?? "Kubernetes") === cloud)
  .filter(({ name, isByHand }) => values.suite?.some((part) => name.includes(part)) ?? isByHand !== true);
if (chosenVersions.length === 0)
  throw new Error(`cannot run on ${String(values.only)}: there is ${versions.join(", ")}`);
if (chosenSuites.length === 0) {
  const names = suites.map(({ name }) => `"${name}"`).join(", ");
  throw new Error(`cannot run suite ${String(values.suite)}: there is ${names}`);
}

const rounds = Number(values.repeat);
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error(`cannot repeat ${values.repeat} times`);

const programs = [
  ...chosenVersions.flatMap((version) => programsOf(rigFor(version, cloud))),
  ...chosenSuites.flatMap((suite) => suite.programs ?? []),
];
const problems = await obtainTools(programs, say);
if (problems.length > 0) throw new Error(problems.join("\n"));

// The parts end with this process.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

if (values.load) startLoad();

const isWhole = values.only === undefined && values.suite === undefined && cloud === "Kubernetes";
let seen: Seen = values.record && isWhole && !values.differing ? withoutExpected(readSeen()) : readSeen();
let failed = 0;
const secondTries: string[] = [];
for (const version of chosenVersions) {
  for (let round = 1; round <= rounds; round++) {
    if (rounds > 1) say(`round ${round} of ${rounds}`);
    failed += (await tryOn(version)).length;
  }
}
if (values.record) writeSeen(seen);
for (const missing of isWhole ? missingIn(seen) : []) {
  failed++;
  say(`FAILED  docs/compatibility.md lacks ${missing}: npm run e2e -- --record && npm run generate`);
}
if (values.retry) {
  say(secondTries.length === 0 ? "no suite needed a second try" : "needed a second try, which is a finding:");
  for (const fault of secondTries) say(`  ${fault}`);
}
// A scenario that failed may have left a process behind, for which Node.js would wait.
process.exit(failed === 0 ? 0 : 1);

interface Failure {
  readonly suite: Suite;
  /** The scenario that failed, and with what. */
  readonly fault: string;
  /** True where it has had its second try. */
  readonly isFinal?: boolean;
}

/** @returns the suites that failed, in their second try where there is one. */
async function tryOn(version: Version): Promise<readonly Failure[]> {
  const those = values.differing ? differingOn(version) : suites;
  const failures = await runOn(
    version,
    chosenSuites.filter((suite) => those.includes(suite)),
  );
  const again = values.retry ? failures.filter(({ isFinal }) => isFinal !== true) : [];
  if (again.length === 0) return failures;
  noteSecondTry(version, again);
  const second = await runOn(
    version,
    again.map(({ suite }) => suite),
  );
  return [...failures.filter((failure) => !again.includes(failure)), ...second];
}

function noteSecondTry(version: Version, failures: readonly Failure[]): void {
  secondTries.push(...failures.map(({ suite, fault }) => `Crossplane ${version}: ${suite.name}: ${fault}`));
}

function toCloud(name: string): Cloud {
  const cloud = cloudNames.find((known) => known === name);
  if (cloud === undefined) throw new Error(`cannot run on ${name}: there is ${cloudNames.join(", ")}`);
  return cloud;
}

/** Runs the suites on a new control plane. */
async function runOn(version: Version, those: readonly Suite[]): Promise<readonly Failure[]> {
  const started = await startRig(rigFor(version, cloud)).catch(String);
  if (typeof started === "string") {
    say(`FAILED  Crossplane ${version}: ${started}`);
    return those.map((suite) => ({ suite, fault: started }));
  }
  say(`Crossplane ${version} with ${cloud} (${started.directory})`);
  const failures: Failure[] = [];
  const seconds: string[] = [];
  const runOne = async (suite: Suite): Promise<void> => {
    const start = performance.now();
    const isFinal = values.retry && suite.when === "last";
    let fault = await runSuite(suite, started);
    if (fault !== undefined && isFinal) {
      noteSecondTry(version, [{ suite, fault }]);
      fault = await runSuite(suite, started);
    }
    if (fault !== undefined) failures.push({ suite, fault, isFinal });
    seconds.push(`${((performance.now() - start) / 1000).toFixed()} ${suite.name}`);
  };
  const runAll = (when: Suite["when"]) => Promise.all(those.filter((suite) => suite.when === when).map(runOne));
  const besideAll = runAll("beside all");
  await runAll(undefined);
  await runAll("after the others");
  await besideAll;
  await runAll("last");
  say(`  seconds: ${seconds.join(", ")}`);
  if (values.keep) await look(started);
  await started.stop();
  return failures;
}

/**
 * @returns the scenario that failed, and with what; undefined where all was seen. Scenarios after a failed one build on it and
 * are not run.
 */
async function runSuite({ name: suite, scenarios }: Suite, rig: Rig): Promise<string | undefined> {
  for (const { name, run } of scenarios.filter(({ isFor }) => isFor?.(rig.version) ?? true)) {
    try {
      const words = await Promise.race([run(rig), rig.crashed.then(throwing)]);
      seen = withSeen(seen, suite, name, rig.version, words);
      say(`  ok      ${suite}: ${name}: ${words}`);
    } catch (error) {
      const fault = `${name}: ${String(error)}; logs are in ${rig.directory}`;
      say(`  FAILED  ${suite}: ${fault}`);
      return fault;
    }
  }
  return undefined;
}

function throwing(message: string): never {
  throw new Error(message);
}

/** Until Ctrl-C. */
async function look({ kubeconfig }: Rig): Promise<void> {
  say(`\n  kubectl --kubeconfig ${kubeconfig} get managed,composite,claim -A\n\nCtrl-C ends it.`);
  await new Promise(() => setInterval(() => {}, 60_000));
}
