import { compareTexts, groupBy } from "../../src/model/collections.ts";
import { byPrecedence } from "../../src/ownership/contender.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { ResourceKind } from "../cluster/discovery.ts";
import type { Declaration } from "./declarations.ts";
import { type Holding, type ResourceQuery, toName } from "./holding.ts";
import { lookUp } from "./look-up.ts";

/** A cloud resource, and the managed resources that represent it. */
export interface CloudResource {
  readonly identity: string;
  /** All holders by precedence: the owner, or the next owner, first. */
  readonly holdings: readonly [Holding, ...Holding[]];
  readonly ownership: Ownership;
}

/** The ownership of a cloud resource, as the function has decided. */
type Ownership =
  | { readonly is: "Owned"; readonly owner: Holding }
  /** Several managed resources write it: for a moment, or for ever if one is cluster-scoped and another namespaced. */
  | { readonly is: "Contested"; readonly owner: Holding }
  /** Its owner is being deleted; the next holder takes over afterwards. */
  | { readonly is: "Releasing"; readonly owner: Holding }
  /** No owner was promoted yet, as after a restore or in the first moments. */
  | { readonly is: "Unsettled"; readonly next: Holding };

/** Groups managed resources by the cloud resource that they represent, sorted by kind and name. */
export function toCloudResources(holdings: readonly Holding[]): readonly CloudResource[] {
  const byIdentity = groupBy(holdings, ({ contender }) => contender.identity);
  return [...byIdentity].flatMap(([identity, found]) => toCloudResource(identity, found)).sort(byKindAndName);
}

function toCloudResource(identity: string, found: readonly Holding[]): readonly CloudResource[] {
  const sorted = found.toSorted(
    (a, b) => Number(a.contender.isDeleting) - Number(b.contender.isDeleting) || byPrecedence(a.contender, b.contender),
  );
  const [first, ...rest] = sorted;
  if (first === undefined) return [];
  return [{ identity, holdings: [first, ...rest], ownership: toOwnership(first, sorted) }];
}

/**
 * Judges ownership by the rules of the function's verdict: the owner is the first by precedence of the holders that are marked and not
 * being deleted. While a marked one is being deleted, no other has taken over.
 */
function toOwnership(first: Holding, sorted: readonly Holding[]): Ownership {
  const marked = sorted.filter(({ contender }) => contender.isMarked);
  const [owner, ...rivals] = marked.filter(({ contender }) => !contender.isDeleting);
  if (owner !== undefined) return { is: rivals.length === 0 ? "Owned" : "Contested", owner };
  const [leaving] = marked;
  return leaving === undefined ? { is: "Unsettled", next: first } : { is: "Releasing", owner: leaving };
}

const byKindAndName = (a: CloudResource, b: CloudResource): number =>
  compareTexts(toKey(a), toKey(b)) || compareTexts(a.identity, b.identity);

const toKey = ({ holdings: [{ kind, externalName }] }: CloudResource): string =>
  JSON.stringify([kind.kind, kind.group, externalName]);

/** An XR, claim or managed resource that declares a cloud resource, or may declare it. */
export interface Declarer {
  /** `Kind.group/namespace/name` of the claim, or of the XR without one. */
  readonly owner: string;
  /** The managed resource itself, where it is one that is declared: `Bucket.s3.aws.upbound.io/orders`. */
  readonly self?: string | undefined;
}

/** A cloud resource's availability to a declarer. */
type Availability =
  | { readonly is: "free" }
  | { readonly is: "ours" }
  /** Owned by another declarer. `isKnown`: this declarer's managed resource exists, and observes or waits. */
  | { readonly is: "theirs"; readonly ownership: Ownership; readonly holder: Holding; readonly isKnown: boolean };

/**
 * Tells whether a declarer may have a cloud resource.
 *
 * - `free`: it has no holder.
 * - `ours`: the declarer owns it, is its only holder, or is recorded as the owner by all holders (as after a restore, before its own
 *   managed resource is back).
 * - `theirs`: any other. The holder is the marked one, even while it is being deleted, or the first.
 * - A name without a location may match several cloud resources. If one is the declarer's own, that one counts.
 */
export function toAvailability(declarer: Declarer, resources: readonly CloudResource[]): Availability {
  const availabilities = resources.map((resource) => toAvailabilityIn(declarer, resource));
  return (
    availabilities.find(({ is }) => is === "ours") ??
    availabilities.find(({ is }) => is === "theirs") ?? { is: "free" as const }
  );
}

function toAvailabilityIn(declarer: Declarer, { ownership, holdings }: CloudResource): Availability {
  const holder = ownership.is === "Unsettled" ? ownership.next : ownership.owner;
  if (belongsTo(declarer, holder)) return { is: "ours" };
  const isTold = holdings.every((holding) => holding.recordedOwner?.startsWith(`${declarer.owner}#`) === true);
  if (ownership.is === "Unsettled" && isTold) return { is: "ours" };
  return { is: "theirs", ownership, holder, isKnown: holdings.some((holding) => belongsTo(declarer, holding)) };
}

const belongsTo = ({ owner, self }: Declarer, holding: Holding): boolean =>
  holding.contender.owner === owner || holding.self === self;

/** A cloud resource that an object declares and another owner has. */
export interface Conflict {
  readonly owner: string;
  /** The owner, its managed resource, and when that was created. */
  readonly message: string;
  /** True if the declarer's managed resource is there already, and observes or waits. */
  readonly isKnown: boolean;
}

/** The registry's answer to a declaration. */
export interface Checked<Declared extends Declaration = Declaration> {
  readonly declaration: Declared;
  readonly conflict: Conflict | undefined;
  /** Set where no such kind of managed resource is installed: it has no owner, or the mapping names the wrong kind. */
  readonly doubt: string | undefined;
}

/** Asks the registry about all declarations at once. @throws {ClusterError} */
export async function check<Declared extends Declaration>(
  cluster: Cluster,
  kinds: readonly ResourceKind[],
  declarations: readonly Declared[],
): Promise<readonly Checked<Declared>[]> {
  const found = await lookUp(
    cluster,
    kinds,
    declarations.map(({ query }) => query),
  );
  return declarations.map((declaration, index) => {
    const { holdings = [], installed = false } = found[index] ?? {};
    const { declarer, query } = declaration;
    const availability = toAvailability(declarer, toCloudResources(holdings));
    const conflict = availability.is === "theirs" ? toConflict(query, availability) : undefined;
    return { declaration, conflict, doubt: installed ? undefined : notInstalled(query) };
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

function toConflict(
  query: ResourceQuery,
  { holder, ownership, isKnown }: Extract<Availability, { is: "theirs" }>,
): Conflict {
  const { owner, createdAt } = holder.contender;
  const since = createdAt === "" ? "" : ` since ${createdAt}`;
  const cluster = holder.cluster === undefined ? "" : ` in ${holder.cluster}`;
  const holds = `${VERBS[ownership.is]} ${owner || "somebody"}${cluster} (${holder.resource}${since})`;
  return { owner, isKnown, message: `${toTitle(query)} ${holds}` };
}

const notInstalled = (query: ResourceQuery): string =>
  `no ${query.kind}.${query.group} is installed here, so no managed resource in this cluster owns ${toTitle(query)}`;
