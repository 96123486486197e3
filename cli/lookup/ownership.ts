import { withoutScope } from "../../src/crossplane/api-group.ts";
import { readAnnotation, readLabel } from "../../src/crossplane/metadata.ts";
import { compareTexts, groupBy } from "../../src/model/collections.ts";
import { EXTERNAL_NAME_LABEL, IDENTITY_LABEL, TAGS_OWNER } from "../../src/ownership/annotations.ts";
import { byPrecedence } from "../../src/ownership/contender.ts";
import { isLiving } from "../../src/ownership/contenders.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { ResourceKind } from "../cluster/discovery.ts";
import { inParallel, type ListOptions, list } from "../cluster/list.ts";
import type { Declaration } from "./declarations.ts";
import { type Holding, isInPlace, type ResourceQuery, toHolding, toLabel, toName } from "./holding.ts";

/** The number of names in one request; a URL holds some hundred. */
const BATCH = 50;

/**
 * Finds the managed resources that represent each cloud resource. The API server selects them by the function's label:
 * one request for up to fifty names of a kind.
 *
 * @throws {ClusterError}
 */
export async function lookUp(cluster: Cluster, queries: readonly ResourceQuery[]) {
  const asked = queries.map((query) => ({ query, label: toLabel(query) }));
  const wanted = asked.flatMap(({ query, label }) => findKinds(query, cluster).map((kind) => ({ kind, label })));
  const byKind = groupBy(wanted, ({ kind }) => kind);
  const requests = [...byKind].flatMap(([kind, own]) => {
    const labels = [...new Set(own.map(({ label }) => label))].sort();
    // A batch begins at every fiftieth label.
    return labels.flatMap((_, index) =>
      index % BATCH === 0 ? [{ kind, batch: labels.slice(index, index + BATCH) }] : [],
    );
  });
  const lists = await inParallel(requests, ({ kind, batch }) =>
    listHoldings(cluster, kind, { labelSelector: `${EXTERNAL_NAME_LABEL} in (${batch.join()})` }),
  );
  const byLabel = groupBy(lists.flat(), ({ contender }) => readLabel(contender.document, EXTERNAL_NAME_LABEL));
  return asked.map(({ query, label }) =>
    (byLabel.get(label) ?? []).filter((holding) => isInPlace(query, holding.query)),
  );
}

/** Finds the kinds of managed resource that can represent a cloud resource: a provider's cluster-scoped and namespaced one. */
export const findKinds = ({ group, kind }: Pick<ResourceQuery, "group" | "kind">, { kinds }: Pick<Cluster, "kinds">) =>
  kinds.filter((candidate) => candidate.kind === kind && withoutScope(candidate.group) === group);

/** Finds the managed resources with this metadata.name, and all others of the same cloud resources. */
export async function lookUpManaged(cluster: Cluster, kind: ResourceKind, name: string): Promise<readonly Holding[]> {
  const named = await listHoldings(cluster, kind, { fieldSelector: `metadata.name=${name}` });
  const identities = new Set(named.flatMap(({ contender }) => contender.identity ?? []));
  const found = await inParallel([...identities].sort(), (identity) =>
    listHoldings(cluster, kind, { labelSelector: `${IDENTITY_LABEL}=${identity}` }),
  );
  return found.flat();
}

export async function listHoldings(cluster: Cluster, kind: ResourceKind, options: ListOptions = {}) {
  const found = await list(cluster, kind, { labelSelector: IDENTITY_LABEL, ...options });
  return found.map((document) => toHolding(document, kind));
}

/** A cloud resource, and the managed resources that represent it. */
export interface CloudResource {
  readonly identity: string;
  /** All holders by precedence: the owner, or the next owner, first. Those that are being deleted come last. */
  readonly holdings: readonly [Holding, ...Holding[]];
  readonly state: OwnershipState;
  /** The owner; while there is none (`Unsettled`), the next owner. */
  readonly holder: Holding;
}

/**
 * - `Owned`: one managed resource writes it.
 * - `Contested`: several write it. That passes, unless one is cluster-scoped and another namespaced.
 * - `Releasing`: its owner is being deleted; the next holder takes over afterwards.
 * - `Unsettled`: the function has not made one the owner yet, as after a restore or in the first moments.
 */
type OwnershipState = "Owned" | "Contested" | "Releasing" | "Unsettled";

