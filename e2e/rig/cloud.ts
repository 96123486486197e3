import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../src/model/json.ts";
import { Roles } from "./postgres.ts";

/** The password of every database, until a scenario changes it. */
export const FIRST_PASSWORD = "upjet-s3cret-1";

/**
 * The cloud of tools/upjet-provider: clusters and attachments, whose identifiers it makes up, and buckets and databases, whose
 * creators name them. It outlives the provider, as clouds do, and records what it was told to change.
 */
export class Cloud {
  /** Resources by path, such as `buckets/orders`. */
  readonly resources = new Map<string, JsonObject>();
  /** Requests that change something, such as `PUT buckets/orders`. */
  readonly writes: string[] = [];
  /** The time for which a new cluster is `creating`. */
  creatingMs = 2000;
  /** Has the paths that begin with `roles/`. */
  readonly roles = new Roles();
  /** The time that each request takes that changes something. */
  writingMs = 0;
  /** The paths of what cannot be deleted yet, such as a bucket that is not empty. */
  readonly inUse = new Set<string>();
  /** The paths that the cloud does not answer for at the moment. */
  readonly unanswered = new Set<string>();
  #created = 0;

  /** The identifiers of a region's clusters. */
  clustersIn(region: string): readonly string[] {
    return [...this.resources]
      .filter(([path, cluster]) => path.startsWith("clusters/") && cluster["region"] === region)
      .map(([path]) => path.slice("clusters/".length));
  }

  createCluster(region: string): string {
    this.#created += 1;
    const id = `cluster-${this.#created}`;
    const availableFrom = Date.now() + this.creatingMs;
    this.resources.set(`clusters/${id}`, { id, region, endpoint: `${id}.example.org`, availableFrom });
    return id;
  }

  /** Attaches something to a bucket, which has one attachment at most. @returns undefined where it has one. */
  #attach({ bucket = null, tags = {} }: JsonObject): JsonObject | undefined {
    const isTaken = [...this.resources].some(
      ([path, { bucket: of }]) => path.startsWith("attachments/") && of === bucket,
    );
    if (isTaken) return undefined;
    this.#created += 1;
    const made = { id: `attachment-${this.#created}`, bucket, tags };
    this.resources.set(`attachments/${made.id}`, made);
    return made;
  }

  /** Creates what has a name, or updates it. */
  put(path: string, fields: JsonObject): void {
    const [kind = "", name = ""] = path.split("/");
    const made = kind === "databases" ? { endpoint: `${name}.example.org`, password: FIRST_PASSWORD } : {};
    this.resources.set(path, { ...made, ...this.resources.get(path), ...fields, name });
  }

  /** @returns the resource as it is, or was before its deletion; undefined where there is none. */
  async handle(method: string, path: string, body: JsonObject): Promise<JsonObject | undefined> {
    if (method !== "GET") this.writes.push(`${method} ${path}`);
    if (path.startsWith("roles/")) return this.roles.handle(method, path.slice("roles/".length), body);
    if (method === "POST" && path.startsWith("attachments")) return this.#attach(body);
    if (method === "POST") return { id: this.createCluster(String(body["region"])) };
    if (method === "PUT") this.put(path, body);
    const found = this.resources.get(path);
    if (method === "DELETE") this.resources.delete(path);
    return found && { ...found, state: Number(found["availableFrom"]) > Date.now() ? "creating" : "available" };
  }
}

/** A cloud that is served on loopback. */
export interface ServedCloud {
  readonly cloud: Cloud;
  readonly url: string;
  stop(): void;
}

export async function serveCloud(): Promise<ServedCloud> {
  const cloud = new Cloud();
  const server = createServer((request, response) => {
    answer(cloud, request).then(
      (found) => response.writeHead(found === undefined ? 404 : 200).end(JSON.stringify(found ?? {})),
      () => response.writeHead(400).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { cloud, url: `http://127.0.0.1:${port}`, stop };
}

async function answer(cloud: Cloud, request: IncomingMessage): Promise<JsonObject | undefined> {
  const { method = "GET", url = "/" } = request;
  const hasBody = method === "POST" || method === "PUT";
  if (method !== "GET") await sleep(cloud.writingMs);
  if (cloud.unanswered.has(url.slice(1))) throw new Error(`${url} is not answered`);
  if (method === "DELETE" && cloud.inUse.has(url.slice(1))) throw new Error(`${url} is in use`);
  return cloud.handle(method, url.slice(1), hasBody ? ((await json(request)) as JsonObject) : {});
}
