import { type Cluster, DEFAULT_RETRY, toClient, toCluster } from "./cluster/cluster.ts";
import { connect } from "./cluster/connection.ts";
import type { ClusterFlags } from "./command.ts";
import type { Host } from "./host.ts";
import { toPrintable } from "./text.ts";

/** Opens the chosen cluster; reports each wait on standard error. @throws {ClusterError} */
export const openCluster = (
  { kubeconfig, context, retryFor }: ClusterFlags,
  { env, printError }: Pick<Host, "printError" | "env">,
): Promise<Cluster> =>
  toCluster(
    toClient(connect({ kubeconfig, context, env }), {
      retry: { ...DEFAULT_RETRY, forMs: retryFor },
      onWait: ({ message }, waitMs) =>
        printError(`${toPrintable(message)}; again in ${(waitMs / 1000).toFixed(1)} s\n`),
    }),
  );
