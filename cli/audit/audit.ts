import { FunctionError } from "../../src/errors.ts";
import { didYouMean } from "../../src/model/did-you-mean.ts";
import { EXIT } from "../command.ts";
import type { Host } from "../host.ts";
import { openCluster, toProgressLine } from "../open-cluster.ts";
import { toCommands } from "./adopt.ts";
import type { AuditOptions } from "./command.ts";
import { toFindings } from "./findings.ts";
import { readWorld } from "./read.ts";
import { toJsonReport, toSummary, toTable } from "./report.ts";
import type { Finding, World } from "./world.ts";

/** Finds faults between XRs and the resources that they compose. @returns the exit code. */
export async function audit(
  { composite: names = [], grace: graceMs, ...options }: AuditOptions,
  host: Host,
): Promise<number> {
  const { show, clear } = toProgressLine(host);
  const world = await readWorld(openCluster(options, host), (what, done, of) =>
    show(`reading ${what}: ${done} of ${of}`),
  ).finally(clear);
  assertExist(names, world);
  const all = toFindings(world, { graceMs, now: Date.now() });
  const findings = all.filter((finding) => concerns(finding, names));

  const text = options.adopt ? toCommands(findings, world) : toTable(findings);
  host.print(options.output === "json" ? toJsonReport(findings, world) : text);
  host.printError(toSummary(findings, world));
  return toExitCode(findings, world);
}

/** Rejects names that no XR has: they are most likely misspelt, and the answer would be "nothing is wrong". */
function assertExist(names: readonly string[], { composites }: World): void {
  const existing = new Set(composites.map(({ name }) => name));
  const faults = names
    .filter((name) => !existing.has(name))
    .map((name) => `cannot find an XR named ${JSON.stringify(name)}${didYouMean(name, [...existing])}`);
  if (faults.length > 0) throw new FunctionError("InvalidFlags", faults.join("\n"));
}

const concerns = ({ composite }: Finding, names: readonly string[]): boolean =>
  names.length === 0 || (composite !== undefined && names.includes(composite.name));

/** Kinds that could not be read fail the audit only if an XR may compose them. */
function toExitCode(findings: readonly Finding[], { notLookedAt }: World): number {
  if (findings.length > 0) return EXIT.found;
  return notLookedAt.some(({ isComposed }) => isComposed) ? EXIT.failed : EXIT.fine;
}
