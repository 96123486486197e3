import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { obtainTools } from "../scripts/tools/build.ts";
import { findTool } from "../scripts/tools/catalogue.ts";
import { useOwnKind } from "./newcomer.ts";
import { applyWithoutPackages, isStep, packages, readPage, runBlock, standInForIdentity } from "./quick-start.ts";
import { pathOf } from "./rig/kubectl.ts";
import { at } from "./rig/objects.ts";
import { otherFunctions } from "./rig/other-function.ts";
import { programsOf, providers, type Rig, type RigOptions, startRig } from "./rig/rig.ts";

/** `npm run try`: the control plane of the quick start on this machine. */

const say = (line: string): boolean => process.stdout.write(`${line}\n`);

/** The packages that the quick start installs. */
const options: RigOptions = {
  version: "v2.4",
  providers: providers.filter((name) => packages.includes(`Provider ${name}`)),
  functions: otherFunctions.filter((name) => packages.includes(`Function ${name}`)),
};
const programs = programsOf(options);

const HELP = `Usage: npm run try [-- FLAG]

Starts the control plane of docs/quick-start.md on this machine, as processes: no Docker, no nodes. Applies the page up
to the grant, says how to look around with kubectl, and runs until Ctrl-C. Then nothing stays but the programs, which
the first run builds from Go modules; that takes Go 1.26 or later.

  --empty     applies nothing: the page goes on with "2. Permissions"
  --check     ends by itself: with 0 once the page's team has its Secret and an XR of a new kind is Ready, else with 1
  -h, --help  prints this

Its programs: ${programs.join(", ")}, and the function.
`;

let rig: Rig | undefined;
let isEnding = false;
const values = readFlags();
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => void end());

await build();
const directory = mkdtempSync(join(tmpdir(), "try-"));
// After the parts, which end with this process as well: they write into it. Where something failed, their logs stay.
process.once("exit", (code) => code === 0 && rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));

say("starting the control plane: half a minute");
try {
  rig = await startRig({ ...options, directory });
  await Promise.race([use(rig), rig.crashed.then(throwing)]);
  if (values.check) await end();
  throw new Error(await rig.crashed);
} catch (error) {
  // Parts that end fail each other's calls.
  if (!isEnding) await fail(error);
}

function readFlags() {
  try {
    const { values } = parseArgs({
      options: {
        empty: { type: "boolean", default: false },
        check: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.empty && values.check) throw new Error("--check applies the quick start, and --empty does not");
    return values;
  } catch (error) {
    refuse(`cannot try: ${messageOf(error)}: see npm run try -- --help`);
  }
}

function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

/** Builds the programs that are missing, and says first what that takes. */
async function build(): Promise<void> {
  const missing = programs.filter((name) => findTool(name) === undefined);
  if (missing.length > 0) {
    say(`building ${missing.length} programs from their Go modules, once: ${missing.join(", ")}`);
    say("10 to 20 minutes on two cores; Ctrl-C ends it, and what is built stays built");
  }
  const problems = await obtainTools(programs, say);
  if (problems.length === 0) return;
  process.stderr.write(`${problems.join("\n")}\n`);
  process.exit(1);
}

async function use(running: Rig): Promise<void> {
  await applyWithoutPackages(running);
  if (!values.empty) await applyQuickStart(running);
  if (values.check) await check(running);
  else lookAround(running);
}

/** Runs the page's commands up to the grant, and shows them with what they print. */
async function applyQuickStart(running: Rig): Promise<void> {
  for (const [heading, blocks] of readPage()) {
    if (!isStep(heading)) continue;
    say(`\n# ${heading}\n`);
    for (const block of blocks) {
      say(block.commands.trim().replaceAll(/^/gm, "$ "));
      say((await runBlock(block, running)).trim());
      await standInForIdentity(running);
    }
  }
}

/** @throws {Error} where the team has no Secret, or a newcomer's own kind cannot be used. */
async function check(running: Rig): Promise<void> {
  const keys = Object.keys(Object(at(await running.kubectl.get("secret/database", "checkout"), "data"))).sort();
  if (keys.length === 0) throw new Error("the team has no Secret, or one without keys");
  say(`\nthe team has its Secret, with ${keys.join(", ")}`);
  await useOwnKind(running);
  say("a new kind of XR is Established, and an XR of it is Ready");
}

function lookAround({ kubeconfig }: Rig): void {
  say(`
Now in another terminal:

  export KUBECONFIG=${kubeconfig} PATH=${dirname(pathOf("kubectl"))}:$PATH
  kubectl get ${values.empty ? "xrd" : "secret/database --namespace=checkout --output=yaml"}

docs/quick-start.md goes on from here${values.empty ? ' with "2. Permissions"' : ' with "Two XRs, one bucket"'}. Ctrl-C ends it, and nothing stays.`);
}

async function end(): Promise<void> {
  isEnding = true;
  say("\nending");
  await rig?.stop();
  process.exit(0);
}

async function fail(error: unknown): Promise<void> {
  process.stderr.write(`FAILED: ${messageOf(error)}\nlogs are in ${directory}\n`);
  isEnding = true;
  await rig?.stop();
  process.exit(1);
}

function throwing(message: string): never {
  throw new Error(message);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
