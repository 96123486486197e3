import { runCommand } from "../tools/run-command.ts";
import { argsOf } from "./examples.ts";
import { type Targets, withFunctions } from "./functions-file.ts";
import { type Rendering, toFailure } from "./rendering.ts";

/** Renders an example with our own `render`, which calls functions other than ours at `targets`. */
export const renderEmbedded = (example: string, targets: Targets): Promise<Rendering> =>
  withFunctions(example, targets, async (functions) => {
    const args = argsOf(example, { requiredResources: "--required-resources", functions });
    const { exitCode, stdout, stderr } = await runCommand("render", args);
    return exitCode === 0 ? { is: "yaml", text: stdout } : toFailure(stderr);
  });
