import { setTimeout as sleep } from "node:timers/promises";
import { isObject, parseJson } from "../../src/model/json.ts";
import type { Connection } from "./connection.ts";
import { discover, type ResourceKind } from "./discovery.ts";
import { type ApiRequest, ClusterError, describeRequest, type Get, type Query, toError } from "./error.ts";

/** A read-only client of one API server. */
export type ApiClient = Pick<Connection, "server" | "namespace"> & { readonly get: Get };

export type Cluster = ApiClient & { readonly kinds: readonly ResourceKind[] };

export interface ClusterOptions {
  readonly retry?: RetryPolicy;
  readonly onWait?: (error: Error, waitMs: number) => void;
}

export const toClient = (connection: Connection, options: ClusterOptions): ApiClient => ({
  server: connection.server,
  namespace: connection.namespace,
  get: (request, query = {}, accept = "application/json") => {
    const path = `${request.path}${toQuery(query)}`;
    return repeat(async () => {
      const answer = await connection.send(path, accept).catch((cause: unknown) => {
        throw explainUnanswered(cause, connection, request);
      });
      if (answer.status !== 200) throw toError(answer, request);
      const value = parseJson(answer.body);
      if (isObject(value)) return value;
      throw new ClusterError("Refused", `cannot ${describeRequest(request)}: the answer is not JSON`);
    }, options);
  },
});

async function repeat<T>(work: () => Promise<T>, { retry = DEFAULT_RETRY, onWait }: ClusterOptions): Promise<T> {
  const nextWait = toBackoff(retry);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ClusterError) || error.retryAfterMs === undefined) throw error;
      const wait = nextWait(error.retryAfterMs);
      if (wait === undefined) throw error;
      onWait?.(error, wait);
      await sleep(wait);
    }
  }
}

/** Reads the installed kinds. @throws {ClusterError} */
export const toCluster = async (client: ApiClient): Promise<Cluster> => ({ ...client, kinds: await discover(client) });

function toQuery(query: Query): string {
  const parameters = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return parameters.length === 0 ? "" : `?${new URLSearchParams(parameters)}`;
}

/** Errors of a server that starts, restarts or is cut off. Others, such as a wrong certificate, are permanent. */
const TEMPORARY = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];

function explainUnanswered(cause: unknown, { server }: Connection, request: ApiRequest): unknown {
  if (!(cause instanceof Error) || cause instanceof ClusterError) return cause;
  const message = `cannot ${describeRequest(request)}: cannot reach ${server}: ${cause.message || cause}`;
  const isPassing = "code" in cause ? TEMPORARY.includes(String(cause.code)) : /^no answer in/.test(cause.message);
  return new ClusterError("Unavailable", message, { cause, ...(isPassing && { retryAfterMs: 0 }) });
}

export interface RetryPolicy {
  /** Time limit for all attempts and waits; 0 allows one attempt. */
  readonly forMs: number;
  /** The wait before the second attempt; doubled for each later one. */
  readonly firstMs: number;
  readonly maxMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { forMs: 60_000, firstMs: 250, maxMs: 10_000 };

/** Makes a function that gives the next wait: exponential backoff, or a longer Retry-After; undefined after `forMs`. */
export function toBackoff({ forMs, firstMs, maxMs }: RetryPolicy): (retryAfterMs?: number) => number | undefined {
  const start = Date.now();
  let next = firstMs;
  return (retryAfterMs = 0) => {
    const wait = Math.max(Math.min(maxMs, next), retryAfterMs);
    next *= 2;
    return Date.now() - start + wait > forMs ? undefined : wait;
  };
}
