import { clusterOf, EXIT, type Io, runProgram } from "../program.ts";
import { toCommands } from "./adopt.ts";
import type { Finding } from "./finding.ts";
import { findingsOf } from "./findings.ts";
import { type Flags, parseAuditFlags } from "./flags.ts";
import { help } from "./help.ts";
import { type Progress, readWorld } from "./read.ts";
import { summaryOf, toJson, toTable } from "./report.ts";
import type { World } from "./world.ts";

/**
 * `audit [flags]`: reads, and says what is wrong between XRs and what they compose.
 *
 * @returns The exit code: 0 where nothing is wrong, 1 where something is, 2 where that cannot be told.
 */
export const audit = (args: readonly string[], io: Io): Promise<number> =>
  runProgram("audit", io, async () => {
    const flags = parseAuditFlags(args);
    if (flags !== "help") return run(flags, io);
    io.out(help);
    return EXIT.fine;
  });

async function run(flags: Flags, io: Io): Promise<number> {
  const { progress, clear } = progressOn(io);
  const world = await readWorld(clusterOf(flags.cluster, io), progress).finally(clear);
  const all = findingsOf(world, { graceMs: flags.graceMs, now: Date.now() });
  const findings = all.filter((finding) => concerns(finding, flags.composites));

  const text = flags.adopt ? toCommands(findings, world) : toTable(findings);
  io.out(flags.output === "json" ? toJson(findings, world) : text);
  io.err(summaryOf(findings, world));
  return exitCodeOf(findings, world);
}

const concerns = ({ composite }: Finding, names: Flags["composites"]): boolean =>
  names.size === 0 || (composite !== undefined && names.has(composite.name));

/** What nobody composes, and RBAC keeps from us, leaves the answer what it is. */
function exitCodeOf(findings: readonly Finding[], { notLookedAt }: World): number {
  if (findings.length > 0) return EXIT.found;
  return notLookedAt.some(({ isComposed }) => isComposed) ? EXIT.failed : EXIT.fine;
}

/** One line that is written over; nothing where nobody watches. */
function progressOn({ err, isWatched }: Io): { readonly progress: Progress; clear(): void } {
  const write = (text: string): void => {
    if (isWatched) err(`\r\u001b[K${text}`);
  };
  return { progress: (what, done, of) => write(`reading ${what}: ${done} of ${of}`), clear: () => write("") };
}
