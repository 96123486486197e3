import { parseArgs } from "node:util";
import { type Cluster, toCluster } from "../cluster/cluster.ts";
import { connect } from "../cluster/connection.ts";
import { ClusterError } from "../cluster/error.ts";
import { DEFAULT_RETRY } from "../cluster/retry.ts";
import { toMilliseconds } from "../config/values.ts";
import { FunctionError } from "../errors.ts";

/** What a program has to do with the world: the process' own streams, or a test's. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person watches standard error. */
  readonly isWatched: boolean;
  readStdin(): Promise<string>;
}

/** What the programs end with. 1 is an answer, and 2 is that there is none. */
export const EXIT = { fine: 0, found: 1, failed: 2 } as const;

/** Runs a program; what it throws on purpose becomes a message and exit code 2. */
export async function runProgram(name: string, io: Io, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FunctionError || error instanceof ClusterError)) throw error;
    io.err(`${name}: ${error.message}\n`);
    if (error instanceof FunctionError && error.code === "InvalidFlags") io.err(`Run "${name} --help" for help.\n`);
    return EXIT.failed;
  }
}

type Options = Readonly<
  Record<string, { readonly type: "string" | "boolean"; readonly short?: string; readonly multiple?: boolean }>
>;

/** The flags that lead to a cluster, the same for each program. */
export const clusterFlags = {
  kubeconfig: { type: "string" },
  context: { type: "string" },
  "retry-for": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const satisfies Options;

export const clusterFlagsHelp = `      --kubeconfig=FILE        The kubeconfig. Default: KUBECONFIG, ~/.kube/config, or the pod's service account.
      --context=NAME           The kubeconfig's context. Default: its current one.
      --retry-for=DURATION     How long to go on asking an API server that answers 429 or 5xx, or cannot be reached,
                               with exponential backoff (default 1m).
  -h, --help                   Show this help.`;

/** @throws {FunctionError} `InvalidFlags` */
export function parseFlags<const T extends Options>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new FunctionError("InvalidFlags", `cannot use the command line: ${message}`, { cause });
  }
}

/** One of `values`; the first of them where nothing is given. @throws {FunctionError} `InvalidFlags` */
export function oneOf<T extends string>(flag: string, text: string | undefined, values: readonly [T, ...T[]]): T {
  const value = text === undefined ? values[0] : values.find((known) => known === text);
  if (value !== undefined) return value;
  throw invalidFlag(flag, `one of ${values.join(", ")}`, text);
}

/** A duration such as 90s or 5m, in milliseconds. @throws {FunctionError} `InvalidFlags` */
export function durationOf(flag: string, text: string | undefined, byDefault: number): number {
  const value = text === undefined ? byDefault : toMilliseconds(text);
  if (value !== undefined) return value;
  throw invalidFlag(flag, "a duration such as 30s, 5m or 1m30s", text);
}

export const invalidFlag = (flag: string, expected: string, found: string | undefined): FunctionError =>
  new FunctionError(
    "InvalidFlags",
    `cannot use the command line: --${flag}: ${expected}; found ${JSON.stringify(found ?? "")}`,
  );

export interface ClusterFlags {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly "retry-for"?: string | undefined;
}

/** The cluster that the flags lead to; each wait is told on standard error. @throws {ClusterError} `NoCluster` */
export function clusterOf(flags: ClusterFlags, io: Pick<Io, "err">): Cluster {
  const retry = { ...DEFAULT_RETRY, forMs: durationOf("retry-for", flags["retry-for"], DEFAULT_RETRY.forMs) };
  const { kubeconfig, context } = flags;
  return toCluster(connect({ kubeconfig, context }), {
    retry,
    onWait: ({ message }, waitMs) => io.err(`${message}; again in ${(waitMs / 1000).toFixed(1)} s\n`),
  });
}
