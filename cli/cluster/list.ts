import { documentOf, objectsAt, stringAt } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Cluster } from "./cluster.ts";
import { type ResourceKind, toApiVersion } from "./discovery.ts";
import { type ApiRequest, ClusterError } from "./error.ts";

export interface ListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Default: all namespaces. */
  readonly namespace?: string;
  /** Objects per answer; the default is kubectl's. */
  readonly pageSize?: number;
  /** Requests metadata only, for kinds that may hold secrets and for many objects. */
  readonly isMetadataOnly?: boolean;
}

const metadataAs = (kind: string): string => `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;
const METADATA = metadataAs("PartialObjectMetadata");
const METADATA_LIST = metadataAs("PartialObjectMetadataList");

/** The number of attempts at a list whose pages expire. */
const MAX_STARTS = 3;

/**
 * Lists all objects of a kind, page by page, and adds apiVersion and kind, which the items of a list may lack.
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
      // etcd keeps five minutes of history; a list that takes longer has to start again.
      if (!(error instanceof ClusterError) || error.code !== "Expired" || starts === MAX_STARTS) throw error;
    }
  }
}

async function listOnce(
  cluster: Cluster,
  kind: ResourceKind,
  { labelSelector, fieldSelector, namespace, pageSize = 500, isMetadataOnly = false }: ListOptions,
): Promise<readonly JsonObject[]> {
  const request = toApiRequest(kind, "list", namespace);
  const objects: JsonObject[] = [];
  let next: string | undefined;
  do {
    const query = { limit: String(pageSize), labelSelector, fieldSelector, continue: next };
    const page = documentOf(await cluster.get(request, query, isMetadataOnly ? METADATA_LIST : undefined));
    for (const item of objectsAt(page, ["items"])) {
      objects.push({ ...item, apiVersion: toApiVersion(kind), kind: kind.kind });
    }
    next = stringAt(page, ["metadata", "continue"]);
  } while (next !== undefined);
  return objects;
}

/** Gets one object; undefined where it is not there. @throws {ClusterError} */
export async function getIfThere(
  cluster: Cluster,
  kind: ResourceKind,
  name: string,
  namespace: string | undefined,
  { isMetadataOnly = false }: Pick<ListOptions, "isMetadataOnly"> = {},
): Promise<JsonObject | undefined> {
  try {
    return await cluster.get(toApiRequest(kind, "get", namespace, name), {}, isMetadataOnly ? METADATA : undefined);
  } catch (error) {
    if (error instanceof ClusterError && error.code === "NotFound") return undefined;
    throw error;
  }
}

function toApiRequest(kind: ResourceKind, verb: ApiRequest["verb"], namespace?: string, name?: string): ApiRequest {
  const root = `${kind.group === "" ? "/api" : "/apis"}/${toApiVersion(kind)}`;
  const within = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  const one = name === undefined ? "" : `/${encodeURIComponent(name)}`;
  const path = `${root}${within}/${kind.plural}${one}`;
  return { verb, resource: kind.plural, apiGroup: kind.group, namespace, name, path };
}
interface Pace {
  /** The number of items at a time; the default is low enough for an API server's fair queues. */
  readonly atATime?: number;
  /** Called after each item with the number of finished items. */
  readonly onDone?: (done: number) => void;
}

/** Works on several items at a time. The results are in the order of the items; the first failure ends it. */
export async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  { atATime = 8, onDone = () => {} }: Pace = {},
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      results.set(index, await work(item));
      onDone(results.size);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, worker));
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
}
