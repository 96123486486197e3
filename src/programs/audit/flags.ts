import { FunctionError } from "../../errors.ts";
import { type ClusterFlags, clusterFlags, durationOf, oneOf, parseFlags } from "../program.ts";

/** The command line of `audit`. */
export interface Flags {
  readonly cluster: ClusterFlags;
  readonly output: "table" | "json";
  /** Names of XRs; empty for all. */
  readonly composites: ReadonlySet<string>;
  readonly graceMs: number;
  readonly adopt: boolean;
}

const options = {
  ...clusterFlags,
  adopt: { type: "boolean" },
  composite: { type: "string", multiple: true },
  grace: { type: "string" },
  output: { type: "string", short: "o" },
} as const;

const GRACE_MS = 120_000;

/**
 * @returns The flags, or `"help"` where help is asked for.
 * @throws {FunctionError} `InvalidFlags`
 */
export function parseAuditFlags(args: readonly string[]): Flags | "help" {
  const { values, positionals } = parseFlags(args, options);
  if (values.help) return "help";
  const { adopt = false, composite = [] } = values;
  if (positionals.length > 0) throw invalid(`unexpected argument ${positionals.join(" ")}`);
  if (adopt && values.output !== undefined) throw invalid("--adopt prints commands: leave out --output");
  return {
    cluster: values,
    output: oneOf("output", values.output, ["table", "json"]),
    graceMs: durationOf("grace", values.grace, GRACE_MS),
    composites: new Set(composite),
    adopt,
  };
}

const invalid = (what: string): FunctionError =>
  new FunctionError("InvalidFlags", `cannot use the command line: ${what}`);
