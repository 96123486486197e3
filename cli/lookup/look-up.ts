import { withoutScope } from "../../src/crossplane/api-group.ts";
import { groupBy } from "../../src/model/collections.ts";
import { EXTERNAL_NAME_LABEL, IDENTITY_LABEL } from "../../src/ownership/annotations.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { ResourceKind } from "../cluster/discovery.ts";
import { inParallel, type ListOptions, list } from "../cluster/list.ts";
import { type Holding, isInPlace, type ResourceQuery, toHolding, toLabel } from "./holding.ts";

/**
 * Finds the holders of a cloud resource. The managed resources are the registry, and the labels that the function writes on them are its
 * index: the API server selects by label, so the answer is as long as there are holders, however many managed resources there are.
 */

/** The number of names in one request; a URL holds some hundred. */
const BATCH = 50;

/** The holdings found for a query. `installed`: false if the kind of managed resource is not installed. */
export interface LookUpResult {
  readonly holdings: readonly Holding[];
  readonly installed: boolean;
}

/** Looks up all queries, with one request for each kind, or for each fifty names of a kind. @throws {ClusterError} */
export async function lookUp(cluster: Cluster, queries: readonly ResourceQuery[]): Promise<readonly LookUpResult[]> {
  const asked = queries.map((query) => ({ query, label: toLabel(query), found: findKinds(query, cluster) }));
  const requests = asked.flatMap(({ label, found }) => found.map((kind) => ({ kind, label })));
  const byKind = groupBy(requests, ({ kind }) => kind);
  const lists = await inParallel([...byKind], ([kind, own]) => {
    const labels = new Set(own.map(({ label }) => label));
    return listByLabel(cluster, kind, [...labels].sort());
  });
  const byLabel = groupBy(lists.flat(), ({ externalNameLabel }) => externalNameLabel);
  return asked.map(({ query, label, found }) => ({
    holdings: (byLabel.get(label) ?? []).filter((holding) => isInPlace(query, holding)),
    installed: found.length > 0,
  }));
}

/** Finds the kinds of managed resource that can represent it: the cluster-scoped and the namespaced one of a provider. */
export const findKinds = (
  { group, kind }: Pick<ResourceQuery, "group" | "kind">,
  { kinds }: Pick<Cluster, "kinds">,
): readonly ResourceKind[] =>
  kinds.filter((candidate) => candidate.kind === kind && withoutScope(candidate.group) === group);

async function listByLabel(
  cluster: Cluster,
  kind: ResourceKind,
  labels: readonly string[],
): Promise<readonly Holding[]> {
  const batches = Array.from({ length: Math.ceil(labels.length / BATCH) }, (_, index) =>
    labels.slice(index * BATCH, (index + 1) * BATCH),
  );
  const found = await inParallel(batches, (batch) =>
    listHoldings(cluster, kind, { labelSelector: among(EXTERNAL_NAME_LABEL, batch) }),
  );
  return found.flat();
}

const among = (label: string, values: readonly string[]): string =>
  values.length === 1 ? `${label}=${values[0]}` : `${label} in (${values.join(",")})`;

/** Finds all managed resources of the cloud resources that those of this name represent. */
export async function lookUpManaged(cluster: Cluster, kind: ResourceKind, name: string): Promise<readonly Holding[]> {
  const named = await listHoldings(cluster, kind, { fieldSelector: `metadata.name=${name}` });
  const identities = new Set(named.flatMap(({ contender }) => contender.identity ?? []));
  const found = await inParallel([...identities].sort(), (identity) =>
    listHoldings(cluster, kind, { labelSelector: `${IDENTITY_LABEL}=${identity}` }),
  );
  return found.flat();
}

/** Lists the registered managed resources of a kind. */
export async function listHoldings(
  cluster: Cluster,
  kind: ResourceKind,
  options: ListOptions = {},
): Promise<readonly Holding[]> {
  const found = await list(cluster, kind, { labelSelector: IDENTITY_LABEL, ...options });
  return found.map((document) => toHolding(document, kind));
}
