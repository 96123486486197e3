import { FunctionError } from "../src/errors.ts";
import { type Cluster, toCluster } from "./cluster/cluster.ts";
import { connect } from "./cluster/connection.ts";
import { ClusterError } from "./cluster/error.ts";
import { DEFAULT_RETRY } from "./cluster/retry.ts";
import type { Flag } from "./command.ts";
import type { CommandLine } from "./command-line.ts";
import type { Host } from "./host.ts";
import { toPrintable } from "./printable.ts";
import type { Explain } from "./run.ts";
import { toMilliseconds } from "./values.ts";

/** Exit codes of the commands that read a cluster: 1 is a finding, 2 means that there is no answer. */
export const EXIT = { fine: 0, found: 1, failed: 2 } as const;

/** The exit codes of these commands for failures. */
export const exitCodes = { usage: EXIT.failed, failed: EXIT.failed } as const;

/** Flags that choose a cluster. */
export const connectionFlags = [
  {
    name: "kubeconfig",
    value: "FILE",
    help: "The kubeconfig; by default KUBECONFIG, ~/.kube/config or the pod's service account.",
  },
  { name: "context", value: "NAME", help: "The kubeconfig's context; by default its current one." },
] as const satisfies readonly Flag[];

/** Flags that choose a cluster and limit repeated requests. */
export const clusterFlags = [
  ...connectionFlags,
  {
    name: "retry-for",
    value: "DURATION",
    default: "1m",
    help: "How long to repeat requests to an API server that answers 429 or 5xx or cannot be reached, with exponential backoff.",
  },
] as const satisfies readonly Flag[];

type ClusterFlagName = (typeof clusterFlags)[number]["name"];

export const DURATION = "a duration such as 30s, 5m or 1m30s";

/** The values of `clusterFlags`. */
export interface ClusterOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly retryForMs: number;
}

/** Reads `clusterFlags`; a value may be a fault, which `finish` throws. */
export const readClusterFlags = (line: CommandLine<ClusterFlagName>) => ({
  kubeconfig: line.optionalText("kubeconfig"),
  context: line.optionalText("context"),
  retryForMs: line.value("retry-for", toMilliseconds, DURATION),
});

/** Opens the chosen cluster; reports each wait on standard error. @throws {ClusterError} `NoCluster` */
export function openCluster(
  { kubeconfig, context, retryForMs }: ClusterOptions,
  host: Pick<Host, "printError" | "env">,
): Cluster {
  return toCluster(connect({ kubeconfig, context, env: host.env }), {
    retry: { ...DEFAULT_RETRY, forMs: retryForMs },
    onWait: ({ message }, waitMs) =>
      host.printError(`${toPrintable(message)}; again in ${(waitMs / 1000).toFixed(1)} s\n`),
  });
}

export const explainClusterError: Explain = (error) =>
  error instanceof FunctionError || error instanceof ClusterError ? error.message : undefined;

/** Makes a progress line on standard error, if that is a terminal. */
export function toProgressLine({ isInteractive, printError }: Pick<Host, "isInteractive" | "printError">) {
  const show = (text: string): void => {
    if (isInteractive) printError(`\r\u001b[K${text}`);
  };
  return { show, clear: () => show("") };
}
