import { compareTexts } from "../../src/model/collections.ts";
import { type Document, documentOf, objectsAt, stringAt } from "../../src/model/document.ts";
import type { ApiClient, Cluster } from "./cluster.ts";
import { findKind, type KindReference, type ResourceKind, toApiVersion, toFullName } from "./discovery.ts";
import { type ApiRequest, ClusterError } from "./error.ts";

export interface ListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Default: all namespaces. */
  readonly namespace?: string;
  /** Requests metadata only, for kinds that may hold secrets and for many objects. */
  readonly isMetadataOnly?: boolean;
}

const metadataAs = (kind: string): string => `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;

/** Objects per answer, as in kubectl. */
const PAGE = "500";

/** The number of attempts at a list whose pages expire. */
const MAX_STARTS = 3;

/** Lists all objects of a kind, page by page, and adds apiVersion and kind, which the items may lack. @throws {ClusterError} */
export async function list(client: ApiClient, kind: ResourceKind, options: ListOptions = {}) {
  for (let starts = 1; ; starts++) {
    try {
      return await listOnce(client, kind, options);
    } catch (error) {
      // etcd keeps five minutes of history; a list that takes longer has to start again.
      if (!(error instanceof ClusterError) || error.code !== "Expired" || starts === MAX_STARTS) throw error;
    }
  }
}

async function listOnce(client: ApiClient, kind: ResourceKind, options: ListOptions): Promise<readonly Document[]> {
  const { labelSelector, fieldSelector, namespace, isMetadataOnly = false } = options;
  const request = toApiRequest(kind, "list", namespace);
  const accept = isMetadataOnly ? metadataAs("PartialObjectMetadataList") : undefined;
  const found: Document[] = [];
  let next: string | undefined;
  do {
    const query = { limit: PAGE, labelSelector, fieldSelector, continue: next };
    const page = documentOf(await client.get(request, query, accept));
    for (const item of objectsAt(page, ["items"])) {
      found.push(documentOf({ ...item, apiVersion: toApiVersion(kind), kind: kind.kind }));
    }
    next = stringAt(page, ["metadata", "continue"]);
  } while (next !== undefined);
  return found;
}

/** The object that a reference names, in any version of its kind. */
type ObjectReference = KindReference & { readonly namespace?: string | undefined; readonly name: string };

/** Gets the object of a reference; undefined if the object or its kind does not exist. @throws {ClusterError} */
export async function getIfThere(cluster: Cluster, reference: ObjectReference, { isMetadataOnly }: ListOptions = {}) {
  const kind = findKind(cluster, reference);
  if (kind === undefined) return undefined;
  const request = toApiRequest(kind, "get", kind.isNamespaced ? reference.namespace : undefined, reference.name);
  try {
    return documentOf(await cluster.get(request, {}, isMetadataOnly ? metadataAs("PartialObjectMetadata") : undefined));
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

/** The number of requests at a time: low enough for an API server's fair queues. */
const AT_A_TIME = 8;

/** Works on several items at a time; results keep the items' order. After a failure no further item begins; of several failures, that of the earliest item is thrown. */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const errors: unknown[] = [];
  const queue = items.entries(); // one iterator for all workers: each takes the next item
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (errors.length > 0) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        errors[index] = error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  if (errors.length > 0) throw Object.values(errors)[0]; // in the order of the items
  return results;
}

/** The number of kinds that may be unavailable, each behind its own API server. If more are, the whole cluster counts as unavailable. */
const MAX_UNAVAILABLE = 3;

/** Collects kinds that cannot be read, so that reading goes on with the others. */
export class Unread {
  readonly #found = new Map<string, { readonly kind: ResourceKind; readonly message: string }>();
  #unavailable = 0;

  /** @returns the answer, or `otherwise` where the kind cannot be read. @throws {ClusterError} where no kind can be read. */
  async unless<T, Otherwise>(kind: ResourceKind, answer: Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof ClusterError) || !this.#isOfThisKindOnly(error)) throw error;
      this.#found.set(error.message, { kind, message: error.message });
      return otherwise;
    }
  }

  all() {
    return [...this.#found.values()].sort(
      (a, b) => compareTexts(toFullName(a.kind), toFullName(b.kind)) || compareTexts(a.message, b.message),
    );
  }

  /** Tells whether other kinds can still be read. NotFound: the kind was removed after discovery. */
  #isOfThisKindOnly({ code }: ClusterError): boolean {
    if (code === "Unavailable") this.#unavailable++;
    const isAway = code === "Unavailable" && this.#unavailable <= MAX_UNAVAILABLE;
    return isAway || ["Forbidden", "NotFound", "Refused"].includes(code);
  }
}
