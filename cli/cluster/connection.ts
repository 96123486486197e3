import { Agent as HttpAgent, request as overHttp } from "node:http";
import { Agent, request as overHttps, type RequestOptions } from "node:https";
import { type Credentials, toCredentialSource } from "./credentials.ts";
import { type Environment, findTarget, type Target } from "./kubeconfig.ts";
import { openTunnel } from "./tunnel.ts";

/** A response, whatever its status. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** A connection to one API server. */
export interface Connection {
  /** Its URL, for messages. */
  readonly server: string;
  /** The namespace of the kubeconfig's context, or the pod's. */
  readonly namespace: string;
  /** Sends GET. @throws {Error} if there is no answer. */
  send(path: string, accept: string): Promise<Answer>;
}

export interface ConnectOptions {
  /** A kubeconfig; default: KUBECONFIG, ~/.kube/config or the pod's service account, as in kubectl. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly env: Environment;
  /** Timeout of one request; a page of 500 large objects takes seconds. */
  readonly requestTimeoutMs?: number;
}

const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Finds the cluster; sends nothing.
 *
 * @throws {ClusterError} `NoCluster`
 */
export function connect({ requestTimeoutMs = REQUEST_TIMEOUT_MS, env, ...options }: ConnectOptions): Connection {
  const target = findTarget({ ...options, env });
  const source = toCredentialSource(target.user, env);
  const reach = target.server.startsWith("http:") ? reachPlainly() : reachOverTls(target, requestTimeoutMs);
  const send = async (path: string, accept: string): Promise<Answer> => {
    // `kubectl proxy` speaks plain HTTP, and adds the credentials itself: there are none to send in the clear.
    const credentials = target.server.startsWith("http:") ? { headers: {} } : await source.get();
    const headers = { ...credentials.headers, accept };
    return exchange(`${target.server}${path}`, { ...(await reach(credentials)), headers, timeout: requestTimeoutMs });
  };
  return {
    server: target.server,
    namespace: target.namespace,
    send: async (path, accept) => {
      const answer = await send(path, accept);
      return answer.status === 401 && source.forget() ? send(path, accept) : answer;
    },
  };
}

/** Says how a request gets there. */
type Reach = (credentials: Credentials) => Promise<RequestOptions>;

function reachPlainly(): Reach {
  const agent = new HttpAgent({ keepAlive: true });
  return async () => ({ agent });
}

/** One agent, so that requests share a TLS handshake; another one when a plugin gives another certificate. */
function reachOverTls({ server, proxy, tls }: Target, timeout: number): Reach {
  let agent: Agent | undefined;
  let known: Credentials["cert"];
  return async ({ cert, key }) => {
    const options = { ...tls, ...(cert && { cert }), ...(key && { key }) };
    if (proxy !== undefined) {
      const socket = await openTunnel(proxy, new URL(server), { ...options, timeout });
      return { createConnection: () => socket };
    }
    if (agent === undefined || known !== cert) {
      agent = new Agent({ ...options, keepAlive: true });
      known = cert;
    }
    return { agent };
  };
}

/**
 * Sends GET. An API server closes connections that were idle for 90 s; a request that meets that moment was never read, and is sent
 * again over another connection, as Go's net/http does (`shouldRetryRequest` in transport.go).
 */
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
    sent.once("error", (error) => {
      if (sent.reusedSocket && "code" in error && error.code === "ECONNRESET") resolve(exchange(url, options));
      else reject(error);
    });
    sent.end();
  });
}
