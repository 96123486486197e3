import { request as overHttp } from "node:http";
import { Agent, type AgentOptions, request as overHttps, type RequestOptions } from "node:https";
import { text } from "node:stream/consumers";
import type { KubeConfig } from "@kubernetes/client-node";
import { type Answer, ClusterError } from "./error.ts";
import { type KubeconfigOptions, loadKubeconfig, readTarget } from "./kubeconfig.ts";

export interface Connection {
  /** The API server's URL, for messages. */
  readonly server: string;
  /** The namespace of the kubeconfig's context, or the pod's. */
  readonly namespace: string;
  /** Sends GET. @throws {Error} if there is no answer. */
  send(path: string, accept: string): Promise<Answer>;
}

/** The timeout of one request; a page of 500 large objects takes seconds. */
const REQUEST_TIMEOUT_MS = 30_000;

type ConnectOptions = KubeconfigOptions & { readonly requestTimeoutMs?: number };

/**
 * Finds the cluster; sends nothing.
 *
 * Credentials are kept, so that no plugin is started for each request. If the API server refuses them, they are made anew
 * from the kubeconfig, its files and its plugin, and the request is sent once more.
 *
 * @throws {ClusterError} `NoCluster`
 */
export function connect({ requestTimeoutMs = REQUEST_TIMEOUT_MS, ...options }: ConnectOptions): Connection {
  const { server, namespace } = readTarget(loadKubeconfig(options).config);
  let credentials: Promise<RequestOptions> | undefined;
  const send = async (path: string, accept: string): Promise<Answer> => {
    credentials ??= readCredentials(options, requestTimeoutMs);
    // A plugin that failed is started again: its user may have logged in meanwhile.
    const { headers, ...rest } = await credentials.catch((error: unknown) => {
      credentials = undefined;
      throw error;
    });
    return exchange(`${server}${path}`, { ...rest, headers: { ...headers, accept } });
  };
  return {
    server,
    namespace,
    send: async (path, accept) => {
      const answer = await send(path, accept);
      if (answer.status !== 401) return answer;
      credentials = undefined;
      return send(path, accept);
    },
  };
}

/** Makes the agent, headers and certificates of all requests; runs a plugin. @throws {ClusterError} `Unauthorized` */
async function readCredentials(kubeconfig: KubeconfigOptions, timeout: number): Promise<RequestOptions> {
  const { config, groups } = loadKubeconfig(kubeconfig);
  const { server, proxyUrl } = readTarget(config);
  // `kubectl proxy` speaks plain HTTP, and adds the credentials itself: none are sent in the clear.
  if (!server.startsWith("https:")) return { timeout };
  const options: RequestOptions = { timeout };
  await config.applyToHTTPSOptions(options).catch((cause: unknown) => {
    throw notAuthenticated(config, cause);
  });
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  // A token that is read from a file may end with a line break.
  const headers = Object.entries(options.headers ?? {}).map(([name, value]) => [name, String(value).trim()]);
  // The library's agent makes a TLS handshake for each request.
  const agent = new Agent({ ca, cert, key, servername, rejectUnauthorized, keepAlive: true } as AgentOptions);
  return {
    ...options,
    headers: { ...Object.fromEntries(headers), ...(groups.length > 0 && { "impersonate-group": groups }) },
    ...(proxyUrl === undefined && { agent }),
  };
}

function notAuthenticated(config: KubeConfig, cause: unknown): ClusterError {
  const exec: unknown = config.getCurrentUser()?.exec;
  const { command, installHint } = (exec ?? {}) as { readonly command?: string; readonly installHint?: string };
  // A parser's message quotes the text, which may be half a credential.
  const isPrinted = cause instanceof SyntaxError || cause instanceof TypeError;
  const reason = cause instanceof Error ? cause.message.trim() : String(cause);
  const what = isPrinted && command !== undefined ? "its output is not an ExecCredential" : reason;
  const from = command === undefined ? "" : ` from ${command}`;
  const hint = installHint === undefined ? "" : `; ${installHint.trim()}`;
  // No cause: it may quote a credential.
  return new ClusterError("Unauthorized", `cannot get credentials${from}: ${what}${hint}`);
}

function exchange(url: string, options: RequestOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = url.startsWith("https:") ? overHttps : overHttp;
    const sent = request(url, options, (response) => {
      const { statusCode: status = 0, headers } = response;
      text(response).then((body) => resolve({ status, retryAfter: headers["retry-after"], body }), reject);
    });
    sent.once("timeout", () => sent.destroy(new Error(`no answer in ${options.timeout} ms`)));
    sent.once("error", reject);
    sent.end();
  });
}
