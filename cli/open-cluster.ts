import { type Cluster, DEFAULT_RETRY, toCluster } from "./cluster/cluster.ts";
import { connect } from "./cluster/connection.ts";
import type { ClusterFlags } from "./command.ts";
import type { Host } from "./host.ts";
import { toPrintable } from "./text.ts";

/** Opens the chosen cluster; reports each wait on standard error. @throws {ClusterError} `NoCluster` */
export function openCluster(
  { kubeconfig, context, retryFor }: ClusterFlags,
  host: Pick<Host, "printError" | "env">,
): Cluster {
  return toCluster(connect({ kubeconfig, context, env: host.env }), {
    retry: { ...DEFAULT_RETRY, forMs: retryFor },
    onWait: ({ message }, waitMs) =>
      host.printError(`${toPrintable(message)}; again in ${(waitMs / 1000).toFixed(1)} s\n`),
  });
}

/** Makes a progress line on standard error, if that is a terminal. */
export function toProgressLine({ isInteractive, printError }: Pick<Host, "isInteractive" | "printError">) {
  const show = (text: string): void => {
    if (isInteractive) printError(`\r\u001b[K${text}`);
  };
  return { show, clear: () => show("") };
}