/** Groups managed resources by the cloud resource that they represent, sorted by kind and name. */
export function toCloudResources(holdings: readonly Holding[]): readonly CloudResource[] {
  const byIdentity = groupBy(holdings, ({ contender }) => contender.identity);
  return [...byIdentity]
    .flatMap(([identity, found]) => toCloudResource(identity, found))
    .sort((a, b) => compareTexts(toKey(a), toKey(b)));
}

/** Judges ownership as the function does. While an owner is being deleted, no other has taken over. */
function toCloudResource(identity: string, found: readonly Holding[]): readonly CloudResource[] {
  const [first, ...rest] = found.toSorted(
    (a, b) => Number(a.contender.isDeleting) - Number(b.contender.isDeleting) || byPrecedence(a.contender, b.contender),
  );
  if (first === undefined) return [];
  const holdings = [first, ...rest] as const;
  const promoted = holdings.filter(({ contender }) => contender.isMarked);
  const [owner, rival] = promoted.filter(({ contender }) => isLiving(contender));
  if (owner !== undefined) return [{ identity, holdings, state: rival ? "Contested" : "Owned", holder: owner }];
  const [leaving] = promoted;
  return [{ identity, holdings, state: leaving ? "Releasing" : "Unsettled", holder: leaving ?? first }];
}

const toKey = ({ identity, holdings: [{ kind, externalName }] }: CloudResource): string =>
  JSON.stringify([kind.kind, kind.group, externalName, identity]);

/** The registry's answer to declarations. */
export type Checked<Declared extends Declaration = Declaration> = Awaited<ReturnType<typeof check<Declared>>>;

/** Asks the registry about all declarations at once. @throws {ClusterError} */
export async function check<Declared extends Declaration>(cluster: Cluster, declarations: readonly Declared[]) {
  const queries = declarations.map(({ query }) => query);
  const found = await lookUp(cluster, queries);
  const conflicts = declarations.flatMap((declaration, index) => {
    const conflict = findConflict(declaration, toCloudResources(found[index] ?? []));
    return conflict === undefined ? [] : [{ declaration, ...conflict }];
  });
  // Of a kind that is not installed no cloud resource can have an owner, or the mapping names the wrong kind.
  const missing = queries.filter((query) => findKinds(query, cluster).length === 0);
  return { conflicts, doubts: [...new Set(missing.map(notInstalled))] };
}

/** Finds another owner of a declared cloud resource; none if one of several with that name is the declarer's. */
export function findConflict(declaration: Declaration, resources: readonly CloudResource[]) {
  const [first] = resources;
  if (first === undefined || resources.some((resource) => isOwn(declaration, resource))) return undefined;
  const { holdings, holder, state } = first;
  const { owner, createdAt } = holder.contender;
  const since = createdAt === "" ? "" : ` since ${createdAt}`;
  const where = holder.cluster === undefined ? "" : ` in ${holder.cluster}`;
  return {
    owner,
    /** True if the declarer's own managed resource exists already, and observes or waits. */
    isKnown: holdings.some((holding) => belongsTo(declaration, holding)),
    message: `${toTitle(declaration.query)} ${VERBS[state]} ${owner || "somebody"}${where} (${holder.resource}${since})`,
  };
}

type Declarer = Pick<Declaration, "owner" | "self">;

/**
 * Tells whether a cloud resource is the declarer's: the declarer owns it or is the next owner, or all its managed
 * resources record the declarer as the owner. The latter holds after a restore, until the owner's managed resource is back.
 */
function isOwn(declarer: Declarer, { holdings, holder, state }: CloudResource): boolean {
  if (belongsTo(declarer, holder)) return true;
  const isTold = ({ contender }: Holding) =>
    readAnnotation(contender.document, TAGS_OWNER)?.startsWith(`${declarer.owner}#`) === true;
  return state === "Unsettled" && holdings.every(isTold);
}

const belongsTo = ({ owner, self }: Declarer, holding: Holding): boolean =>
  holding.contender.owner === owner || holding.self === self;

/** Formats a cloud resource for messages: `Bucket.s3.aws.upbound.io "orders"`. */
export const toTitle = ({ kind, group, names }: ResourceQuery): string =>
  `${kind}.${group} ${JSON.stringify(toName(names))}`;

const VERBS: Readonly<Record<OwnershipState, string>> = {
  Owned: "is owned by",
  Contested: "has several owners, the first of which is",
  Releasing: "is owned, until its managed resource is deleted, by",
  Unsettled: "has no owner yet, and the next one is",
};

const notInstalled = (query: ResourceQuery): string =>
  `${query.kind}.${query.group} is not installed, so no managed resource in this cluster owns ${toTitle(query)}`;
