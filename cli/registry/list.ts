import type { Cluster } from "../cluster/cluster.ts";
import { discover, type ResourceKind } from "../cluster/discovery.ts";
import { ClusterError } from "../cluster/error.ts";
import { inParallel } from "../cluster/list.ts";
import { EXIT, PROGRAM } from "../command.ts";
import type { Host } from "../host.ts";
import type { Holding } from "../lookup/holding.ts";
import { listRegistered } from "../lookup/look-up.ts";
import { toCloudResources } from "../lookup/ownership.ts";
import { openCluster, toProgressLine } from "../open-cluster.ts";
import { toPrintable } from "../text.ts";
import type { ListFlags } from "./command.ts";
import { listText } from "./format.ts";
import { findManagedKinds, hasHolderIn } from "./who-owns.ts";

/** Prints all registered cloud resources, and what could not be listed. @returns the exit code. */
export async function listAll(names: readonly string[], flags: ListFlags, host: Host): Promise<number> {
  const cluster = openCluster(flags, host);
  const kinds = findManagedKinds(names, await discover(cluster));
  const { show, clear } = toProgressLine(host);
  const lists = await inParallel(kinds, (kind) => listOneKind(cluster, kind), {
    onDone: (done) => show(`${done} of ${kinds.length} kinds`),
  });
  clear();

  const resources = toCloudResources(lists.flatMap(({ holdings }) => holdings))
    .filter((resource) => hasHolderIn(resource, flags.namespace))
    .filter(({ holdings }) => flags.contended !== true || holdings.length > 1);
  host.print(listText(resources, flags.output));
  const errors = lists.flatMap(({ error }) => error?.message ?? []);
  for (const message of errors) host.printError(`${PROGRAM}: error: ${toPrintable(message)}\n`);
  return errors.length === 0 ? EXIT.fine : EXIT.failed;
}

interface KindList {
  readonly holdings: readonly Holding[];
  readonly error?: ClusterError;
}

/** Lists a kind. If RBAC or the API server refuses this kind, the others are still listed. */
async function listOneKind(cluster: Cluster, kind: ResourceKind): Promise<KindList> {
  try {
    return { holdings: await listRegistered(cluster, kind) };
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    if (error.code === "NotFound") return { holdings: [] }; // its CRD was removed in between
    if (error.code === "Forbidden" || error.code === "Refused") return { holdings: [], error };
    throw error;
  }
}
