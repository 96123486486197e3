import type { Cluster } from "../cluster/cluster.ts";
import { discover, type ResourceKind } from "../cluster/discovery.ts";
import { ClusterError } from "../cluster/error.ts";
import { inParallel } from "../cluster/in-parallel.ts";
import { type ClusterOptions, EXIT, openCluster, toProgressLine } from "../cluster.ts";
import { PROGRAM } from "../command.ts";
import type { Host } from "../host.ts";
import type { Holding } from "../lookup/holding.ts";
import { listRegistered } from "../lookup/look-up.ts";
import { toCloudResources } from "../lookup/ownership.ts";
import { toPrintable } from "../printable.ts";
import { type Format, listText } from "./format.ts";
import { findManagedKinds, hasHolderIn } from "./kinds.ts";

export interface ListOptions extends ClusterOptions {
  /** Names of kinds; empty for all. */
  readonly names: readonly string[];
  readonly isContended: boolean;
  readonly namespace: string | undefined;
  readonly format: Format;
}

/** Prints all registered cloud resources, and what could not be listed. @returns the exit code. */
export async function listAll(options: ListOptions, host: Host): Promise<number> {
  const cluster = openCluster(options, host);
  const kinds = findManagedKinds(options.names, await discover(cluster));
  const progress = toProgress(kinds.length, host);
  const lists = await inParallel(kinds, (kind) => listOneKind(cluster, kind, progress));
  progress.clear();

  const resources = toCloudResources(lists.flatMap(({ holdings }) => holdings))
    .filter((resource) => hasHolderIn(resource, options.namespace))
    .filter(({ holdings }) => !options.isContended || holdings.length > 1);
  host.print(listText(resources, options.format));
  const errors = lists.flatMap(({ error }) => error?.message ?? []);
  for (const message of errors) host.printError(`${PROGRAM}: error: ${toPrintable(message)}\n`);
  return errors.length === 0 ? EXIT.fine : EXIT.failed;
}

interface KindList {
  readonly holdings: readonly Holding[];
  readonly error?: ClusterError;
}

/** Lists a kind. If RBAC or the API server refuses this kind, the others are still listed. */
async function listOneKind(cluster: Cluster, kind: ResourceKind, progress: Progress): Promise<KindList> {
  try {
    const holdings = await listRegistered(cluster, kind, progress.onPage);
    progress.onDone(holdings.length);
    return { holdings };
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    if (error.code === "NotFound") return { holdings: [] }; // its CRD was removed in between
    if (error.code === "Forbidden" || error.code === "Refused") return { holdings: [], error };
    throw error;
  }
}

type Progress = ReturnType<typeof toProgress>;

/** Shows the numbers of kinds and managed resources read so far. */
function toProgress(kinds: number, host: Host) {
  const { show, clear } = toProgressLine(host);
  let [doneKinds, doneObjects] = [0, 0];
  const onPage = (more: number): void =>
    show(`${doneKinds} of ${kinds} kinds, ${doneObjects + more} managed resources`);
  const onDone = (found: number): void => {
    doneKinds++;
    doneObjects += found;
    onPage(0);
  };
  return { onPage, onDone, clear };
}
