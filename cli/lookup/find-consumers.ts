import { judgeSecret } from "../../src/crossplane/connection-secret.ts";
import { CONNECTION_SECRET_REF, type SecretName } from "../../src/crossplane/copies.ts";
import {
  ALLOWED_NAMESPACE_SELECTOR,
  isGrantedByAnnotations,
  REFERENCE_GRANT,
  readGrantees,
  readNamespaceGrant,
} from "../../src/crossplane/grants.ts";
import { readAnnotation } from "../../src/crossplane/metadata.ts";
import { type Reference, resourceKey, toReference } from "../../src/crossplane/references.ts";
import { compareEntries, groupBy } from "../../src/model/collections.ts";
import { type Document, stringAt } from "../../src/model/document.ts";
import { type Consumer, compareConsumers, judgeConsumers, toConsumers, toUses } from "../../src/records/consumer.ts";
import { RECORD_KINDS, RECORD_LABEL, usesLabel } from "../../src/records/record.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { findKind } from "../cluster/discovery.ts";
import { getIfThere, inParallel, list, type Unread } from "../cluster/list.ts";

/** A shared resource (`shared` is undefined if it does not exist), and the XRs that use it or ask for it. */
export type Sharing = Awaited<ReturnType<typeof judgeSharing>>;

/** Finds the XRs that use a shared resource, or ask for it. @param secret its connection Secret, if the shared resource does not name it */
export async function findConsumers(cluster: Cluster, reference: Reference, secret?: SecretName): Promise<Sharing> {
  const records = await listRecords(cluster, `${usesLabel(reference)}=true`);
  const consumers = records.flatMap((record) => toConsumers(record, reference));
  return judgeSharing(cluster, reference, consumers, secret);
}

/** Finds all shared resources that records name, in the order of their names. @throws {ClusterError} */
export async function findSharing(cluster: Cluster, unread: Unread): Promise<readonly Sharing[]> {
  const records = await listRecords(cluster, RECORD_LABEL);
  const uses = records.flatMap((record) => toUses(record));
  const byShared = groupBy(uses, ({ shared }) => resourceKey(shared));
  const references = new Map(uses.map(({ shared }) => [resourceKey(shared), shared]));
  const caching = cacheAnswers(cluster);
  const found = await inParallel([...references].sort(compareEntries), async ([key, reference]) => {
    const consumers = (byShared.get(key) ?? []).map(({ consumer }) => consumer);
    const kind = findKind(cluster, reference);
    const sharing = judgeSharing(caching, reference, consumers);
    // A team's record may name a kind that the caller of this program may not read.
    return kind === undefined ? sharing : unread.unless(kind, sharing, undefined);
  });
  return found.filter((sharing) => sharing !== undefined);
}

/** Makes a client that sends each request once: many shared resources have grants for the same Namespaces. */
function cacheAnswers(cluster: Cluster): Cluster {
  const answers = new Map<string, ReturnType<Cluster["get"]>>();
  const get: Cluster["get"] = (request, ...rest) => {
    const key = JSON.stringify([request.path, ...rest]);
    const answer = answers.get(key) ?? cluster.get(request, ...rest);
    answers.set(key, answer);
    return answer;
  };
  return { ...cluster, get };
}

export async function listRecords(cluster: Cluster, labelSelector: string): Promise<readonly Document[]> {
  const kinds = Object.values(RECORD_KINDS).flatMap((kind) => findKind(cluster, kind) ?? []);
  return (await inParallel(kinds, (kind) => list(cluster, kind, { labelSelector }))).flat();
}

/** Reads a shared resource and its grants, and judges by the grants who of the consumers has access. */
async function judgeSharing(
  cluster: Cluster,
  reference: Reference,
  consumers: readonly Consumer[],
  secret?: SecretName,
) {
  // Of Kubernetes' own kinds, such as Secrets, only the metadata is asked for.
  const shared = await getIfThere(cluster, reference, { isMetadataOnly: !reference.apiVersion.includes("/") });
  const isAnnotated = shared === undefined ? () => false : await readGrant(cluster, shared);
  const grantees = shared === undefined ? [] : await listGrantees(cluster, secret ?? readSecretName(shared));
  return { reference, shared, consumers: judgeConsumers(consumers.toSorted(compareConsumers), isAnnotated, grantees) };
}

/** Reads the shared resource's grants by annotation; the API server matches their label selector. */
async function readGrant(cluster: Cluster, shared: Document): Promise<(namespace: string) => boolean> {
  const grant = readNamespaceGrant(shared);
  const spaces = findKind(cluster, { apiVersion: "v1", kind: "Namespace" });
  const labelSelector = grant.selector && readAnnotation(shared, ALLOWED_NAMESPACE_SELECTOR);
  const matching = spaces && labelSelector ? await list(cluster, spaces, { labelSelector, isMetadataOnly: true }) : [];
  const names = new Set([...grant.names, ...matching.map((space) => toReference(space).name)]);
  return (namespace) => isGrantedByAnnotations({ ...grant, names }, namespace);
}

/** Reads the connection Secret that an XR of Crossplane v1, or a claim, names. */
function readSecretName(shared: Document): SecretName | undefined {
  const name = stringAt(shared, [...CONNECTION_SECRET_REF, "name"]);
  const namespace = stringAt(shared, [...CONNECTION_SECRET_REF, "namespace"]);
  return judgeSecret(shared, name, namespace).secret;
}

async function listGrantees(cluster: Cluster, secret: SecretName | undefined) {
  const { group, kind } = REFERENCE_GRANT;
  const installed = findKind(cluster, { apiVersion: `${group}/v1`, kind });
  if (secret === undefined || installed === undefined) return [];
  return readGrantees(await list(cluster, installed, { namespace: secret.namespace }), secret);
}
