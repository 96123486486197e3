import { isObject, type JsonObject } from "../model/json.ts";

/** Why the API server did not answer, for code that decides what becomes of it. */
export type ClusterErrorCode =
  | "NoCluster" // there is no kubeconfig, or none that can be used, and this is no pod
  | "Unauthorized" // 401: it does not know who asks
  | "Forbidden" // 403: RBAC lacks a verb
  | "NotFound" // 404
  | "Expired" // 410: a list's pages are too old to go on with
  | "Unavailable" // 429, 5xx, no connection: for as long as was waited
  | "Refused"; // anything else

/** A request that the API server did not answer. The message says which, to whom, and what would help. */
export class ClusterError extends Error {
  override readonly name = "ClusterError";
  readonly code: ClusterErrorCode;

  constructor(code: ClusterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A request, in the terms of RBAC. */
export interface ApiRequest {
  readonly verb: "get" | "list";
  /** Plural, as in a role's `resources`; "" for what is no resource, such as /apis. */
  readonly resource: string;
  /** "" for Kubernetes' core group. */
  readonly apiGroup: string;
  /** Undefined where all namespaces are meant, or there are none. */
  readonly namespace?: string | undefined;
  /** The one object that is asked for. */
  readonly name?: string | undefined;
  /** The path, where it is no resource. */
  readonly path: string;
}

/** `list buckets.s3.aws.upbound.io in namespace "team-a"`, for messages that start with "cannot". */
export function describe({ verb, resource, apiGroup, namespace, name, path }: ApiRequest): string {
  if (resource === "") return `${verb} ${path}`;
  const what = apiGroup === "" ? resource : `${resource}.${apiGroup}`;
  const which = name === undefined ? "" : ` ${JSON.stringify(name)}`;
  return `${verb} ${what}${which}${namespace === undefined ? "" : ` in namespace ${JSON.stringify(namespace)}`}`;
}

/** The error for an answer that is none. */
export function toError(status: number, body: string, request: ApiRequest): ClusterError {
  const message = messageIn(body);
  const what = `cannot ${describe(request)}`;
  if (status === 403) return new ClusterError("Forbidden", `${what}: ${forbidden(request, message)}`);
  if (status === 401) {
    return new ClusterError("Unauthorized", `${what}: the API server does not accept these credentials (${message})`);
  }
  const code =
    ({ 404: "NotFound", 410: "Expired" } as const)[status] ?? (isPassing(status) ? "Unavailable" : "Refused");
  return new ClusterError(code, `${what}: ${status} ${message}`);
}

/** Answers that say "not now": too many requests, and those of a server that starts, stops, or stands behind a gateway. */
export const isPassing = (status: number): boolean => status === 429 || (status >= 500 && status <= 504);

/** Names the verb that RBAC lacks, for whom, and the rule that grants it. */
function forbidden({ verb, resource, apiGroup, namespace, path }: ApiRequest, message: string): string {
  const user = /User "([^"]+)"/.exec(message)?.[1];
  const who = user === undefined ? "" : ` for user ${JSON.stringify(user)}`;
  const lacks = `RBAC lacks the verb ${JSON.stringify(verb)}${who}`;
  if (resource === "") return `${lacks}; grant it in a ClusterRole: {nonResourceURLs: ["${path}"], verbs: ["${verb}"]}`;
  const role = namespace === undefined ? "a ClusterRole" : `a Role in ${JSON.stringify(namespace)} or a ClusterRole`;
  return `${lacks}; grant it in ${role}: {apiGroups: ["${apiGroup}"], resources: ["${resource}"], verbs: ["${verb}"]}`;
}

/** The message of a `Status`, or the beginning of any other body. */
function messageIn(body: string): string {
  const status = parse(body);
  const message = status?.["message"];
  if (typeof message === "string" && message !== "") return message.trim();
  return body.trim().slice(0, 200) || "(no message)";
}

function parse(body: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
