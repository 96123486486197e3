import { Agent as HttpAgent, request as overHttp } from "node:http";
import { Agent, type AgentOptions, request as overHttps, type RequestOptions } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import { ClusterError } from "./error.ts";

/** A response, whatever its status. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** The way to one API server. */
export interface Connection {
  /** Its URL, for messages. */
  readonly server: string;
  /** The namespace of the kubeconfig's context, or the pod's. */
  readonly namespace: string;
  /** GET. @throws {Error} where no answer comes. */
  send(path: string, accept: string): Promise<Answer>;
}

export interface ConnectOptions {
  /** A kubeconfig; without it KUBECONFIG, ~/.kube/config, or the pod's service account, as kubectl does. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** For one request; a list's page of 500 large objects takes seconds. */
  readonly requestTimeoutMs?: number;
}

const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Finds the cluster. Nothing is sent yet.
 *
 * @throws {ClusterError} `NoCluster`
 */
export function connect({ requestTimeoutMs = REQUEST_TIMEOUT_MS, ...options }: ConnectOptions): Connection {
  const config = load(options);
  const cluster = config.getCurrentCluster();
  if (cluster === null || cluster.server === "http://localhost:8080") throw noCluster("there is no kubeconfig");

  const server = cluster.server.replace(/\/+$/, "");
  const isPlain = server.startsWith("http:");
  const context = config.getContextObject(config.getCurrentContext());
  let agent: Agent | HttpAgent | undefined;

  const send = async (path: string, accept: string): Promise<Answer> => {
    // Each time, so that a service account's token that was rotated, or one of an exec plugin, is taken up.
    const request: RequestOptions = { headers: { accept }, timeout: requestTimeoutMs };
    // `kubectl proxy` speaks plain HTTP, and adds the credentials itself: there are none to send in the clear.
    if (!isPlain) await config.applyToHTTPSOptions(request);
    // It makes an agent for each request, and with that a TLS handshake; one that goes by a proxy has to be its own.
    if (cluster.proxyUrl === undefined) {
      agent ??= isPlain ? new HttpAgent({ keepAlive: true }) : new Agent({ ...pickTls(request), keepAlive: true });
      request.agent = agent;
    }
    return exchange(`${server}${path}`, request);
  };
  return { server, namespace: context?.namespace ?? "default", send };
}

const TLS_OPTIONS = ["ca", "cert", "key", "passphrase", "rejectUnauthorized", "servername"] as const;

const pickTls = (request: RequestOptions): AgentOptions =>
  Object.fromEntries(TLS_OPTIONS.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]])));

function load({ kubeconfig, context }: ConnectOptions): KubeConfig {
  const config = new KubeConfig();
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (cause) {
    throw noCluster(cause instanceof Error ? cause.message : String(cause), cause);
  }
  if (context !== undefined) {
    const names = config.getContexts().map(({ name }) => name);
    if (!names.includes(context))
      throw noCluster(`no context ${JSON.stringify(context)}; there is ${names.join(", ")}`);
    config.setCurrentContext(context);
  }
  return config;
}

const noCluster = (reason: string, cause?: unknown): ClusterError =>
  new ClusterError(
    "NoCluster",
    `cannot find a cluster: ${reason}; give --kubeconfig, set KUBECONFIG, or run in a pod with a service account`,
    { cause },
  );

function exchange(url: string, options: RequestOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = url.startsWith("https:") ? overHttps : overHttp;
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers["retry-after"],
          body: Buffer.concat(chunks).toString("utf8"),
        });
      });
    });
    sent.once("timeout", () => sent.destroy(new Error(`no answer in ${options.timeout} ms`)));
    sent.once("error", reject);
    sent.end();
  });
}
