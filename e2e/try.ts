import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { obtainTools } from "../scripts/tools/build.ts";
import { findTool, type ToolName } from "../scripts/tools/catalogue.ts";
import { readPage, runBlock, standInForIdentity, standInForPackages } from "./quick-start.ts";
import { pathOf } from "./rig/kubectl.ts";
import { type Rig, startRig } from "./rig/rig.ts";

/**
 * `npm run try [-- --empty]`: a control plane with Crossplane, provider-kubernetes and the function on this machine, with the quick start
 * applied up to the grant, until Ctrl-C. With `--empty` nothing is applied.
 */

const { values } = parseArgs({ options: { empty: { type: "boolean", default: false } } });
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

const PROGRAMS: readonly ToolName[] = [
  "etcd",
  "kubectl",
  "kube-apiserver",
  "kube-controller-manager",
  "crossplane-core-v2.4",
  "provider-kubernetes",
  "function-patch-and-transform",
  "function-auto-ready",
];

const directory = mkdtempSync(join(tmpdir(), "try-"));
// After the parts, which end with this process as well: they write into it.
process.once("exit", () => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));

let rig: Rig | undefined;
let isEnding = false;
async function end(): Promise<void> {
  isEnding = true;
  say("\nending");
  await rig?.stop();
  process.exit(0);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => void end());

try {
  await build();
  say("starting etcd, a Kubernetes API server, Crossplane v2.4, provider-kubernetes and the functions: half a minute");
  rig = await startRig("v2.4", { directory });
  await standInForPackages(rig);
  if (!values.empty) await applyQuickStart(rig);
  lookAround(rig);
  throw new Error(await rig.crashed);
} catch (error) {
  // Parts that end fail each other's calls.
  if (!isEnding) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** Says first what it takes. @throws {Error} where a program cannot be built. */
async function build(): Promise<void> {
  const missing = PROGRAMS.filter((name) => findTool(name) === undefined);
  if (missing.length > 0) {
    say(`building ${missing.length} programs from their Go modules, once: ${missing.join(", ")}`);
    say("10 to 20 minutes on two cores; Ctrl-C ends it, and what is built stays built");
  }
  const problems = await obtainTools(PROGRAMS, say);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/** Runs the page's commands up to the grant, and shows them with what they print. */
async function applyQuickStart(running: Rig): Promise<void> {
  for (const [heading, blocks] of readPage()) {
    if (!/^[2-9]\. /.test(heading)) continue;
    say(`\n# ${heading}\n`);
    for (const block of blocks) {
      say(block.commands.trim().replaceAll(/^/gm, "$ "));
      say((await runBlock(block, running)).trim());
      await standInForIdentity(running);
    }
  }
}

function lookAround({ kubeconfig }: Rig): void {
  say(`
Now in another terminal:

  export KUBECONFIG=${kubeconfig} PATH=${dirname(pathOf("kubectl"))}:$PATH
  kubectl get ${values.empty ? "xrd" : "secret/database --namespace=checkout --output=yaml"}

docs/quick-start.md goes on from here${values.empty ? ' with "2. Permissions"' : ' with "Two XRs, one bucket"'}. Ctrl-C ends it, and nothing stays.`);
}
