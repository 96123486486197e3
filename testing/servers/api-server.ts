import { createServer, type Server } from "node:https";
import type { Server as NetServer } from "node:net";

import { onTestFinished } from "vitest";
import { connect } from "../../cli/cluster/connection.ts";
import type { ResourceKind } from "../../cli/cluster/discovery.ts";
import { groupBy } from "../../src/model/collections.ts";
import { parseFieldPath, valueAt } from "../../src/model/field-path.ts";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import { type RunOptions, runCommand } from "../tools/run-command.ts";
import { temporaryFile } from "../tools/temporary-folder.ts";
import { createAuthority, issue } from "./certificates.ts";
import { takePort } from "./free-port.ts";

/** A fault in place of an answer; `hang up` closes the connection. */
export type Fault =
  | "hang up"
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

export interface ApiServer {
  readonly url: string;
  readonly kubeconfig: string;
  /** Paths with their query, as they were asked for. */
  readonly requests: readonly string[];
  readonly objects: JsonObject[];
  /** Said first, one a request. */
  readonly faults: Fault[];
  /** Plurals that nobody may list. */
  readonly forbidden: Set<string>;
  /** Continue tokens that are too old, once each. */
  readonly expired: Set<string>;
}

export interface ApiServerOptions {
  readonly kinds: readonly ResourceKind[];
  readonly objects?: readonly JsonObject[];
  readonly faults?: readonly Fault[];
  readonly forbidden?: readonly string[];
}

export const kindOf = (group: string, kind: string, options: Partial<ResourceKind> = {}): ResourceKind => ({
  group,
  version: "v1beta1",
  kind,
  plural: `${kind.toLowerCase()}s`,
  names: [kind.toLowerCase(), `${kind.toLowerCase()}s`],
  isNamespaced: group.includes(".m."),
  categories: ["managed"],
  verbs: ["get", "list"],
  ...options,
});

/**
 * An API server over TLS, as far as discovery, GET and paged lists by label go, that can be told to be busy, broken or strict. It
 * ends with the test.
 */
