import { isObject, type JsonObject } from "../model/json.ts";
import type { Answer, Connection } from "./connection.ts";
import { type ApiRequest, ClusterError, describe, isPassing, toError } from "./error.ts";
import { type Attempt, DEFAULT_RETRY, insist, type RetryPolicy, retryAfterMs } from "./retry.ts";

/** One API server, to be read; there is no way to write. */
export interface Cluster {
  /** Its URL, for messages. */
  readonly server: string;
  /** The namespace of the kubeconfig's context, or the pod's. */
  readonly namespace: string;
  /** The number of requests so far, repeated ones included. */
  readonly calls: () => number;
  /**
   * GET, again and again while the API server says "not now" or cannot be reached.
   *
   * @throws {ClusterError}
   */
  get(request: ApiRequest, query?: Query, accept?: string): Promise<JsonObject>;
}

type Query = Readonly<Record<string, string | undefined>>;

export interface ClusterOptions {
  readonly retry?: RetryPolicy;
  /** Told what went wrong, and how long is waited. */
  readonly onWait?: (error: Error, waitMs: number) => void;
}

const JSON_TYPE = "application/json";

/** The cluster behind a connection. */
export function toCluster(connection: Connection, { retry = DEFAULT_RETRY, onWait = ignore }: ClusterOptions): Cluster {
  let calls = 0;
  return {
    server: connection.server,
    namespace: connection.namespace,
    calls: () => calls,
    get: (request, query = {}, accept = JSON_TYPE) => {
      const path = `${request.path}${toQuery(query)}`;
      const attempt = (): Promise<Attempt<JsonObject>> => {
        calls++;
        return ask(connection, path, accept, request);
      };
      return insist(attempt, retry, onWait);
    },
  };
}

const ignore = (): void => {};

function toQuery(query: Query): string {
  const parameters = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return parameters.length === 0 ? "" : `?${new URLSearchParams(parameters)}`;
}

/** @throws {ClusterError} where it would be in vain to ask again. */
async function ask(
  connection: Connection,
  path: string,
  accept: string,
  request: ApiRequest,
): Promise<Attempt<JsonObject>> {
  let answer: Answer;
  try {
    answer = await connection.send(path, accept);
  } catch (cause) {
    return notReached(cause, connection, request);
  }
  const { status, body, retryAfter } = answer;
  if (status === 200) return { is: "done", value: toObject(body, request) };
  const error = toError(status, body, request);
  if (!isPassing(status)) throw error;
  return { is: "failed", error, retryAfterMs: retryAfterMs(retryAfter, Date.now()) };
}

/** Errors that pass: of servers that start, restart, or are cut off for a moment. A wrong certificate or name stays wrong. */
const PASSING = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];

function notReached(cause: unknown, { server }: Connection, request: ApiRequest): Attempt<JsonObject> {
  const reason = cause instanceof Error ? cause.message || String(cause) : String(cause);
  const error = new ClusterError("Unavailable", `cannot ${describe(request)}: cannot reach ${server}: ${reason}`, {
    cause,
  });
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const passes =
    code === undefined
      ? reason.startsWith("no answer in") || reason === "socket hang up"
      : PASSING.includes(String(code));
  if (!passes) throw error;
  return { is: "failed", error, retryAfterMs: undefined };
}

function toObject(body: string, request: ApiRequest): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new ClusterError("Refused", `cannot ${describe(request)}: the answer is not JSON`, { cause });
  }
  if (isObject(value)) return value;
  throw new ClusterError("Refused", `cannot ${describe(request)}: the answer is no object`);
}
