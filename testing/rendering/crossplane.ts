import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathOf } from "../../scripts/package/run.ts";
import { findTool, type ToolName } from "../../scripts/tools/catalogue.ts";
import { runCommand } from "../tools/run-command.ts";
import { run } from "../tools/server-tools.ts";
import { argsOf, type Dialect, fileOf } from "./examples.ts";
import { inOrder, type Rendering, toFailure } from "./rendering.ts";

/** The generations of the function protocol that are in use, as their CLIs speak it. */
export type Generation = "v1.20" | "v2.2" | "v2.5";

interface Cli {
  readonly name: ToolName;
  /** The Crossplane that does the rendering, where the CLI does not itself. */
  readonly engine?: ToolName;
  readonly command: readonly string[];
  readonly requiredResources: Dialect["requiredResources"];
}

const v2 = { requiredResources: "--required-resources" } as const;
const clis: Readonly<Record<Generation, Cli>> = {
  "v1.20": { name: "crossplane-v1.20", command: ["render"], requiredResources: "--extra-resources" },
  "v2.2": { name: "crossplane-v2.2", command: ["render"], ...v2 },
  "v2.5": { name: "crossplane-v2.5", engine: "crossplane-core-v2.3", command: ["composition", "render"], ...v2 },
};

export const generations = Object.keys(clis) as Generation[];

/** Tells whether the programs that a generation takes are built. What is missing is said by testing/tools/tools-setup.ts. */
export function isBuilt(generation: Generation): boolean {
  const { name, engine = name } = clis[generation];
  return [name, engine].every((tool) => findTool(tool) !== undefined);
}

/** Renders an example with a real CLI, against functions that listen at `targets` (host:port, by the Function's name). */
export async function renderWith(generation: Generation, example: string, targets: Targets): Promise<Rendering> {
  const { name, engine, command, requiredResources } = clis[generation];
  return withFunctions(example, targets, async (functions) => {
    const args = argsOf(example, { requiredResources, functions });
    const flags = engine === undefined ? [] : [`--crossplane-binary=${pathOf(engine)}`];
    const { exitCode, stdout, stderr } = await run(pathOf(name), [...command, ...args, ...flags]);
    return exitCode === 0 ? { is: "yaml", text: inOrder(stdout) } : toFailure(stderr);
  });
}

/** Renders an example with our own `render`, which calls functions other than ours at `targets`. */
export const renderEmbedded = (example: string, targets: Targets): Promise<Rendering> =>
  withFunctions(example, targets, async (functions) => {
    const args = argsOf(example, { requiredResources: "--required-resources", functions });
    const { exitCode, stdout, stderr } = await runCommand("render", args);
    return exitCode === 0 ? { is: "yaml", text: stdout } : toFailure(stderr);
  });

/** Where functions listen, as host:port, by the Function's name. */
type Targets = Readonly<Record<string, string>>;

/** Does the work with a copy of the example's functions file that names the targets: v1.20 has no flag for it. */
async function withFunctions<T>(example: string, targets: Targets, work: (file: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "render-"));
  try {
    return await work(writeFunctions(example, targets, directory));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function writeFunctions(example: string, targets: Targets, directory: string): string {
  const file = join(directory, "functions.yaml");
  const text = readFileSync(fileOf(example, "functions.yaml"), "utf8");
  const documents = text.split("---\n").map((document) => {
    const target = targets[/^ {2}name: (.*)$/m.exec(document)?.[1] ?? ""] ?? "";
    return document.replace(/(runtime-development-target:) .*/, `$1 ${target}`);
  });
  writeFileSync(file, documents.join("---\n"));
  return file;
}
