import { FunctionError } from "../../src/errors.ts";
import { didYouMean } from "../../src/model/did-you-mean.ts";
import {
  type ClusterOptions,
  DURATION,
  EXIT,
  explainClusterError,
  openCluster,
  readClusterFlags,
  toProgressLine,
} from "../cluster.ts";
import type { CommandLine } from "../command-line.ts";
import type { Host } from "../host.ts";
import { toRun } from "../run.ts";
import { toMilliseconds } from "../values.ts";
import { toCommands } from "./adopt.ts";
import { auditCommand } from "./command.ts";
import type { Finding } from "./finding.ts";
import { toFindings } from "./findings.ts";
import { readWorld } from "./read.ts";
import { toJson, toSummary, toTable } from "./report.ts";
import type { World } from "./world.ts";

/** `audit`: finds faults between XRs and the resources that they compose. */
export const run = toRun(auditCommand, (line, host) => audit(readOptions(line), host), explainClusterError);

interface Options extends ClusterOptions {
  readonly output: "table" | "json";
  /** Names of XRs; empty for all. */
  readonly composites: readonly string[];
  readonly graceMs: number;
  readonly isAdopt: boolean;
}

/** @throws {FunctionError} `InvalidFlags` */
function readOptions(line: CommandLine<(typeof auditCommand)["flags"][number]["name"]>): Options {
  line.expectNoMoreArguments();
  if (line.isOn("adopt") && line.isGiven("output")) line.addFault("--adopt prints commands: leave out --output");
  return line.finish({
    ...readClusterFlags(line),
    output: line.choice("output", ["table", "json"]),
    graceMs: line.value("grace", toMilliseconds, DURATION),
    composites: line.texts("composite"),
    isAdopt: line.isOn("adopt"),
  });
}

async function audit(options: Options, host: Host): Promise<number> {
  const { show, clear } = toProgressLine(host);
  const world = await readWorld(openCluster(options, host), (what, done, of) =>
    show(`reading ${what}: ${done} of ${of}`),
  ).finally(clear);
  assertExist(options.composites, world);
  const all = toFindings(world, { graceMs: options.graceMs, now: Date.now() });
  const findings = all.filter((finding) => concerns(finding, options.composites));

  const text = options.isAdopt ? toCommands(findings, world) : toTable(findings);
  host.print(options.output === "json" ? toJson(findings, world) : text);
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

/** Kinds that could not be read fail the audit only if somebody may compose them. */
function toExitCode(findings: readonly Finding[], { notLookedAt }: World): number {
  if (findings.length > 0) return EXIT.found;
  return notLookedAt.some(({ isComposed }) => isComposed) ? EXIT.failed : EXIT.fine;
}
