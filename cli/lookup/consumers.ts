import { toApiGroup } from "../../src/crossplane/api-group.ts";
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
import type { Reference } from "../../src/crossplane/references.ts";
import { type Document, documentOf, stringAt } from "../../src/model/document.ts";
import { compareConsumers, type JudgedConsumer, judgeConsumers, toConsumers } from "../../src/ownership/consumer.ts";
import { RECORD_KINDS, usesLabel } from "../../src/ownership/record.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { findKind, type ResourceKind, toApiVersion } from "../cluster/discovery.ts";
import { getIfThere, inParallel, list } from "../cluster/list.ts";

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
  const labelSelector = `${usesLabel(reference)}=true`;
  const recordKinds = Object.values(RECORD_KINDS).flatMap(
    (recordKind) => findKind(kinds, toGroupAndKind(recordKind)) ?? [],
  );
  const records = await inParallel(recordKinds, (recordKind) => list(cluster, recordKind, { labelSelector }));
  // Of Kubernetes' own kinds, such as Secrets, only the metadata is asked for.
  const found = await getIfThere(cluster, kind, name, namespace, { isMetadataOnly: kind.group === "" });
  const shared = found && documentOf(found);
  const isAnnotated = shared === undefined ? () => false : await readGrant(cluster, kinds, shared);
  const grantees = shared === undefined ? [] : await listGrantees(cluster, kinds, secret ?? readSecretName(shared));
  const unjudged = records.flat().flatMap((record) => toConsumers(documentOf(record), reference));
  const consumers = judgeConsumers(unjudged.sort(compareConsumers), isAnnotated, grantees);
  return { shared, consumers };
}

const toGroupAndKind = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) => ({
  group: toApiGroup(apiVersion),
  kind,
});

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
