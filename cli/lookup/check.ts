import type { Cluster } from "../cluster/cluster.ts";
import type { ResourceKind } from "../cluster/discovery.ts";
import type { Declaration } from "./declarations.ts";
import { lookUp } from "./look-up.ts";
import { type Availability, type Ownership, toAvailability, toCloudResources } from "./ownership.ts";
import { type ResourceQuery, toName } from "./query.ts";

/** The answer to a declaration: who may have the cloud resource. */
export interface Checked {
  readonly availability: Availability;
  /** False where no such kind of managed resource is installed: then nobody owns one, or the mapping names the wrong kind. */
  readonly installed: boolean;
}

/** Asks the registry about all of them at once; the answers are in their order. @throws {ClusterError} */
export async function check(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  declarations: readonly Declaration[],
): Promise<readonly Checked[]> {
  const found = await lookUp(
    cluster,
    kinds,
    declarations.map(({ query }) => query),
  );
  return declarations.map(({ declarer }, index) => {
    const { holdings = [], installed = false } = found[index] ?? {};
    return { availability: toAvailability(declarer, toCloudResources(holdings)), installed };
  });
}

/** `Bucket.s3.aws.upbound.io "orders"`. */
export const toTitle = ({ kind, group, names }: ResourceQuery): string =>
  `${kind}.${group} ${JSON.stringify(toName(names))}`;

const VERBS: Readonly<Record<Ownership["is"], string>> = {
  Owned: "is owned by",
  Contested: "is owned by more than one, first",
  Releasing: "is still held by, while it is being deleted,",
  Unsettled: "is declared, and not settled yet, by",
};

/** The sentence for a conflict: whose it is, by which managed resource, and since when that exists. */
export function explain(query: ResourceQuery, availability: Extract<Availability, { is: "theirs" }>): string {
  const { holder, ownership } = availability;
  const { owner, createdAt } = holder.contender;
  const since = createdAt === "" ? "" : ` since ${createdAt}`;
  const cluster = holder.cluster === undefined ? "" : ` in ${holder.cluster}`;
  return `${toTitle(query)} ${VERBS[ownership.is]} ${owner || "somebody"}${cluster} (${holder.resource}${since})`;
}

export const notInstalled = (query: ResourceQuery): string =>
  `no ${query.kind}.${query.group} is installed here, so nobody in this cluster owns ${toTitle(query)}`;
