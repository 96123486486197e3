import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import { ClusterError } from "./error.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A kubeconfig's context with what it names: the API server, and who asks it. */
export interface Target {
  readonly server: string;
  readonly namespace: string;
  /** `http:` or `https:`. */
  readonly proxy?: URL;
  readonly tls: Tls;
  readonly user: User;
}

interface Tls {
  readonly ca?: Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: false;
}

/** A user's credentials. Of several sources of a token, the first that is set counts. */
export interface User {
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly exec?: Exec;
  /** Read for each request: kubelet rotates it. */
  readonly tokenFile?: string;
  readonly token?: string;
  /** `name:password` */
  readonly basic?: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/** A program that prints an ExecCredential. */
export interface Exec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly apiVersion: string;
  /** The cluster's data for the program, if `provideClusterInfo` is set. */
  readonly cluster?: JsonObject;
  readonly hint: string | undefined;
}

const POD = "/var/run/secrets/kubernetes.io/serviceaccount";

export interface TargetOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly env: Environment;
}

/**
 * Finds the cluster as kubectl does: the file that is named, those of KUBECONFIG, ~/.kube/config, or the pod's service account. Of
 * entries with one name the first counts.
 *
 * @throws {ClusterError} `NoCluster`
 */
export function findTarget({ kubeconfig, context, env }: TargetOptions): Target {
  const files = kubeconfig === undefined ? usualFiles(env).filter((file) => existsSync(file)) : [kubeconfig];
  if (files.length === 0) return readPodTarget(env);
  const configs = files.map(read);
  const current = context ?? configs.map(({ json }) => text(json, "current-context")).find(Boolean);
  if (current === undefined) throw noCluster(`${files.join(", ")}: there is no current-context`);
  const found = pick(configs, "contexts", "context", current);
  const cluster = pick(configs, "clusters", "cluster", text(found.entry, "cluster") ?? "");
  const user = text(found.entry, "user");
  return {
    ...toServer(cluster),
    namespace: text(found.entry, "namespace") ?? "default",
    user: user === undefined ? { headers: {} } : toUser(pick(configs, "users", "user", user), cluster.entry),
  };
}

function usualFiles(env: Environment): readonly string[] {
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
  if (listed.length > 0) return listed;
  const home = env["HOME"] ?? env["USERPROFILE"];
  return home === undefined ? [] : [join(home, ".kube", "config")];
}

function readPodTarget({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" }: Environment): Target {
  if (host === undefined || !existsSync(`${POD}/token`)) throw noCluster("there is no kubeconfig");
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    namespace: readFileSync(`${POD}/namespace`, "utf8").trim(),
    tls: { ca: readFileSync(`${POD}/ca.crt`) },
    user: { tokenFile: `${POD}/token`, headers: {} },
  };
}

/** A kubeconfig, and where it lies: its paths are relative to it. */
interface Config {
  readonly file: string;
  readonly json: JsonObject;
}

interface Entry {
  readonly file: string;
  readonly entry: JsonObject;
}

function read(file: string): Config {
  try {
    const json: unknown = parse(readFileSync(file, "utf8"));
    if (isObject(json)) return { file, json };
  } catch (cause) {
    throw noCluster(cause instanceof Error ? cause.message : String(cause), cause);
  }
  throw noCluster(`${file} is no kubeconfig`);
}

/** @throws {ClusterError} which lists the names that there are. */
function pick(configs: readonly Config[], list: string, key: string, name: string): Entry {
  const all = configs.flatMap(({ file, json }) =>
    (Array.isArray(json[list]) ? json[list] : []).filter(isObject).map((item) => ({ file, item })),
  );
  const found = all.find(({ item }) => item["name"] === name);
  const entry = found?.item[key];
  if (found === undefined || !isObject(entry)) {
    const names = all.map(({ item }) => text(item, "name"));
    throw noCluster(`no ${key} ${JSON.stringify(name)}; there is ${names.join(", ")}`);
  }
  return { file: found.file, entry };
}

function toServer({ file, entry }: Entry): Pick<Target, "server" | "proxy" | "tls"> {
  const server = text(entry, "server");
  if (server === undefined || !URL.canParse(server)) throw noCluster(`${file}: a cluster without a valid server`);
  const proxy = text(entry, "proxy-url");
  if (proxy !== undefined && !/^https?:/.test(proxy)) {
    throw noCluster(
      `${file}: proxy-url ${proxy.split(":")[0]}: is not supported: use one of http: or https:, or kubectl proxy`,
    );
  }
  const ca = bytes(file, entry, "certificate-authority");
  const servername = text(entry, "tls-server-name");
  return {
    server: server.replace(/\/+$/, ""),
    ...(proxy !== undefined && { proxy: new URL(proxy) }),
    tls: {
      ...(ca && { ca }),
      ...(servername !== undefined && { servername }),
      ...(entry["insecure-skip-tls-verify"] === true && { rejectUnauthorized: false }),
    },
  };
}

function toUser({ file, entry }: Entry, cluster: JsonObject): User {
  if (entry["auth-provider"] !== undefined) {
    throw noCluster(`${file}: Kubernetes 1.26 removed auth-provider: use a plugin under exec`);
  }
  const [cert, key] = [bytes(file, entry, "client-certificate"), bytes(file, entry, "client-key")];
  const tokenFile = text(entry, "tokenFile");
  const [token, username] = [text(entry, "token"), text(entry, "username")];
  const [as, groups] = [text(entry, "as"), texts(entry["as-groups"])];
  return {
    ...(cert && { cert }),
    ...(key && { key }),
    ...(isObject(entry["exec"]) && { exec: toExec(file, entry["exec"], cluster) }),
    ...(tokenFile !== undefined && { tokenFile: beside(file, tokenFile) }),
    ...(token !== undefined && { token }),
    ...(username !== undefined && { basic: `${username}:${text(entry, "password") ?? ""}` }),
    headers: {
      ...(as !== undefined && { "impersonate-user": as }),
      ...(groups.length > 0 && { "impersonate-group": groups }),
    },
  };
}

function toExec(file: string, exec: JsonObject, cluster: JsonObject): Exec {
  const command = text(exec, "command");
  if (command === undefined) throw noCluster(`${file}: exec without a command`);
  const variables = Array.isArray(exec["env"]) ? exec["env"].filter(isObject) : [];
  return {
    // A bare name is looked up in PATH.
    command: /[/\\]/.test(command) ? beside(file, command) : command,
    args: texts(exec["args"]),
    env: Object.fromEntries(variables.map((item) => [text(item, "name") ?? "", text(item, "value")])),
    apiVersion: text(exec, "apiVersion") ?? "client.authentication.k8s.io/v1",
    ...(exec["provideClusterInfo"] === true && { cluster }),
    hint: text(exec, "installHint"),
  };
}

function text(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

/** `KEY-data`, which is base64, or else the file that `KEY` names. */
function bytes(file: string, object: JsonObject, key: string): Buffer | undefined {
  const [data, path] = [text(object, `${key}-data`), text(object, key)];
  if (data !== undefined) return Buffer.from(data, "base64");
  if (path === undefined) return undefined;
  try {
    return readFileSync(beside(file, path));
  } catch (cause) {
    throw noCluster(`${file}: ${key}: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

const beside = (file: string, path: string): string => resolve(dirname(file), path);

const noCluster = (reason: string, cause?: unknown): ClusterError =>
  new ClusterError(
    "NoCluster",
    `cannot find a cluster: ${reason}; give --kubeconfig, set KUBECONFIG, or run in a pod with a service account`,
    { cause },
  );
