import { formatReference } from "../../src/crossplane/references.ts";
import { FunctionError } from "../../src/errors.ts";
import { didYouMean } from "../../src/model/did-you-mean.ts";
import { EXIT } from "../command.ts";
import type { Host } from "../host.ts";
import { openCluster } from "../open-cluster.ts";
import { alignColumns, toJson, toPrintable } from "../text.ts";
import { toCommands } from "./adopt.ts";
import { findHeldBack, findRestored } from "./cloud-resources.ts";
import type { AuditOptions } from "./command.ts";
import { toFindings } from "./findings.ts";
import { readWorld } from "./read.ts";
import { compareFindings, type Finding, type World } from "./world.ts";

/** Finds faults between XRs and the resources that they compose. @returns the exit code. */
export async function audit(
  { composite: names = [], grace: graceMs, ...options }: AuditOptions,
  host: Host,
): Promise<number> {
  const cluster = await openCluster(options, host);
  const world = await readWorld(cluster);
  assertExist(names, world);
  const found = options.restore
    ? await findRestored(cluster, world)
    : options.beforeRemoval
      ? findHeldBack(world)
      : toFindings(world, { graceMs, now: Date.now() });
  const findings = found
    .filter(({ composite }) => names.length === 0 || (composite !== undefined && names.includes(composite.name)))
    .sort(compareFindings);

  const { kinds, composites, labelled, notLookedAt } = world;
  const looked = { kinds, composites: composites.length, resources: labelled.size };
  const text = options.adopt ? toCommands(findings, world) : toTable(findings);
  host.print(options.output === "json" ? toJson({ findings, looked, notLookedAt }) : text);
  host.printError(toSummary(findings, world));
  if (findings.length > 0) return EXIT.found;
  // Kinds that could not be read fail the audit only if an XR may compose them.
  return notLookedAt.some(({ isComposed }) => isComposed) ? EXIT.failed : EXIT.fine;
}

/** Rejects names that no XR has: they are most likely misspelt, and the answer would be "nothing is wrong". */
function assertExist(names: readonly string[], { composites }: World): void {
  const existing = new Set(composites.map(({ name }) => name));
  const faults = names
    .filter((name) => !existing.has(name))
    .map((name) => `cannot find an XR named ${JSON.stringify(name)}${didYouMean(name, [...existing])}`);
  if (faults.length > 0) throw new FunctionError("InvalidFlags", faults.join("\n"));
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

/** Summarises what was found, in how many objects, and what could not be looked at. */
function toSummary(findings: readonly Finding[], { kinds, composites, labelled, notLookedAt }: World): string {
  const found = findings.length === 0 ? "nothing is wrong" : `${findings.length} findings`;
  const missing = notLookedAt.filter(({ isComposed }) => isComposed).map(({ message }) => `not looked at: ${message}`);
  const others = notLookedAt.length - missing.length;
  const looked = `looked at ${composites.length} XRs and ${labelled.size} resources of ${kinds} kinds`;
  const lines = [`${found}: ${looked}`, ...missing];
  if (others > 0) lines.push(`not looked at: ${others} kinds that no XR refers to; --output=json says which and why`);
  return lines.map((line) => `${toPrintable(line)}\n`).join("");
}
