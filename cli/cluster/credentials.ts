import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { isObject } from "../../src/model/json.ts";
import { ClusterError } from "./error.ts";
import type { Environment, Exec, User } from "./kubeconfig.ts";

/** The headers and client certificate of a request. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly cert?: Buffer | string;
  readonly key?: Buffer | string;
}

export interface CredentialSource {
  /** @throws {ClusterError} `Unauthorized` where a plugin gives none. */
  get(): Promise<Credentials>;
  /** Asks a plugin anew next time. @returns whether that may help. */
  forget(): boolean;
}

export function toCredentialSource(user: User, env: Environment): CredentialSource {
  const { exec } = user;
  if (exec === undefined)
    return { get: async () => toCredentials(user, { token: readToken(user) }), forget: () => false };
  let issued: Promise<Issued> | undefined;
  const forget = (): true => {
    issued = undefined;
    return true;
  };
  const get = async (): Promise<Credentials> => {
    if (issued !== undefined && (await issued).endsAt <= Date.now()) forget();
    issued ??= runPlugin(exec, env);
    // A plugin that failed is asked anew: its user may have logged in meanwhile.
    issued.catch(forget);
    return toCredentials(user, await issued);
  };
  return { get, forget };
}

function toCredentials(user: User, issued: Omit<Issued, "endsAt">): Credentials {
  const basic = user.basic && `Basic ${Buffer.from(user.basic).toString("base64")}`;
  const authorization = issued.token === undefined ? basic : `Bearer ${issued.token}`;
  const cert = issued.cert ?? user.cert;
  const key = issued.key ?? user.key;
  return {
    headers: { ...user.headers, ...(authorization && { authorization }) },
    ...(cert && { cert }),
    ...(key && { key }),
  };
}

const readToken = ({ tokenFile, token }: User): string | undefined =>
  tokenFile === undefined ? token : readFileSync(tokenFile, "utf8").trim();

interface Issued {
  readonly token?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** In milliseconds since 1970; without an end, as long as the API server takes it. */
  readonly endsAt: number;
}

function runPlugin(plugin: Exec, env: Environment): Promise<Issued> {
  const info = {
    apiVersion: plugin.apiVersion,
    kind: "ExecCredential",
    spec: { interactive: false, ...(plugin.cluster && { cluster: plugin.cluster }) },
  };
  const environment = { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  return new Promise((resolve, reject) => {
    const child = execFile(plugin.command, plugin.args, { env: environment }, (error, stdout, stderr) => {
      try {
        if (error) throw new Error(stderr.trim() || error.message);
        resolve(toIssued(stdout));
      } catch (cause) {
        reject(refusedBy(plugin, cause));
      }
    });
    child.stdin?.end();
  });
}

function refusedBy({ command, hint }: Exec, cause: unknown): ClusterError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const remedy = hint === undefined ? "" : `; ${hint.trim()}`;
  return new ClusterError("Unauthorized", `cannot get credentials from ${command}: ${reason}${remedy}`, { cause });
}

/** @throws {Error} without what was printed, which may be half a credential. */
function toIssued(stdout: string): Issued {
  let printed: unknown;
  try {
    printed = JSON.parse(stdout);
  } catch {
    throw new Error("what it prints is not JSON");
  }
  const status = isObject(printed) ? printed["status"] : undefined;
  if (!isObject(status)) throw new Error("what it prints is no ExecCredential with a status");
  const text = (key: string): string | undefined => {
    const value = status[key];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const end = text("expirationTimestamp");
  return {
    token: text("token"),
    cert: text("clientCertificateData"),
    key: text("clientKeyData"),
    endsAt: end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end),
  };
}
