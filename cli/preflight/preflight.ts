import { setTimeout as sleep } from "node:timers/promises";
import { documentOf, stringAt } from "../../src/model/document.ts";
import { withValueAt } from "../../src/model/field-path.ts";
import { discover, type ResourceKind } from "../cluster/discovery.ts";
import { findKind } from "../cluster/kinds.ts";
import { waitBefore } from "../cluster/retry.ts";
import { type ClusterOptions, DURATION, EXIT, explainClusterError, openCluster, readClusterFlags } from "../cluster.ts";
import type { CommandLine } from "../command-line.ts";
import type { Host } from "../host.ts";
import { toNamed } from "../lookup/declarations.ts";
import { readMappings } from "../mappings.ts";
import { toRun } from "../run.ts";
import { toMilliseconds } from "../values.ts";
import { preflightCommand } from "./command.ts";
import { type Findings, findConflicts, findWishes } from "./conflicts.ts";
import { type Manifest, readManifests } from "./manifests.ts";
import { type Output, outputs, toReport, toSummary } from "./report.ts";

/** `preflight`: compares manifests with what is owned in the cluster, and with each other. */
export const run = toRun(preflightCommand, (line, host) => preflight(readOptions(line), host), explainClusterError);

interface Options extends ClusterOptions {
  readonly paths: readonly string[];
  readonly mappings: readonly string[];
  readonly namespace: string | undefined;
  readonly output: Output;
  readonly waitMs: number;
  readonly allowContenders: boolean;
  readonly allowEmpty: boolean;
}

/** @throws {FunctionError} `InvalidFlags` */
const readOptions = (line: CommandLine<(typeof preflightCommand)["flags"][number]["name"]>): Options =>
  line.finish({
    ...readClusterFlags(line),
    paths: line.arguments.length === 0 ? ["-"] : line.arguments,
    mappings: line.texts("mapping"),
    namespace: line.optionalText("namespace"),
    output: line.choice("output", outputs),
    waitMs: line.value("wait", toMilliseconds, DURATION),
    allowContenders: line.isOn("allow-contenders"),
    allowEmpty: line.isOn("allow-empty"),
  });

async function preflight(options: Options, host: Host): Promise<number> {
  const mappings = readMappings(options.mappings);
  const found = await readManifests(options.paths, options, host);

  const cluster = openCluster(options, host);
  const kinds = await discover(cluster);
  const manifests = found.map((manifest) => withNamespace(manifest, kinds, options.namespace ?? cluster.namespace));
  const findings = await askWhileInConflict(options.waitMs, host, () =>
    findConflicts(cluster, kinds, findWishes(manifests, mappings, kinds), options),
  );
  host.print(toReport(findings, options.output));
  host.printError(toSummary(findings, manifests.length));
  return findings.conflicts.length === 0 ? EXIT.fine : EXIT.found;
}

/** Adds the namespace that rendered manifests of Helm and ArgoCD leave out. */
function withNamespace(manifest: Manifest, kinds: readonly ResourceKind[], namespace: string): Manifest {
  const named = toNamed(manifest.object);
  const kind = named && findKind(kinds, named);
  const own = stringAt(documentOf(manifest.object), ["metadata", "namespace"]);
  if (kind?.isNamespaced !== true || own !== undefined) return manifest;
  return { ...manifest, object: withValueAt(manifest.object, ["metadata", "namespace"], namespace) };
}

/** A hand-over takes two reconciles, a deletion possibly minutes. */
const BACKOFF = { firstMs: 1000, maxMs: 30_000 };

/** Asks again while there are conflicts and there is time. */
async function askWhileInConflict(forMs: number, host: Host, ask: () => Promise<Findings>): Promise<Findings> {
  const start = Date.now();
  for (let attempts = 1; ; attempts++) {
    const findings = await ask();
    const wait = waitBefore(attempts, Date.now() - start, undefined, { ...BACKOFF, forMs });
    if (findings.conflicts.length === 0 || wait === undefined) return findings;
    host.printError(`conflicts: ${findings.conflicts.length}; asking again in ${wait / 1000} s\n`);
    await sleep(wait);
  }
}
