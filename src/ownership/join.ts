import { readGlobalId } from "../crossplane/account.ts";
import type { Cloud } from "../crossplane/providers/families.ts";
import { once } from "../model/once.ts";
import { byPrecedence, type Contender } from "./contender.ts";
import { isNamedByOurs, looksByName } from "./contender-requirements.ts";
import { findLiving, firstOther, isLiving } from "./contenders.ts";
import { hasLooked, type KnownContenders, type Namesake } from "./find-contenders.ts";
import type { Candidate, CloudResource } from "./identity.ts";
import { isSameConfig } from "./known-account.ts";

/** The outcome of a search for the same cloud resource behind other ProviderConfigs. */
export type Join =
  | { readonly is: "pending" }
  /**
   * Ours takes on no other account: it found no managed resource to join, or did not look. `hasSettled`: ours owns its cloud resource, and
   * need not look again. `isFollowed`: a managed resource with another ProviderConfig will, or may, still join ours.
   */
  | { readonly is: "alone"; readonly hasSettled: boolean; readonly isFollowed: boolean }
  /** Ours joins another managed resource. `declared`: our cloud resource, with the account of that managed resource. */
  | { readonly is: "same"; readonly declared: CloudResource }
  /**
   * Nothing tells whether `other`, which owns or writes, is in our account. `isCreating`: the provider of `other` has not found a cloud
   * resource yet, and may be creating the one that ours has found.
   */
  | { readonly is: "untold"; readonly other: Contender; readonly isCreating: boolean };

/** The most accounts that are compared for one name and place: the ProviderConfig of each has to be looked up. */
const MAX_COMPARED = 10;

/**
 * Looks for a managed resource that declares the same cloud resource by another ProviderConfig, since several may lead into one account.
 * Ours joins the first (`byOrder`) that `isSameAccount` recognizes, and takes on its account, so that both get the same identity.
 */
export function findSame(candidate: Candidate, known: KnownContenders, cloud: Cloud | undefined): Join {
  if (!looksByName(candidate) || isRecalled(candidate, known)) return NOT_LOOKED;
  const namesakes = known.findNamesakes(candidate);
  if (namesakes === undefined) return { is: "pending" };
  const compare = (other: Namesake): SameAccount => isSameAccount(candidate, other, known, cloud);
  const others = listOthers(namesakes, candidate);
  for (const other of others.ahead) {
    const join = judgeJoin(compare(other), candidate, other);
    if (join !== undefined) return join;
  }
  const { own } = candidate;
  // Of two managed resources that were promoted at once, at least one then sees the other in its list.
  const isListed = own?.observation === "present" && namesakes.some(({ one }) => one.uid === own.uid && one.isMarked);
  const mayBeImported = isNamedByOurs(candidate) && !isListed && hasImporters(candidate, known);
  const compared = others.behind.map((other) => [compare(other), other.one] as const);
  const isFollowed = mayBeImported || compared.some(([isSame]) => isSame === true);
  const mayBeFollowed = compared.some(
    ([isSame, one]) => isSame === undefined && one.isWriting && one.observation !== "present",
  );
  return { is: "alone", hasSettled: !isFollowed && !mayBeFollowed && isListed, isFollowed };
}

/**
 * Tells whether ours recalls the first contender from an earlier reconcile, and both have the same identity label. If the labels differ,
 * the first contender has joined another account since: then ours looks again, and follows.
 */
function isRecalled(candidate: Candidate, known: KnownContenders): boolean {
  const first = known.recallFirst(candidate);
  return first !== undefined && candidate.forms.some(({ identity }) => identity === (first.identity ?? identity));
}

export const NOT_LOOKED: Join = { is: "alone", hasSettled: false, isFollowed: false };

/**
 * Tells whether another managed resource has the name that our provider chose. It may import our cloud resource, and its XR may have looked
 * for contenders before ours was labelled.
 */
const hasImporters = ({ kind, externalName, own }: Candidate, known: KnownContenders): boolean =>
  firstOther(findLiving(known.listNamesakes(kind, externalName) ?? []), own?.uid) !== undefined;

/**
 * Judges whether ours joins a namesake; undefined if the namesake is in another account, or does not matter: nothing tells its account, and
 * our provider has not found the cloud resource, or the namesake neither owns nor writes.
 */
function judgeJoin(isSame: SameAccount, { own, declared }: Candidate, { one, read }: Namesake): Join | undefined {
  if (isSame === "pending") return { is: "pending" };
  if (isSame !== undefined) return isSame ? { is: "same", declared: joinTo(declared, read) } : undefined;
  if (own?.observation !== "present" || !(one.isMarked || one.isWriting)) return undefined;
  return { is: "untold", other: one, isCreating: one.observation !== "present" };
}

