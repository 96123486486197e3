import { type Cluster, DEFAULT_RETRY, toClient, toCluster } from "./cluster/cluster.ts";
import { connect } from "./cluster/connection.ts";
import type { ClusterFlags } from "./command.ts";
import type { Host } from "./host.ts";
import { toPrintable } from "./text.ts";

/** Opens the chosen cluster; reports each wait on standard error. @throws {ClusterError} */
export function openCluster({ kubeconfig, context, retryFor: forMs }: ClusterFlags, host: Host): Promise<Cluster> {
  const { env, printError } = host;
  const retry = { ...DEFAULT_RETRY, forMs };
  const onWait = ({ message }: Error, waitMs: number): void =>
    printError(`${toPrintable(message)}; asking again in ${(waitMs / 1000).toFixed(1)} s\n`);
  return toCluster(toClient(connect({ kubeconfig, context, env }), { retry, onWait }));
}
