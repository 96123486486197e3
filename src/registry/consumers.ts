import type { Cluster } from "../cluster/cluster.ts";
import type { ResourceKind } from "../cluster/discovery.ts";
import { ClusterError } from "../cluster/error.ts";
import { inParallel } from "../cluster/in-parallel.ts";
import { getMetadata, list } from "../cluster/list.ts";
import { toApiGroup } from "../crossplane/api-group.ts";
import { COPY_KINDS, type CopyKind, SHARED_RESOURCE_LABEL, sharedResourceLabel } from "../crossplane/copies.ts";
import { readAnnotation } from "../crossplane/metadata.ts";
import { ALLOWED_NAMESPACE_SELECTOR, readNamespaceGrant } from "../crossplane/namespace-grant.ts";
import type { Reference } from "../crossplane/references.ts";
import { documentOf, stringAt } from "../model/document.ts";
import { type Consumer, compareConsumers, toConsumer } from "../ownership/consumer.ts";

/** A consumer of a shared resource. */
export interface FoundConsumer extends Consumer {
  readonly isGranted: boolean;
}

export interface Consumers {
  /** False where the shared resource is not there; its copies may be. */
  readonly isThere: boolean;
  readonly consumers: readonly FoundConsumer[];
}

/**
 * Finds who has a copy of a shared resource's connection Secret, by the label that copies carry. Of Secrets only the metadata is
 * asked for.
 *
 * @throws {ClusterError}
 */
export async function findConsumers(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  kind: ResourceKind,
  { name, namespace }: Pick<Reference, "name" | "namespace">,
): Promise<Consumers> {
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  const label = sharedResourceLabel({ apiVersion, kind: kind.kind, namespace, name })[SHARED_RESOURCE_LABEL];
  const labelSelector = `${SHARED_RESOURCE_LABEL}=${label}`;
  const lists = await inParallel(copyKinds(kinds), async ({ is, kind: copyKind }) => {
    const copies = await list(cluster, copyKind, { labelSelector, isMetadataOnly: is === "Secret" });
    return copies.flatMap((copy) => toConsumer(documentOf(copy), is) ?? []);
  });
  const shared = await getIfThere(cluster, kind, name, namespace);
  const isGranted = shared === undefined ? () => false : await readGrant(cluster, kinds, shared);
  const consumers = lists
    .flat()
    .sort(compareConsumers)
    .map((consumer) => ({ ...consumer, isGranted: consumer.namespaces.every(isGranted) }));
  return { isThere: shared !== undefined, consumers };
}

interface InstalledCopyKind {
  readonly is: CopyKind;
  readonly kind: ResourceKind;
}

/** The kinds that make copies, as far as they are installed. */
function copyKinds(kinds: readonly ResourceKind[]): readonly InstalledCopyKind[] {
  return (Object.keys(COPY_KINDS) as readonly CopyKind[]).flatMap((is) => {
    const { apiVersion, kind } = COPY_KINDS[is];
    const found = kinds.find((one) => one.kind === kind && one.group === toApiGroup(apiVersion));
    return found === undefined ? [] : [{ is, kind: found }];
  });
}

async function getIfThere(cluster: Cluster, kind: ResourceKind, name: string, namespace: string | undefined) {
  try {
    return documentOf(await getMetadata(cluster, kind, name, namespace));
  } catch (error) {
    if (error instanceof ClusterError && error.code === "NotFound") return undefined;
    throw error;
  }
}

/** Reads the annotations of the shared resource; a label selector is the API server's to match. */
async function readGrant(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  shared: ReturnType<typeof documentOf>,
): Promise<(namespace: string) => boolean> {
  const { names, isForAll, selector } = readNamespaceGrant(shared);
  const spaces = kinds.find(({ kind, group }) => kind === "Namespace" && group === "");
  const labelSelector = readAnnotation(shared, ALLOWED_NAMESPACE_SELECTOR);
  const matching =
    selector === undefined || labelSelector === undefined || spaces === undefined
      ? []
      : await list(cluster, spaces, { labelSelector, isMetadataOnly: true });
  const granted = new Set([
    ...names,
    ...matching.flatMap((space) => stringAt(documentOf(space), ["metadata", "name"]) ?? []),
  ]);
  return (namespace) => isForAll || granted.has(namespace);
}