export async function startApiServer({ kinds, ...options }: ApiServerOptions): Promise<ApiServer> {
  const authority = createAuthority("api-server");
  const identity = issue(authority, "localhost");
  const requests: string[] = [];
  const faults = [...(options.faults ?? [])];
  const objects = [...(options.objects ?? [])];
  const state = { objects, forbidden: new Set(options.forbidden), expired: new Set<string>() };
  const server: Server = createServer({ cert: identity.certificate, key: identity.key }, (request, response) => {
    requests.push(request.url ?? "");
    const fault = faults.shift();
    if (fault === "hang up") return void request.socket.destroy();
    const isMetadataOnly = request.headers.accept?.includes("as=PartialObjectMetadata") ?? false;
    const said = fault && { headers: {}, body: "", ...fault };
    const { status, headers, body } = said ?? answer(new URL(request.url ?? "", "https://x"), isMetadataOnly);
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  const answer = (url: URL, isMetadataOnly: boolean): Said => {
    const objects = isMetadataOnly ? state.objects.map(metadataOf) : state.objects;
    return discovery(url.pathname, kinds) ?? resources(url, kinds, { ...state, objects });
  };

  const url = `https://127.0.0.1:${await listen(server)}`;
  onTestFinished(() => server.closeAllConnections());
  const context = { namespace: "team-a" };
  const kubeconfig = writeKubeconfig(url, authority.certificate, { token: "not-a-secret" }, { context });
  return { url, kubeconfig, requests, faults, ...state };
}

/** Runs a command of the operators' program against an API server of its own. */
export async function runOn(cluster: ApiServerOptions, command: string, args: readonly string[], options?: RunOptions) {
  const server = await startApiServer(cluster);
  const flags = ["--kubeconfig", server.kubeconfig, "--retry-for=2s"];
  return { ...(await runCommand(command, [...args, ...flags], options)), server };
}

/** The way there, for a client. */
export const connectTo = ({ kubeconfig }: ApiServer) => connect({ kubeconfig, env: {} });

/** Leaves of an object what an API server sends to those who ask for metadata only. */
const metadataOf = ({ apiVersion = null, kind = null, metadata = {} }: JsonObject) => ({ apiVersion, kind, metadata });

interface Said {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

function discovery(path: string, kinds: readonly ResourceKind[]): Said | undefined {
  if (path !== "/apis" && path !== "/api") return undefined;
  const own = kinds.filter(({ group }) => (group === "") === (path === "/api"));
  const items = [...groupBy(own, ({ group }) => group)].map(([name, inGroup]) => ({
    metadata: { name },
    versions: [{ version: inGroup[0]?.version ?? "", resources: inGroup.map(toDiscovered) }],
  }));
  return { status: 200, body: { kind: "APIGroupDiscoveryList", items } };
}

function toDiscovered({ plural, kind, isNamespaced, categories, verbs, names }: ResourceKind): object {
  const [singularResource, , ...shortNames] = names;
  const scope = isNamespaced ? "Namespaced" : "Cluster";
  return { resource: plural, singularResource, responseKind: { kind }, scope, categories, verbs, shortNames };
}

type State = Pick<ApiServer, "objects" | "forbidden" | "expired">;

const status = (code: number, message: string): Said => ({ status: code, body: { kind: "Status", code, message } });

function resources({ pathname, searchParams }: URL, kinds: readonly ResourceKind[], state: State): Said {
  const match = /^\/(?:apis\/([^/]+)|api)\/[^/]+(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?$/.exec(pathname);
  const [, group = "", namespace, plural = "", name] = match ?? [];
  const kind = kinds.find((candidate) => candidate.plural === plural && candidate.group === group);
  if (kind === undefined) return status(404, "the server could not find the requested resource");
  if (state.forbidden.has(plural)) {
    const what = `User "system:serviceaccount:platform:registry" cannot list resource "${plural}"`;
    return status(403, `${plural}.${group} is forbidden: ${what} in API group "${group}"`);
  }
  const of = (path: string, object: JsonObject) => valueAt(object, parseFieldPath(path));
  const found = state.objects.filter(
    (object) =>
      of("kind", object) === kind.kind &&
      String(of("apiVersion", object)).startsWith(group === "" ? "v1" : `${group}/`) &&
      (namespace === undefined || of("metadata.namespace", object) === namespace) &&
      (name === undefined || of("metadata.name", object) === name) &&
      fitsField(object, searchParams.get("fieldSelector")) &&
      fitsLabels(object, searchParams.get("labelSelector")),
  );
  if (name !== undefined)
    return found[0] ? { status: 200, body: found[0] } : status(404, `${plural} "${name}" not found`);
  return page(found, searchParams, state.expired);
}

function page(found: readonly JsonObject[], query: URLSearchParams, expired: Set<string>): Said {
  const from = Number(query.get("continue") ?? 0);
  if (expired.delete(String(from))) return status(410, "The provided continue parameter is too old");
  const to = from + Number(query.get("limit") ?? found.length);
  const more = found.length > to ? { continue: String(to), remainingItemCount: found.length - to } : {};
  // As the API server does, items have no apiVersion and kind.
  const items = found.slice(from, to).map(({ apiVersion: _, kind: __, ...rest }) => rest);
  return { status: 200, body: { kind: "List", metadata: { resourceVersion: "1", ...more }, items } };
}

/** `path=value`. */
function fitsField(object: JsonObject, selector: string | null): boolean {
  const [path = "", value] = selector?.split("=") ?? [];
  return selector === null || valueAt(object, parseFieldPath(path)) === value;
}

/** `key`, `!key`, `key=value`, `key in (a,b)`. */
function fitsLabels(object: JsonObject, selector: string | null): boolean {
  if (selector === null) return true;
  if (selector.startsWith("!")) return !fitsLabels(object, selector.slice(1));
  const labels = valueAt(object, ["metadata", "labels"]);
  const [, key = "", , one, several] = /^([^ =]+)(=(.*)| in \((.*)\))?$/.exec(selector) ?? [];
  const value = isObject(labels) ? labels[key] : undefined;
  if (one === undefined && several === undefined) return value !== undefined;
  return (several?.split(",") ?? [one]).some((wanted) => wanted === value);
}

/** Lets a server listen on loopback until the test ends. @returns its port. */
export async function listen(server: NetServer): Promise<number> {
  const { port } = await takePort(server);
  onTestFinished(() => void server.close());
  return port;
}

type More = Partial<Record<"cluster" | "context", object>>;

/** Writes a kubeconfig with one context. @param more of its cluster and context. */
export function writeKubeconfig(server: string, ca: string, user: object, more: More = {}): string {
  const authority = { "certificate-authority-data": Buffer.from(ca).toString("base64") };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server, ...authority, ...more.cluster } }],
    users: [{ name: "test", user }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test", ...more.context } }],
    "current-context": "test",
  };
  return temporaryFile("kubeconfig", JSON.stringify(config));
}
