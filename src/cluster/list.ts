import { isObject, type JsonObject } from "../model/json.ts";
import type { Cluster } from "./cluster.ts";
import type { ResourceKind } from "./discovery.ts";
import { type Asked, ClusterError } from "./error.ts";

export interface ListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Without it: all namespaces. */
  readonly namespace?: string;
  /** Objects in one answer: kubectl's number. */
  readonly pageSize?: number;
  /** Told how many there are so far, and how many more the API server knows of, after each page. */
  readonly onPage?: (soFar: number, remaining: number | undefined) => void;
}

/** How often a list is begun anew because its pages had become too old. */
const MAX_STARTS = 3;

/**
 * All objects of a kind, page by page. They have apiVersion and kind, which the items of a list may lack.
 *
 * @throws {ClusterError}
 */
export async function list(
  cluster: Cluster,
  kind: ResourceKind,
  options: ListOptions = {},
): Promise<readonly JsonObject[]> {
  for (let starts = 1; ; starts++) {
    try {
      return await listOnce(cluster, kind, options);
    } catch (error) {
      // etcd keeps five minutes of history; a list that takes longer has to begin again.
      if (!(error instanceof ClusterError) || error.code !== "Expired" || starts === MAX_STARTS) throw error;
    }
  }
}

async function listOnce(
  cluster: Cluster,
  kind: ResourceKind,
  { labelSelector, fieldSelector, namespace, pageSize = 500, onPage }: ListOptions,
): Promise<readonly JsonObject[]> {
  const asked = askedOf(kind, "list", namespace);
  const objects: JsonObject[] = [];
  let next: string | undefined;
  do {
    const page = toPage(
      await cluster.get(asked, { limit: String(pageSize), labelSelector, fieldSelector, continue: next }),
      kind,
    );
    objects.push(...page.items);
    next = page.next;
    onPage?.(objects.length, page.remaining);
  } while (next !== undefined);
  return objects;
}

interface Page {
  readonly items: readonly JsonObject[];
  readonly next: string | undefined;
  readonly remaining: number | undefined;
}

function toPage(answer: JsonObject, { group, version, kind }: ResourceKind): Page {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const items = Array.isArray(answer["items"]) ? answer["items"].filter(isObject) : [];
  const metadata = isObject(answer["metadata"]) ? answer["metadata"] : {};
  const { continue: next, remainingItemCount: remaining } = metadata;
  return {
    items: items.map((item) => ({ ...item, apiVersion, kind })),
    next: typeof next === "string" && next !== "" ? next : undefined,
    remaining: typeof remaining === "number" ? remaining : undefined,
  };
}

/** One object. @throws {ClusterError} `NotFound` among others. */
export const getOne = (cluster: Cluster, kind: ResourceKind, name: string, namespace?: string): Promise<JsonObject> =>
  cluster.get(askedOf(kind, "get", namespace, name));

function askedOf(kind: ResourceKind, verb: Asked["verb"], namespace?: string, name?: string): Asked {
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const within = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  const one = name === undefined ? "" : `/${encodeURIComponent(name)}`;
  const path = `${root}${within}/${kind.plural}${one}`;
  return { verb, resource: kind.plural, apiGroup: kind.group, namespace, name, path };
}
