import { toCluster } from "../../cluster/cluster.ts";
import { connect } from "../../cluster/connection.ts";
import { ClusterError } from "../../cluster/error.ts";
import { FunctionError } from "../../errors.ts";
import { toCommands } from "./adopt.ts";
import type { Finding } from "./finding.ts";
import { findingsOf } from "./findings.ts";
import { type Flags, parseFlags } from "./flags.ts";
import { help } from "./help.ts";
import { type Progress, readWorld } from "./read.ts";
import { summaryOf, toJson, toTable } from "./report.ts";
import type { World } from "./world.ts";

/** Where text goes: the process' own streams, or a test's. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
  /** Whether somebody watches what goes to `err`. */
  readonly isTerminal: boolean;
}

/**
 * `function-shared-infrastructure audit …`
 *
 * @returns The exit code: 0 where nothing is wrong, 1 where something is, 2 where that cannot be told.
 */
export async function main(args: readonly string[], io: Output): Promise<number> {
  try {
    const flags = parseFlags(args);
    if (flags !== "help") return await audit(flags, io);
    io.out(help);
    return 0;
  } catch (error) {
    if (!(error instanceof FunctionError || error instanceof ClusterError)) throw error;
    io.err(`${error.message}\n`);
    if (error instanceof FunctionError) io.err('Run "function-shared-infrastructure audit --help" for the flags.\n');
    return 2;
  }
}

async function audit(flags: Flags, io: Output): Promise<number> {
  const { progress, clear } = progressOn(io);
  const onWait = (error: Error, waitMs: number): void =>
    io.err(`${error.message}; trying again in ${(waitMs / 1000).toFixed(1)} s\n`);
  const world = await readWorld(toCluster(connect(flags), { onWait }), progress).finally(clear);
  const all = findingsOf(world, { graceMs: flags.graceMs, now: Date.now() });
  const findings = all.filter((finding) => concerns(finding, flags.composites));

  const text = flags.adopt ? toCommands(findings, world) : toTable(findings);
  io.out(flags.output === "json" ? toJson(findings, world) : text);
  io.err(summaryOf(findings, world));
  for (const { message } of world.notLookedAt) io.err(`not looked at: ${message}\n`);
  return exitCodeOf(findings, world);
}

const concerns = ({ composite }: Finding, names: Flags["composites"]): boolean =>
  names.size === 0 || (composite !== undefined && names.has(composite.name));

/** What nobody composes, and RBAC keeps from us, leaves the answer what it is. */
function exitCodeOf(findings: readonly Finding[], { notLookedAt }: World): number {
  if (findings.length > 0) return 1;
  return notLookedAt.some(({ isComposed }) => isComposed) ? 2 : 0;
}

/** One line that is written over; nothing where nobody watches. */
function progressOn({ err, isTerminal }: Output): { readonly progress: Progress; clear(): void } {
  const write = (text: string): void => {
    if (isTerminal) err(`\r\u001b[K${text}`);
  };
  return { progress: (what, done, of) => write(`reading ${what}: ${done} of ${of}`), clear: () => write("") };
}
