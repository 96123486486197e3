import { parseArgs } from "node:util";
import { FunctionError } from "../../errors.ts";

/** The command line of `audit`. */
export interface Flags {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly output: "table" | "json";
  /** Names of XRs; empty for all. */
  readonly composites: ReadonlySet<string>;
  readonly graceMs: number;
  readonly adopt: boolean;
}

const options = {
  adopt: { type: "boolean", default: false },
  composite: { type: "string", multiple: true },
  context: { type: "string" },
  grace: { type: "string", default: "2m" },
  help: { type: "boolean", short: "h", default: false },
  kubeconfig: { type: "string" },
  output: { type: "string", short: "o", default: "table" },
} as const;

/**
 * @returns The flags, or `"help"` where help is asked for.
 * @throws {FunctionError} `InvalidFlags`, with all that is wrong.
 */
export function parseFlags(args: readonly string[]): Flags | "help" {
  const values = parse(args);
  if (values.help) return "help";
  const { output, grace, adopt, kubeconfig, context } = values;
  const graceMs = toMilliseconds(grace);
  const isOutput = output === "table" || output === "json";
  const faults = [
    ...(isOutput ? [] : [`--output: not one of table, json: ${output}`]),
    ...(graceMs === undefined ? [`--grace: not a duration: ${grace} (for example 30s, 2m)`] : []),
    ...(adopt && output === "json" ? ["--adopt prints commands: leave out --output"] : []),
  ];
  if (!isOutput || graceMs === undefined || faults.length > 0)
    throw new FunctionError("InvalidFlags", `cannot use the flags: ${faults.join("; ")}`);
  return { kubeconfig, context, output, adopt, graceMs, composites: new Set(values.composite ?? []) };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new FunctionError("InvalidFlags", `cannot use the flags: ${message}`, { cause });
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

function toMilliseconds(text: string): number | undefined {
  const [, number, unit = ""] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * (UNITS[unit] ?? 0);
}
