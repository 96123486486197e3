import { toConnectionSecret } from "../../src/crossplane/connection-secret.ts";
import { CONNECTION_SECRET_REF, type SecretName } from "../../src/crossplane/copies.ts";
import {
  ALLOWED_NAMESPACE_SELECTOR,
  type Grantee,
  REFERENCE_GRANT,
  readGrantees,
  readNamespaceGrant,
} from "../../src/crossplane/grants.ts";
import { readAnnotation } from "../../src/crossplane/metadata.ts";
import { type Reference, resourceKey } from "../../src/crossplane/references.ts";
import { compareEntries, groupBy } from "../../src/model/collections.ts";
import { type Document, documentOf, stringAt } from "../../src/model/document.ts";
import {
  type Consumer,
  compareConsumers,
  type JudgedConsumer,
  judgeConsumers,
  toConsumers,
  toUses,
} from "../../src/ownership/consumer.ts";
import { RECORD_KINDS, RECORD_LABEL, usesLabel } from "../../src/ownership/record.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { findKind, type ResourceKind, toApiVersion } from "../cluster/discovery.ts";
import { ClusterError } from "../cluster/error.ts";
import { getIfThere, inParallel, list } from "../cluster/list.ts";
import { findKindOf } from "./find-kind.ts";

export interface Consumers {
  /** Undefined where it does not exist; its consumers may. */
  readonly shared: Document | undefined;
  readonly consumers: readonly JudgedConsumer[];
}

/** A shared resource, and its connection Secret where that is not the one of its `spec.writeConnectionSecretToRef`. */
export interface Shared extends Pick<Reference, "name" | "namespace"> {
  readonly secret?: SecretName | undefined;
}

/**
 * Finds who uses a shared resource, or asks for it, by the records of their XRs.
 *
 * @throws {ClusterError}
 */
export async function findConsumers(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  kind: ResourceKind,
  { name, namespace, secret }: Shared,
): Promise<Consumers> {
  const reference = { apiVersion: toApiVersion(kind), kind: kind.kind, namespace, name };
  const records = await listRecords(cluster, kinds, `${usesLabel(reference)}=true`);
  const consumers = records.flatMap((record) => toConsumers(record, reference));
  return judge(cluster, kinds, kind, { name, namespace, secret }, consumers);
}

/** A shared resource, and who uses it or asks for it. */
export interface Sharing extends Consumers {
  readonly reference: Reference;
  /** Why it could not be read: a team's record may name what only others may read. */
  readonly error?: ClusterError;
}

/**
 * Finds all shared resources that records name, in the order of their names.
 *
 * @throws {ClusterError}
 */
export async function findSharing(cluster: Cluster, kinds: readonly ResourceKind[]): Promise<readonly Sharing[]> {
  const records = await listRecords(cluster, kinds, RECORD_LABEL);
  const uses = records.flatMap((record) => toUses(record));
  const byShared = groupBy(uses, ({ shared }) => resourceKey(shared));
  const references = new Map(uses.map(({ shared }) => [resourceKey(shared), shared]));
  return inParallel([...references].sort(compareEntries), async ([key, reference]) => {
    const consumers = (byShared.get(key) ?? []).map(({ consumer }) => consumer);
    const kind = findKindOf(kinds, reference);
    const none = { reference, shared: undefined, consumers: judgeConsumers(consumers, () => false, []) };
    if (kind === undefined) return none;
    try {
      return { reference, ...(await judge(cluster, kinds, kind, reference, consumers)) };
    } catch (error) {
      if (error instanceof ClusterError && (error.code === "Forbidden" || error.code === "Refused"))
        return { ...none, error };
      throw error;
    }
  });
}

/** Lists the records in the cluster. */
export async function listRecords(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  labelSelector: string,
): Promise<readonly Document[]> {
  const recordKinds = Object.values(RECORD_KINDS).flatMap((kind) => findKindOf(kinds, kind) ?? []);
  const records = await inParallel(recordKinds, (kind) => list(cluster, kind, { labelSelector }));
  return records.flat().map(documentOf);
}

/** Reads a shared resource, and its grants, by which it judges the consumers. */
async function judge(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  kind: ResourceKind,
  { name, namespace, secret }: Shared,
  consumers: readonly Consumer[],
): Promise<Consumers> {
  // Of Kubernetes' own kinds, such as Secrets, only the metadata is asked for.
  const found = await getIfThere(cluster, kind, name, namespace, { isMetadataOnly: kind.group === "" });
  const shared = found && documentOf(found);
  const isAnnotated = shared === undefined ? () => false : await readGrant(cluster, kinds, shared);
  const grantees = shared === undefined ? [] : await listGrantees(cluster, kinds, secret ?? readSecretName(shared));
  return { shared, consumers: judgeConsumers(consumers.toSorted(compareConsumers), isAnnotated, grantees) };
}

/** Reads the annotations of the shared resource; a label selector is the API server's to match. */
async function readGrant(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  shared: Document,
): Promise<(namespace: string) => boolean> {
  const { names, isForAll, selector } = readNamespaceGrant(shared);
  const spaces = findKind(kinds, { group: "", kind: "Namespace" });
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

/** Reads which Secret an XR of Crossplane v1, or a claim, names as its connection Secret. */
function readSecretName(shared: Document): SecretName | undefined {
  const name = stringAt(shared, [...CONNECTION_SECRET_REF, "name"]);
  const namespace = stringAt(shared, [...CONNECTION_SECRET_REF, "namespace"]);
  const found = toConnectionSecret(shared, name, namespace);
  return found.is === "named" ? found.secret : undefined;
}

/** Lists whom ReferenceGrants beside the Secret name. */
async function listGrantees(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  secret: SecretName | undefined,
): Promise<readonly Grantee[]> {
  const installed = findKind(kinds, REFERENCE_GRANT);
  if (secret === undefined || installed === undefined) return [];
  const grants = await list(cluster, installed, { namespace: secret.namespace });
  return readGrantees(grants.map(documentOf), secret);
}
