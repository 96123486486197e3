import { readCreationTime } from "../../crossplane/managed-resource.ts";
import { ALL_ACTIONS, mayDelete, OBSERVE, withoutDelete } from "../../crossplane/management-policies.ts";
import { EXTERNAL_NAME, EXTERNAL_NAME_KEY, readAnnotation } from "../../crossplane/metadata.ts";
import { shownCondition } from "../../model/condition.ts";
import { stringAt } from "../../model/document.ts";
import { CONTENDERS, CREATED_BEFORE, contenderId, ORIGIN, TAGS_OWNER } from "../../ownership/annotations.ts";
import { type Contender, formatAcknowledged, isNamed } from "../../ownership/contender.ts";
import { type Contenders, findNamed, firstOther } from "../../ownership/contenders.ts";
import type { OwnershipVerdict } from "../../ownership/ownership-verdict.ts";
import { type Annotations, findMove, type Part, readFormerCreation } from "./move.ts";
import type { Subject } from "./subject.ts";
import type { TagReason } from "./tags-condition.ts";
import type { WantedTags } from "./wanted.ts";

/** The part that a managed resource plays as a contender, and the reason. */
export interface Settlement extends Part {
  readonly reason: TagReason;
}

/** The verdict on an owner, or that a reference still hides which cloud resource there is to judge. */
type Verdict = OwnershipVerdict | { readonly is: "unresolved" };
type Ours = Extract<Verdict, { is: "ours" }>;
type Theirs = Extract<Verdict, { is: "theirs" }>;

/** Our managed resource among the contenders for the cloud resource that it declares. */
interface Entrant {
  readonly subject: Subject;
  readonly wanted: WantedTags;
  readonly contenders: Contenders | undefined;
  /** True if the observed resource declares another cloud resource. */
  readonly hasMoved: boolean;
}

/** Acts on a verdict. While an answer is pending, nothing changes, unless ours now declares another cloud resource. */
export function settle(verdict: Verdict, entrant: Entrant): Settlement {
  const { own } = entrant.subject;
  const move = verdict.is === "deleting" ? undefined : findMove(own, entrant.hasMoved);
  const name = nameAssociation(verdict, entrant, move !== undefined);
  const acted = move === undefined ? actOn(verdict, entrant, name) : holdBack(move, verdict, entrant);
  // The creation of the former cloud resource does not count as the creation of this one.
  const before = own && readFormerCreation(own);
  return { ...acted, annotations: { [CREATED_BEFORE]: before, ...acted.annotations, [EXTERNAL_NAME_KEY]: name } };
}

/**
 * Names an association for its provider, which makes up the name. Without the name a provider finds nothing, and fails to create what
 * exists.
 */
function nameAssociation(
  verdict: Verdict,
  { subject: { desired, facts, own }, contenders = [] }: Entrant,
  isMoving: boolean,
): string | undefined {
  if (facts.name.is !== "association" || verdict.is === "unresolved") return undefined;
  if (stringAt(desired, EXTERNAL_NAME) !== undefined) return undefined;
  const owner = verdict.is === "theirs" ? verdict.owner : undefined;
  const other = firstOther(findNamed(contenders), own?.uid ?? "");
  const known = chooseNamed(owner, isMoving ? undefined : own, other);
  return known && stringAt(known.document, EXTERNAL_NAME);
}

/** Chooses one that has found the association, first an owner that created it, then ours; else the owner, ours or another one. */
function chooseNamed(owner?: Contender, ours?: Contender, other?: Contender): Contender | undefined {
  const creator = owner && readCreationTime(owner.document) !== undefined ? owner : undefined;
  const isFound = (one: Contender | undefined): boolean => one?.observation === "present" && isNamed(one);
  return [creator, ours, owner, other].find(isFound) ?? [owner, ours, other].find((one) => one && isNamed(one));
}

/** Settles a managed resource whose provider has not read yet which cloud resource it declares. */
function holdBack(move: Part, verdict: Verdict, entrant: Entrant): Settlement {
  if (verdict.is === "theirs" || verdict.is === "elsewhere") {
    const lost = actOn(verdict, { ...entrant, hasMoved: true });
    return { ...lost, policies: move.policies, annotations: { ...lost.annotations, ...move.annotations } };
  }
  if (verdict.is === "unresolved") return { ...move, ready: "False", reason: { is: "WaitingForReferences" } };
  const reason: TagReason = { is: verdict.is === "pending" ? "WaitingForRequiredResources" : "WaitingForProvider" };
  return { ...move, ready: "False", reason };
}

function actOn(verdict: Verdict, entrant: Entrant, name?: string): Settlement {
  const { own } = entrant.subject;
  switch (verdict.is) {
    case "unresolved":
      return { ...OBSERVING, ready: "False", reason: { is: "WaitingForReferences" } };
    case "pending":
      return { ...asBefore(own), reason: { is: "WaitingForRequiredResources" } };
    case "deleting":
      return leave(own);
    case "free":
      return { ...asNewcomer(own), reason: { is: "Arbitrating" } };
    case "unobserved":
      return { ...asNewcomer(own), reason: { is: "WaitingForProvider" } };
    case "missing":
      return { ...asNewcomer(own), reason: { is: "NotFound" } };
    case "existed":
      return { ...OBSERVING, ready: "True", reason: { is: "ExistedBefore", isObserved: true } };
    case "ours":
      return asOwner(verdict, entrant, name);
    case "theirs":
      return asObserver(verdict, entrant);
    case "elsewhere":
      return { ...OBSERVING, reason: { is: "OwnedByAnotherCluster", cluster: verdict.cluster } };
  }
}