/** True if two managed resources are in one account; undefined if nothing tells. */
type SameAccount = boolean | "pending" | undefined;

/** Gives our cloud resource the account of another managed resource, unless the input names the accounts of both. */
const joinTo = (declared: CloudResource, { account, inputAccount }: CloudResource): CloudResource =>
  declared.inputAccount === undefined || inputAccount === undefined
    ? { ...declared, account, inputAccount, isAccountKnown: true }
    : declared;

/**
 * Compares by the order in which namesakes are joined: by the first of the conditions below that holds, then by precedence. First is an
 * owner whose account is known, which looks for no others and would join none.
 */
function byOrder(a: Namesake, b: Namesake): number {
  const rank = ({ one: { isMarked, isCreated }, read: { isAccountKnown: known, inputAccount } }: Namesake): number =>
    [
      known && isMarked && (isCreated || inputAccount === undefined),
      isMarked && isCreated,
      known && inputAccount !== undefined,
      isCreated,
      isMarked,
      known,
      true,
    ].indexOf(true);
  return rank(a) - rank(b) || byPrecedence(a.one, b.one);
}

/** Managed resources of one name and place: the first of each account, at most MAX_COMPARED, and the first of each id of the cloud. */
interface Indexed {
  readonly byAccount: Map<string, Namesake>;
  readonly byId: Map<string, Namesake>;
}

/** Indexes the namesakes that may share a cloud resource by name and place, once for all resources of an XR. */
const indexNamesakes = once((namesakes: readonly Namesake[]): ReadonlyMap<string, Indexed> => {
  const index = new Map<string, Indexed>();
  const mayShare = ({ one }: Namesake): boolean => (isLiving(one) || one.isDeleting) && hasLooked(one);
  for (const each of namesakes.filter(mayShare).sort(byOrder)) {
    const { byAccount, byId } = index.get(toKey(each.read)) ?? { byAccount: new Map(), byId: new Map() };
    const id = readGlobalId(each.one.document);
    if (byAccount.size < MAX_COMPARED && !byAccount.has(each.read.account)) byAccount.set(each.read.account, each);
    if (id !== undefined && !byId.has(id)) byId.set(id, each);
    index.set(toKey(each.read), { byAccount, byId });
  }
  return index;
});

/** Formats name and place: the identity without the account. */
const toKey = ({ hashed }: CloudResource): string => JSON.stringify(hashed);

/**
 * Lists the first namesake in each other account, and before them the namesake with our id in the cloud. Ours may join those `ahead`, which
 * precede ours and all in our account; those `behind` may join ours.
 */
function listOthers(namesakes: readonly Namesake[], { own, declared }: Candidate) {
  const { byAccount, byId } = indexNamesakes(namesakes).get(toKey(declared)) ?? NOT_INDEXED;
  const found = byId.get((own && readGlobalId(own.document)) ?? "");
  const ours = [byAccount.get(declared.account), own && { one: own, read: declared }];
  const others = [...(found ? [found] : []), ...byAccount.values()].filter(
    ({ one, read }) => read.account !== declared.account && one.uid !== own?.uid,
  );
  const isAhead = (other: Namesake): boolean => ours.every((one) => !one || byOrder(other, one) < 0);
  return { ahead: others.filter(isAhead), behind: others.filter((other) => !isAhead(other)) };
}

const NOT_INDEXED: Indexed = { byAccount: new Map(), byId: new Map() };

function isSameAccount(
  { own, declared, desired, namespace }: Candidate,
  { one, read }: Namesake,
  known: KnownContenders,
  cloud: Cloud | undefined,
): SameAccount {
  if (isSameConfig(declared, read)) return true;
  const [ourId, id] = [own && readGlobalId(own.document), readGlobalId(one.document)];
  if (ourId !== undefined && id !== undefined) return ourId === id;
  const told = compareAccounts(
    declared.inputAccount ?? known.findAccount(desired, cloud, namespace),
    read.inputAccount ?? known.findAccount(one.document, cloud),
  );
  const areAlike = (declared.inputAccount === undefined) === (read.inputAccount === undefined);
  if (told !== false || areAlike) return told;
  // The input and a ProviderConfig may name one account differently: then only two ProviderConfigs tell.
  return compareAccounts(known.findAccount(desired, cloud, namespace), known.findAccount(one.document, cloud));
}

/** Compares two accounts, each of which may be pending or unknown. */
function compareAccounts(a: string | undefined, b: string | undefined): SameAccount {
  if (a === "pending" || b === "pending") return "pending";
  return a === undefined || b === undefined ? undefined : a === b;
}
