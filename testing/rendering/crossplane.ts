import { execFile } from "node:child_process";
import { findTool, type ToolName } from "../../scripts/tools/catalogue.ts";
import { argsOf, type Dialect } from "./examples.ts";
import { type Targets, withFunctions } from "./functions-file.ts";
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

const clis: Readonly<Record<Generation, Cli>> = {
  "v1.20": { name: "crossplane-v1.20", command: ["render"], requiredResources: "--extra-resources" },
  "v2.2": { name: "crossplane-v2.2", command: ["render"], requiredResources: "--required-resources" },
  "v2.5": {
    name: "crossplane-v2.5",
    engine: "crossplane-core-v2.3",
    command: ["composition", "render"],
    requiredResources: "--required-resources",
  },
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
  return withFunctions(example, targets, (functions) => {
    const args = argsOf(example, { requiredResources, functions });
    const flags = engine === undefined ? [] : [`--crossplane-binary=${pathOf(engine)}`];
    return run(pathOf(name), [...command, ...args, ...flags]);
  });
}

function pathOf(name: ToolName): string {
  const path = findTool(name);
  if (path === undefined) throw new Error(`cannot find ${name}: run "npm run tools"`);
  return path;
}

const run = (command: string, args: readonly string[]): Promise<Rendering> =>
  new Promise((resolve) => {
    execFile(command, args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve(error === null ? { is: "yaml", text: inOrder(stdout) } : toFailure(stderr)),
    );
  });
