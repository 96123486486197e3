import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { type Cluster, KubeConfig, type User } from "@kubernetes/client-node";
import { parse } from "yaml";
import { ClusterError } from "./error.ts";

export interface KubeconfigOptions {
  /** A kubeconfig; default: KUBECONFIG, ~/.kube/config or the pod's service account, as in kubectl. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The user of a context without one: the library leaves out the cluster's CA without a user. */
const NO_USER: User = { name: "" };

/**
 * Reads the kubeconfigs as kubectl does: of entries with one name the first counts, and files of KUBECONFIG may be missing. The
 * library's own `loadFromDefault` refuses both.
 *
 * @throws {ClusterError} `NoCluster`
 */
export function loadKubeconfig({ kubeconfig, context, env }: KubeconfigOptions): KubeConfig {
  const files = kubeconfig ? [kubeconfig] : usualFiles(env).filter((file) => existsSync(file));
  const config = new KubeConfig();
  if (files.length === 0) {
    if (env["KUBERNETES_SERVICE_HOST"] === undefined) throw noCluster("there is no kubeconfig");
    config.loadFromCluster();
    return config;
  }
  const all = files.map(read);
  const currentContext = context || all.map((one) => one.getCurrentContext()).find(Boolean);
  if (!currentContext) throw noCluster(`${files.join(", ")}: there is no current-context`);
  config.loadFromOptions({
    clusters: all.flatMap((one) => one.getClusters()),
    users: [...all.flatMap((one) => one.getUsers()), NO_USER],
    contexts: all.flatMap((one) => one.getContexts()).map((one) => ({ ...one, user: one.user ?? NO_USER.name })),
    currentContext,
  });
  informPlugin(config);
  return config;
}

function usualFiles({ KUBECONFIG, HOME, USERPROFILE }: KubeconfigOptions["env"]): readonly string[] {
  const listed = (KUBECONFIG ?? "").split(delimiter).filter(Boolean);
  const home = HOME ?? USERPROFILE;
  return listed.length > 0 || home === undefined ? listed : [join(home, ".kube", "config")];
}

function read(file: string): KubeConfig {
  const config = new KubeConfig();
  try {
    config.loadFromFile(file);
    config.loadFromOptions({
      clusters: config.getClusters(),
      contexts: config.getContexts(),
      currentContext: config.getCurrentContext(),
      users: readUsers(config, file),
    });
    return config;
  } catch (cause) {
    // Only the first line: the others of a YAML parser's message quote the file, which has credentials.
    const [reason = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    throw noCluster(reason.includes(file) ? reason : `${file}: ${reason}`);
  }
}

/** A user as a kubeconfig has it, as far as the library (1.4) does not read it. */
interface RawUser {
  readonly tokenFile?: string;
  readonly "as-groups"?: readonly string[];
}

interface CompleteUser extends User {
  readonly groups?: readonly string[];
}

/** Adds to users the file of their token, whose path is relative to the kubeconfig, and the groups that they impersonate. */
function readUsers(config: KubeConfig, file: string): readonly CompleteUser[] {
  const raw = parse(readFileSync(file, "utf8")) as {
    readonly users?: readonly { readonly name: string; readonly user?: RawUser | null }[] | null;
  };
  return config.getUsers().map((user) => {
    const { tokenFile, "as-groups": groups } = raw.users?.find(({ name }) => name === user.name)?.user ?? {};
    const rotated = tokenFile && { tokenFile: resolve(dirname(file), tokenFile) };
    return {
      ...user,
      ...(rotated && { authProvider: { name: "tokenFile", config: rotated } }),
      ...(groups && { groups }),
    };
  });
}

/** The groups that the chosen user impersonates. */
export const readGroups = (config: KubeConfig): readonly string[] =>
  (config.getCurrentUser() as CompleteUser | null)?.groups ?? [];

/** The chosen API server, and the namespace of the context. @throws {ClusterError} `NoCluster` where the context lacks a part. */
export function readTarget(config: KubeConfig) {
  const name = config.getCurrentContext();
  const context = config.getContextObject(name);
  if (context === null) throw noCluster(missing("context", name, config.getContexts()));
  const cluster = config.getCluster(context.cluster);
  if (cluster === null) throw noCluster(missing("cluster", context.cluster, config.getClusters()));
  if (!URL.canParse(cluster.server)) throw noCluster(`cluster ${JSON.stringify(cluster.name)} has no valid server`);
  const user = config.getUser(context.user);
  if (context.user && user === null) throw noCluster(missing("user", context.user, config.getUsers()));
  const { server, proxyUrl } = cluster;
  return { server: server.replace(/\/+$/, ""), proxyUrl, namespace: context.namespace?.trim() || "default" };
}

const missing = (what: string, name: string, all: readonly { readonly name: string }[]): string =>
  `no ${what} ${JSON.stringify(name)}; there is ${all.map((one) => one.name).join(", ")}`;

interface Exec {
  readonly apiVersion?: string;
  readonly provideClusterInfo?: boolean;
  env?: readonly { readonly name: string; readonly value: string }[] | null;
}

/** Tells the user's plugin what kubectl would, in KUBERNETES_EXEC_INFO; the library (1.4) tells it nothing. */
function informPlugin(config: KubeConfig): void {
  const exec = config.getCurrentUser()?.exec as Exec | null | undefined;
  if (!exec) return;
  const cluster = config.getCurrentCluster();
  const info = {
    apiVersion: exec.apiVersion ?? "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    spec: { interactive: false, ...(exec.provideClusterInfo === true && cluster && { cluster: toInfo(cluster) }) },
  };
  exec.env = [...(exec.env ?? []), { name: "KUBERNETES_EXEC_INFO", value: JSON.stringify(info) }];
}

const toInfo = ({ server, caData, tlsServerName, skipTLSVerify, proxyUrl }: Cluster): object => ({
  server,
  ...(caData && { "certificate-authority-data": caData }),
  ...(tlsServerName && { "tls-server-name": tlsServerName }),
  ...(skipTLSVerify && { "insecure-skip-tls-verify": true }),
  ...(proxyUrl && { "proxy-url": proxyUrl }),
});

const noCluster = (reason: string): ClusterError =>
  new ClusterError(
    "NoCluster",
    `cannot find a cluster: ${reason}; give --kubeconfig, set KUBECONFIG, or run in a pod with a service account`,
  );
