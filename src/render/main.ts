import { FunctionError } from "../errors.ts";
import { runFunction } from "../run-function.ts";
import { explain } from "./error.ts";
import { type Flags, parseFlags } from "./flags.ts";
import { help } from "./help.ts";
import { readInputs } from "./inputs.ts";
import { overTheWire } from "./protocol.ts";
import { render } from "./render.ts";

/** Where text goes: the process' own streams, or a test's. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

const PROGRAM = "function-shared-infrastructure";

/**
 * `function-shared-infrastructure render …`
 *
 * @returns The exit code, as `crossplane render` has it: 1 where the render failed, 80 where the flags are wrong.
 */
export async function main(args: readonly string[], io: Output): Promise<number> {
  try {
    const flags = parseFlags(args);
    io.out(flags === "help" ? help : renderFiles(flags));
    return 0;
  } catch (error) {
    const isUsage = error instanceof FunctionError && error.code === "InvalidFlags";
    io.err(`${PROGRAM}: error: ${explain(error)}\n`);
    if (isUsage) io.err(`Run "${PROGRAM} render --help" for the arguments and flags.\n`);
    return isUsage ? 80 : 1;
  }
}

function renderFiles(flags: Flags): string {
  const run = overTheWire((request) => runFunction(request).response);
  return render(readInputs(flags), run, flags);
}
