import { setTimeout as sleep } from "node:timers/promises";
import { toReference } from "../../src/crossplane/references.ts";
import { documentOf } from "../../src/model/document.ts";
import { withValueAt } from "../../src/model/field-path.ts";
import { type Cluster, toBackoff } from "../cluster/cluster.ts";
import { findKind } from "../cluster/discovery.ts";
import { EXIT } from "../command.ts";
import { readMappings } from "../files.ts";
import type { Host } from "../host.ts";
import { openCluster } from "../open-cluster.ts";
import type { PreflightOptions } from "./command.ts";
import { type Findings, findConflicts, findWishes, toReport, toSummary } from "./conflicts.ts";
import { type Manifest, readManifests } from "./manifests.ts";

/** Compares manifests with what is owned in the cluster, and with each other. @returns the exit code. */
export async function preflight(paths: readonly string[], options: PreflightOptions, host: Host): Promise<number> {
  const mappings = readMappings(options.mapping);
  const found = await readManifests(paths, options.allowEmpty === true, host);

  const cluster = await openCluster(options, host);
  const manifests = found.map((manifest) => withNamespace(manifest, cluster, options.namespace ?? cluster.namespace));
  const wishes = findWishes(manifests, mappings, cluster);
  const findings = await askWhileInConflict(options.wait, host, () =>
    findConflicts(cluster, wishes, options.allowContenders === true),
  );
  host.print(toReport(findings, options.output));
  host.printError(toSummary(findings, manifests.length));
  return findings.conflicts.length === 0 ? EXIT.fine : EXIT.found;
}

/** Adds the namespace that rendered manifests of Helm and ArgoCD leave out. */
function withNamespace(manifest: Manifest, cluster: Cluster, namespace: string): Manifest {
  const reference = toReference(documentOf(manifest.object));
  if (findKind(cluster, reference)?.isNamespaced !== true || reference.namespace !== undefined) return manifest;
  return { ...manifest, object: withValueAt(manifest.object, ["metadata", "namespace"], namespace) };
}

/** Asks again while there are conflicts and there is time. A hand-over takes two reconciles, a deletion possibly minutes. */
async function askWhileInConflict(forMs: number, host: Host, ask: () => Promise<Findings>): Promise<Findings> {
  const nextWait = toBackoff({ forMs, firstMs: 1000, maxMs: 30_000 });
  for (;;) {
    const findings = await ask();
    const wait = nextWait();
    if (findings.conflicts.length === 0 || wait === undefined) return findings;
    host.printError(`conflicts: ${findings.conflicts.length}; asking again in ${wait / 1000} s\n`);
    await sleep(wait);
  }
}
