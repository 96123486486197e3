import { formatReference } from "../../src/crossplane/references.ts";
import { FunctionError } from "../../src/errors.ts";
import { didYouMean } from "../../src/model/did-you-mean.ts";
import { EXIT } from "../command.ts";
import type { Host } from "../host.ts";
import { openCluster } from "../open-cluster.ts";
import { alignColumns, toJson, toPrintable } from "../text.ts";
import { toCommands } from "./adopt.ts";
import type { AuditOptions } from "./command.ts";
import { toFindings, toFindingsBeforeRemoval } from "./findings.ts";
import { readWorld } from "./read.ts";
import { findRestored } from "./restored.ts";
import type { Finding, World } from "./world.ts";

/** Finds faults between XRs and the resources that they compose. @returns the exit code. */
export async function audit(
  { composite: names = [], grace: graceMs, ...options }: AuditOptions,
  host: Host,
): Promise<number> {
  const cluster = await openCluster(options, host);
  const world = await readWorld(cluster);
  assertExist(names, world);
  const found = options.beforeRemoval
    ? toFindingsBeforeRemoval(world)
    : toFindings(world, { graceMs, now: Date.now() });
  const all = options.restore ? await findRestored(cluster, world) : found;
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

const HEADER = ["FINDING", "XR", "RESOURCE", "AS", "WHAT IT MEANS"];

/** Writes the findings for people, each on a line; empty if there are none. */
export function toTable(findings: readonly Finding[]): string {
  if (findings.length === 0) return "";
  const rows = findings.map(({ is, composite, resource, compositionResourceName, message, command }) => [
    is,
    composite === undefined ? "-" : formatReference(composite),
    formatReference(resource),
    compositionResourceName ?? "-",
    command === undefined ? message : `${message}: ${command}`,
  ]);
  return alignColumns([HEADER, ...rows], "  ");
}

/** Writes the findings for scripts. */
function toJsonReport(findings: readonly Finding[], world: World): string {
  const { kinds, composites, labelled, notLookedAt } = world;
  const looked = { kinds, composites: composites.length, resources: labelled.size };
  return toJson({ findings, looked, notLookedAt });
}

/** Summarises what was found, in how many objects, and what could not be looked at. */
function toSummary(findings: readonly Finding[], world: World): string {
  const { kinds, composites, labelled, notLookedAt } = world;
  const found = findings.length === 0 ? "nothing is wrong" : `${findings.length} findings`;
  const missing = notLookedAt.filter(({ isComposed }) => isComposed).map(({ message }) => `not looked at: ${message}`);
  const others = notLookedAt.length - missing.length;
  const lines = [
    `${found}: looked at ${composites.length} XRs and ${labelled.size} resources of ${kinds} kinds`,
    ...missing,
  ];
  if (others > 0) lines.push(`not looked at: ${others} kinds that no XR refers to; --output=json says which and why`);
  return lines.map((line) => `${toPrintable(line)}\n`).join("");
}
