import type { Cluster } from "../cluster/cluster.ts";
import type { ResourceKind } from "../cluster/discovery.ts";
import type { Declaration } from "./declarations.ts";
import { lookUp } from "./look-up.ts";
import { type Ownership, type Standing, standingOf, toCloudResources } from "./ownership.ts";
import { type Question, toName } from "./question.ts";

/** What came of asking for a declaration's owner. */
export interface Checked {
  readonly standing: Standing;
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
    declarations.map(({ question }) => question),
  );
  return declarations.map(({ declarer }, index) => {
    const { holdings = [], installed = false } = found[index] ?? {};
    return { standing: standingOf(declarer, toCloudResources(holdings)), installed };
  });
}

/** `Bucket.s3.aws.upbound.io "orders"`. */
export const titleOf = ({ kind, group, names }: Question): string =>
  `${kind}.${group} ${JSON.stringify(toName(names))}`;

const VERBS: Readonly<Record<Ownership["is"], string>> = {
  Owned: "is owned by",
  Contested: "is owned by more than one, first",
  Releasing: "is still held by, while it is being deleted,",
  Unsettled: "is declared, and not settled yet, by",
};

/** The sentence for a conflict: whose it is, by which managed resource, and since when that exists. */
export function explain(question: Question, standing: Extract<Standing, { is: "theirs" }>): string {
  const { holder, ownership } = standing;
  const { owner, createdAt } = holder.contender;
  const since = createdAt === "" ? "" : ` since ${createdAt}`;
  const cluster = holder.cluster === undefined ? "" : ` in ${holder.cluster}`;
  return `${titleOf(question)} ${VERBS[ownership.is]} ${owner || "somebody"}${cluster} (${holder.resource}${since})`;
}

export const notInstalled = (question: Question): string =>
  `no ${question.kind}.${question.group} is installed here, so nobody in this cluster owns ${titleOf(question)}`;
