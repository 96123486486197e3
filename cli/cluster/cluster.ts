import { setTimeout as sleep } from "node:timers/promises";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import type { Answer, Connection } from "./connection.ts";
import { type ApiRequest, ClusterError, describeRequest, isTemporary, toError } from "./error.ts";

/** A read-only client of one API server. */
export interface Cluster extends Pick<Connection, "server" | "namespace"> {
  /**
   * Sends GET, and repeats it while the API server is overloaded or cannot be reached.
   *
   * @throws {ClusterError}
   */
  get(request: ApiRequest, query?: Query, accept?: string): Promise<JsonObject>;
}

type Query = Readonly<Record<string, string | undefined>>;

export interface ClusterOptions {
  readonly retry?: RetryPolicy;
  /** Called with the failure and the wait before each repeated request. */
  readonly onWait?: (error: Error, waitMs: number) => void;
}

const JSON_TYPE = "application/json";

/** Makes a client from a connection. */
export function toCluster(connection: Connection, { retry = DEFAULT_RETRY, onWait = ignore }: ClusterOptions): Cluster {
  return {
    server: connection.server,
    namespace: connection.namespace,
    get: async (request, query = {}, accept = JSON_TYPE) => {
      const path = `${request.path}${toQuery(query)}`;
      const start = Date.now();
      for (let attempts = 1; ; attempts++) {
        const attempt = await ask(connection, path, accept, request);
        if (attempt.is === "done") return attempt.value;
        const wait = waitBefore(attempts, Date.now() - start, attempt.retryAfterMs, retry);
        if (wait === undefined) throw attempt.error;
        onWait(attempt.error, wait);
        await sleep(wait);
      }
    },
  };
}

const ignore = (): void => {};

function toQuery(query: Query): string {
  const parameters = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return parameters.length === 0 ? "" : `?${new URLSearchParams(parameters)}`;
}

/** The outcome of one attempt: an answer, or a failure that may pass. */
type Attempt =
  | { readonly is: "done"; readonly value: JsonObject }
  | { readonly is: "failed"; readonly error: Error; readonly retryAfterMs: number | undefined };

/** @throws {ClusterError} for a permanent failure. */
async function ask(connection: Connection, path: string, accept: string, request: ApiRequest): Promise<Attempt> {
  let answer: Answer;
  try {
    answer = await connection.send(path, accept);
  } catch (cause) {
    return notReached(cause, connection, request);
  }
  const { status, body, retryAfter } = answer;
  if (status === 200) return { is: "done", value: toObject(body, request) };
  const error = toError(status, body, request);
  if (!isTemporary(status)) throw error;
  return { is: "failed", error, retryAfterMs: retryAfterMs(retryAfter, Date.now()) };
}

/** Errors of servers that start, restart or are cut off for a moment. Others, such as a wrong certificate, are permanent. */
const TEMPORARY = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];

function notReached(cause: unknown, { server }: Connection, request: ApiRequest): Attempt {
  if (cause instanceof ClusterError) throw cause;
  const reason = cause instanceof Error ? cause.message || String(cause) : String(cause);
  const message = `cannot ${describeRequest(request)}: cannot reach ${server}: ${reason}`;
  const error = new ClusterError("Unavailable", message, { cause });
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const isPassing =
    code === undefined ? /^no answer in|^socket hang up$/.test(reason) : TEMPORARY.includes(String(code));
  if (!isPassing) throw error;
  return { is: "failed", error, retryAfterMs: undefined };
}

function toObject(body: string, request: ApiRequest): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new ClusterError("Refused", `cannot ${describeRequest(request)}: the answer is not JSON`, { cause });
  }
  if (isObject(value)) return value;
  throw new ClusterError("Refused", `cannot ${describeRequest(request)}: the answer is no object`);
}

/** The time limit and the pace of repeated requests. */
export interface RetryPolicy {
  /** Time limit for all attempts and waits; 0 allows one attempt. */
  readonly forMs: number;
  /** The wait before the second attempt; doubled for each later one. */
  readonly firstMs: number;
  readonly maxMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { forMs: 60_000, firstMs: 250, maxMs: 10_000 };

/**
 * Calculates the wait before the next attempt: exponential backoff, or the server's Retry-After if that is longer. Undefined if the
 * time is up.
 *
 * @param attempts the number of attempts so far.
 * @param passedMs the time since the first attempt began.
 */
export function waitBefore(
  attempts: number,
  passedMs: number,
  retryAfterMs: number | undefined,
  { forMs, firstMs, maxMs }: RetryPolicy,
): number | undefined {
  const backoff = Math.min(maxMs, firstMs * 2 ** (attempts - 1));
  const wait = Math.max(backoff, retryAfterMs ?? 0);
  return passedMs + wait > forMs ? undefined : wait;
}

/** Parses Retry-After, which has seconds or a date. */
function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.trim() === "") return undefined;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
