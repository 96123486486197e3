import { obtainTools } from "../scripts/tools/build.ts";
import { HELP, type Plan, planOf } from "./plan.ts";
import type { Version } from "./rig/crossplane.ts";
import { startLoad } from "./rig/load.ts";
import { programsOf, type Rig, startRig } from "./rig/rig.ts";
import { rigFor, type Suite } from "./scenarios/scenario.ts";
import { FAILED, missingIn, readResults, withRun, writeResults } from "./seen.ts";
import { differingOn, suites } from "./suites.ts";

/** `npm run e2e`: runs the scenarios on a real control plane, one Crossplane after the other. Its flags are in plan.ts. */

const say = (line: string): boolean => process.stdout.write(`${line}\n`);

const { versions, suites: chosenSuites, cloud, rounds, isWhole, flags } = readPlan();

const programs = [
  ...versions.flatMap((version) => programsOf(rigFor(version, cloud))),
  ...chosenSuites.flatMap((suite) => suite.programs ?? []),
];
const problems = await obtainTools(programs, say);
if (problems.length > 0) throw new Error(problems.join("\n"));

// The parts end with this process.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

if (flags.load) startLoad();

let results = readResults();
let failed = 0;
const secondTries: string[] = [];
for (const version of versions) {
  for (let round = 1; round <= rounds; round++) {
    if (rounds > 1) say(`round ${round} of ${rounds}`);
    failed += (await tryOn(version)).length;
  }
}
if (flags.record) writeResults(results, suites);
for (const missing of isWhole ? missingIn(results, suites) : []) {
  failed++;
  say(`FAILED  docs/compatibility.md lacks ${missing}: npm run e2e -- --record && npm run generate`);
}
if (flags.retry) {
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
  const those = flags.differing ? differingOn(version) : suites;
  const failures = await runOn(
    version,
    chosenSuites.filter((suite) => those.includes(suite)),
  );
  const again = flags.retry ? failures.filter(({ isFinal }) => isFinal !== true) : [];
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
    const isFinal = flags.retry && suite.when === "last";
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
  if (flags.keep) await look(started);
  await started.stop();
  return failures;
}

/**
 * @returns the scenario that failed, and with what; undefined where all was seen. Scenarios after a failed one build on it and
 * are not run.
 */
async function runSuite({ name: suite, scenarios }: Suite, rig: Rig): Promise<string | undefined> {
  const said = new Map<string, string>();
  let fault: string | undefined;
  for (const { name, run } of scenarios.filter(({ isFor }) => isFor?.(rig.version) ?? true)) {
    try {
      const words = await Promise.race([run(rig), rig.crashed.then(throwing)]);
      said.set(name, words);
      say(`  ok      ${suite}: ${name}: ${words}`);
    } catch (error) {
      said.set(name, FAILED);
      fault = `${name}: ${String(error)}; logs are in ${rig.directory}`;
      say(`  FAILED  ${suite}: ${fault}`);
      break;
    }
  }
  // A suite may have no scenario for this Crossplane.
  if (said.size > 0)
    results = withRun(results, suite, rig.version, { said, day: new Date().toISOString().slice(0, 10) });
  return fault;
}

function throwing(message: string): never {
  throw new Error(message);
}

/** Until Ctrl-C. */
async function look({ kubeconfig }: Rig): Promise<void> {
  say(`\n  kubectl --kubeconfig ${kubeconfig} get managed,composite,claim -A\n\nCtrl-C ends it.`);
  await new Promise(() => setInterval(() => {}, 60_000));
}

/** Ends the process where help is asked for, or a flag is wrong. */
function readPlan(): Plan {
  try {
    const plan = planOf(process.argv.slice(2), suites);
    if (plan !== undefined) return plan;
    process.stdout.write(HELP);
    process.exit(0);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`cannot run: ${message}: see npm run e2e -- --help\n`);
    process.exit(2);
  }
}