const OBSERVING: Part = { policies: OBSERVE, annotations: {} };

/** Keeps the policies and annotations that we wrote before. */
function asBefore(own: Contender | undefined): Part {
  if (own === undefined) return OBSERVING;
  const policies = own.policies ?? (own.isDeletingWithIt ? ALL_ACTIONS : withoutDelete(ALL_ACTIONS));
  const keep = (key: string) => ({ [key]: readAnnotation(own.document, key) });
  return { policies, annotations: { ...keep(TAGS_OWNER), ...keep(CONTENDERS), ...keep(ORIGIN) } };
}

/** Keeps the policies of a managed resource that is being deleted, unless they pause it: a paused one is never deleted. */
function leave(own: Contender | undefined): Settlement {
  const { policies, annotations } = asBefore(own);
  return { policies: policies.length === 0 ? OBSERVE : policies, annotations, reason: { is: "BeingDeleted" } };
}

/**
 * Starts a new managed resource as an observer. One that is older than this step in its Composition continues to write, so that it
 * loses no tag, but without Delete until the other contenders are known.
 */
function asNewcomer(own: Contender | undefined): Part {
  const before = asBefore(own);
  if (own?.isMarked) return before;
  const isNew = own === undefined || own.identity !== undefined;
  return isNew
    ? { ...before, policies: OBSERVE, ready: "False" }
    : { ...before, policies: withoutDelete(before.policies) };
}

/** Records whether a contender created the cloud resource: successors learn it from their owner. */
const noteOrigin = (isCreated: boolean): Annotations => ({ [ORIGIN]: isCreated ? "Created" : undefined });

function asOwner({ others, origin }: Ours, entrant: Entrant, name?: string): Settlement {
  const { subject, wanted } = entrant;
  const { desired, asked, hasManagementPolicies, resource } = subject;
  const { onRelease, preexisting } = wanted.rules;
  const isLeft = others.length > 0 && onRelease === "HandOver";
  const isOurs = origin === "created" || isUnnamed(entrant, name);
  const mayGo = isOurs || preexisting === "Delete" || !hasManagementPolicies;
  const isKept = origin === "existed" && !mayGo && mayDelete(desired, asked);
  return {
    reason: isKept ? { is: "ExistedBefore", isObserved: false } : { is: "Owned", others },
    policies: isLeft || !mayGo ? withoutDelete(asked) : asked,
    annotations: {
      ...noteOrigin(origin === "created"),
      [TAGS_OWNER]: contenderId(wanted.owner, resource),
      [CONTENDERS]: formatAcknowledged(others) || undefined,
    },
  };
}

/**
 * Tells whether an association has no name and is not found: its provider can delete only what it creates. Deleted without Delete
 * meanwhile, its owner would leave what nobody could find.
 */
const isUnnamed = ({ subject: { desired, facts, own } }: Entrant, name: string | undefined): boolean =>
  facts.name.is === "association" &&
  (name ?? stringAt(desired, EXTERNAL_NAME)) === undefined &&
  own?.observation !== "present";

/** Observes what another one owns. */
function asObserver(verdict: Theirs, entrant: Entrant): Settlement {
  const { owner, isAcknowledged, isNext } = verdict;
  const { hasMoved } = entrant;
  const { own } = entrant.subject;
  const hasFound = own?.observation === "present";
  // Also before our provider has looked: the owner may be gone then.
  const isCreated = !hasMoved && (own?.isCreated === true || (owner.isCreated && own?.observation !== "absent"));
  // The first of newcomers is no owner yet, and each record is one more event for all that watch.
  const isOwner = !isNext && (owner.isMarked || own?.knowsOwner === true);
  const isReady = hasFound && !hasMoved && shownCondition(owner.document, "Ready")?.status === "True";
  const ready = isReady ? "True" : undefined;
  return {
    reason: toObserverReason(verdict, entrant, hasFound),
    policies: OBSERVE,
    annotations: { ...noteOrigin(isCreated), [TAGS_OWNER]: isOwner ? owner.id : undefined },
    ready: isAcknowledged && !owner.isDeleting ? ready : "False",
  };
}

function toObserverReason(
  { owner, isAcknowledged, isNext }: Theirs,
  { subject: { own, hasManagementPolicies }, wanted: { rules } }: Entrant,
  hasFound: boolean,
): TagReason {
  // A Fatal result would freeze a writer as one.
  if (rules.onConflict === "Fail" && !isNext && own?.isWriting !== true) return { is: "Conflict", owner };
  // A resource that exists is never left out: Crossplane would delete it.
  const isLeftOut = rules.onConflict === "Withhold" || !hasManagementPolicies;
  if (own === undefined && isLeftOut) return { is: "Withheld", owner };
  if (!hasManagementPolicies) return { is: "CannotObserve", owner };
  // An observer counts on what its provider has found.
  if (isNext || (hasFound && !isAcknowledged)) return { is: "WaitingForOwner", owner, isNext };
  return { is: hasFound ? "ObservedOnly" : "WaitingForProvider", owner };
}
