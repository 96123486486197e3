import { isObject, type JsonObject, parseJson } from "../../src/model/json.ts";

/** The reason why a request to the API server failed. */
export type ClusterErrorCode =
  | "NoCluster" // no usable kubeconfig, and not in a pod
  | "Unauthorized" // 401
  | "Forbidden" // 403: RBAC lacks a verb
  | "NotFound" // 404
  | "Expired" // 410: the pages of a list are too old to continue
  | "Unavailable" // 429, 5xx or no connection, until the time was up
  | "Refused"; // anything else

/** A failed request. The message has the request, the reason and the remedy. */
export class ClusterError extends Error {
  override readonly name = "ClusterError";
  readonly code: ClusterErrorCode;
  /** The time after which the API server may be asked again; undefined for a permanent failure. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ClusterErrorCode,
    message: string,
    options: ErrorOptions & { readonly retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A request, in the terms of RBAC. */
export interface ApiRequest {
  readonly verb: "get" | "list";
  /** The plural, as in a role's `resources`; "" for a path without a resource, such as /apis. */
  readonly resource: string;
  /** "" for Kubernetes' core group. */
  readonly apiGroup: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly path: string;
}

export type Query = Readonly<Record<string, string | undefined>>;

/** Sends GET, and repeats it while the API server is overloaded or cannot be reached. @throws {ClusterError} */
export type Get = (request: ApiRequest, query?: Query, accept?: string) => Promise<JsonObject>;

/** Describes a request for a message that starts with "cannot": `list buckets.s3.aws.upbound.io in namespace "team-a"`. */
export function describeRequest({ verb, resource, apiGroup, namespace, name, path }: ApiRequest): string {
  if (resource === "") return `${verb} ${path}`;
  const what = apiGroup === "" ? resource : `${resource}.${apiGroup}`;
  const which = name === undefined ? "" : ` ${JSON.stringify(name)}`;
  return `${verb} ${what}${which}${namespace === undefined ? "" : ` in namespace ${JSON.stringify(namespace)}`}`;
}

/** An API server's answer. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** Makes the error for an unsuccessful answer. It can be retried after 429 (too many requests) and 500 to 504. */
export function toError({ status, retryAfter, body }: Answer, request: ApiRequest): ClusterError {
  const message = messageIn(body);
  const what = `cannot ${describeRequest(request)}`;
  if (status === 403) return new ClusterError("Forbidden", `${what}: ${forbidden(request, message)}`);
  if (status === 401)
    return new ClusterError("Unauthorized", `${what}: the API server does not accept these credentials (${message})`);
  const retryAfterMs = Number(retryAfter) * 1000 || 0;
  if (status === 429 || (status >= 500 && status <= 504))
    return new ClusterError("Unavailable", `${what}: ${status} ${message}`, { retryAfterMs });
  const code = ({ 404: "NotFound", 410: "Expired" } as const)[status] ?? "Refused";
  return new ClusterError(code, `${what}: ${status} ${message}`);
}

/** Names the user, the missing verb and the rule that grants it. */
function forbidden({ verb, resource, apiGroup, namespace, path }: ApiRequest, message: string): string {
  const user = /User "([^"]+)"/.exec(message)?.[1];
  const who = user === undefined ? "" : ` for user ${JSON.stringify(user)}`;
  const lacks = `RBAC lacks the verb ${JSON.stringify(verb)}${who}`;
  if (resource === "") return `${lacks}; grant it in a ClusterRole: {nonResourceURLs: ["${path}"], verbs: ["${verb}"]}`;
  const role = namespace === undefined ? "a ClusterRole" : `a Role in ${JSON.stringify(namespace)} or a ClusterRole`;
  return `${lacks}; grant it in ${role}: {apiGroups: ["${apiGroup}"], resources: ["${resource}"], verbs: ["${verb}"]}`;
}

/** Reads the message of a `Status`; of any other body the beginning. */
function messageIn(body: string): string {
  const status = parseJson(body);
  const message = isObject(status) ? status["message"] : undefined;
  if (typeof message === "string" && message !== "") return message.trim();
  return body.trim().slice(0, 200) || "(no message)";
}
