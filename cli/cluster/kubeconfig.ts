import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { type Cluster, KubeConfig } from "@kubernetes/client-node";
import { parse } from "yaml";
import { ClusterError } from "./error.ts";

export interface KubeconfigOptions {
  /** A kubeconfig; default: KUBECONFIG, ~/.kube/config or the pod's service account, as in kubectl. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A kubeconfig's content, as far as it is read here. */
interface Content {
  readonly clusters?: readonly object[] | null;
  readonly users?: readonly { readonly name?: string; readonly user?: RawUser | null }[] | null;
  readonly contexts?: readonly { readonly context?: object | null }[] | null;
  readonly "current-context"?: string | null;
}

/** A user, as far as the library (1.4) does not read it. */
interface RawUser {
  readonly tokenFile?: string;
  readonly "as-groups"?: readonly string[];
  readonly exec?: { readonly apiVersion?: string; readonly provideClusterInfo?: boolean } | null;
}

/** The user of a context that names none: without a user the library leaves out the cluster's CA. */
const NO_USER = "(none)";

/**
 * Reads the kubeconfigs as kubectl does: of entries with one name the first counts, and files of KUBECONFIG may be
 * missing. The library's own `loadFromDefault` refuses both.
 *
 * @returns the config, and the groups that the chosen user impersonates.
 * @throws {ClusterError} `NoCluster`
 */
export function loadKubeconfig({ kubeconfig, context, env }: KubeconfigOptions) {
  const usual = usualFiles(env);
  const files = kubeconfig ? [kubeconfig] : usual.filter((file) => existsSync(file));
  const config = new KubeConfig();
  if (files.length === 0) {
    if (env["KUBERNETES_SERVICE_HOST"] === undefined)
      throw noCluster(`there is no kubeconfig ${usual.join(", ")}`.trimEnd());
    config.loadFromCluster();
    return { config, groups: [] };
  }
  const contents = files.map((file) => readWith(file, () => readContent(file)));
  const users: NonNullable<Content["users"]> = [...contents.flatMap((one) => one.users ?? []), { name: NO_USER }];
  const merged = {
    clusters: contents.flatMap((one) => one.clusters ?? []),
    users: users.map(withTokenFile),
    contexts: contents
      .flatMap((one) => one.contexts ?? [])
      .map((one) => ({ ...one, context: { user: NO_USER, ...one.context } })),
    "current-context": context || contents.map((one) => one["current-context"]).find(Boolean),
  };
  if (!merged["current-context"]) throw noCluster(`${files.join(", ")}: there is no current-context`);
  readWith(files.join(", "), () => config.loadFromString(JSON.stringify(merged)));
  const name = config.getCurrentUser()?.name;
  const user = users.find((one) => one.name === name)?.user;
  informPlugin(config, user?.exec);
  return { config, groups: user?.["as-groups"] ?? [] };
}

function usualFiles({ KUBECONFIG, HOME, USERPROFILE }: KubeconfigOptions["env"]): readonly string[] {
  const listed = (KUBECONFIG ?? "").split(delimiter).filter(Boolean);
  const home = HOME ?? USERPROFILE;
  return listed.length > 0 || home === undefined ? listed : [join(home, ".kube", "config")];
}

function readWith<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    // Only the first line: the others of a YAML parser's message quote the file, which has credentials.
    const [reason = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    throw noCluster(reason.includes(file) ? reason : `${file}: ${reason}`);
  }
}

/** The fields with paths, which are relative to the kubeconfig. */
const PATHS = ["certificate-authority", "client-certificate", "client-key", "tokenFile"];

const readContent = (file: string): Content =>
  parse(readFileSync(file, "utf8"), (key, value: unknown) =>
    PATHS.includes(String(key)) && typeof value === "string" && value !== "" ? resolve(dirname(file), value) : value,
  ) ?? {};

/** Adds the auth provider without which the library (1.4) ignores a user's tokenFile. */
function withTokenFile({ name, user }: { readonly name?: string; readonly user?: RawUser | null }): object {
  const config = { tokenFile: user?.tokenFile };
  return { name, user: { ...user, ...(config.tokenFile && { "auth-provider": { name: "tokenFile", config } }) } };
}

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

function missing(what: string, name: string, all: readonly { readonly name: string }[]): string {
  const names = all.map((one) => one.name).filter((one) => one !== NO_USER);
  return `the kubeconfig has no ${what} ${JSON.stringify(name)}; it has ${names.join(", ") || "none"}`;
}

/** Sets KUBERNETES_EXEC_INFO for the user's plugin, as kubectl does and the library (1.4) does not. */
function informPlugin(config: KubeConfig, exec: RawUser["exec"]): void {
  const user = config.getCurrentUser();
  const cluster = config.getCurrentCluster();
  if (!exec || !user) return;
  const info = {
    apiVersion: exec.apiVersion ?? "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    spec: { interactive: false, ...(exec.provideClusterInfo === true && cluster && { cluster: toInfo(cluster) }) },
  };
  user.exec.env = [...(user.exec.env ?? []), { name: "KUBERNETES_EXEC_INFO", value: JSON.stringify(info) }];
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
