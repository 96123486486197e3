import { selectProviderConfig } from "../crossplane/account.ts";
import { toApiGroup } from "../crossplane/api-group.ts";
import { findTwin, type ManagedKind, readManagedKind, readProviderConfig } from "../crossplane/managed-resource.ts";
import { toRequirement } from "../crossplane/requirement-names.ts";
import { type Document, stringAt } from "../model/document.ts";
import { isPathSegment } from "../model/names.ts";
import { once } from "../model/once.ts";
import type { LookupAnswer, Requirement, Requirements } from "../model/requirement.ts";
import { CONTENDS_LABEL, EXTERNAL_NAME_LABEL, IDENTITY_LABEL, WRITES_LABEL } from "./annotations.ts";
import { byPrecedence, type Contender, toContender } from "./contender.ts";
import {
  type Contenders,
  findInTheWay,
  findLiving,
  firstOther,
  indexByUid,
  isLiving,
  listNames,
} from "./contenders.ts";
import {
  type Candidate,
  type CloudResource,
  hashExternalName,
  hasSameName,
  isInPlace,
  isKnown,
  isSame,
  readByItself,
} from "./identity.ts";

/** A list of contenders, undefined while an answer is pending, and what was asked for it. */
interface Listed {
  readonly asked: Requirements;
  readonly found: Contenders | undefined;
}

/** A managed resource of the same name, in whatever account, and what it declares. */
export interface Namesake {
  readonly one: Contender;
  readonly read: CloudResource;
}

/** The contenders in one request, each answer read once for all resources that declare the same cloud resource. */
export class KnownContenders {
  readonly #requirements: Requirements;
  readonly #canAskSchemas: boolean;
  readonly #listed = new Map<string, Listed>();
  readonly #namesakes = new Map<string, readonly Namesake[]>();
  readonly #withWriter = new Map<string, Contenders>();

  /** @param canAskSchemas true if Crossplane can say whether a kind is served. */
  constructor(requirements: Requirements, canAskSchemas: boolean) {
    this.#requirements = requirements;
    this.#canAskSchemas = canAskSchemas;
  }

  /**
   * Finds the managed resources that declare the cloud resource, as many as ours needs to know; undefined while an answer is pending.
   * Crossplane reconciles an XR when a resource changes that it requires: if each of N contenders required all, a change of one would
   * wake N.
   *
   * - One that may be promoted asks for all with the identity label. They have that from their creation, so all older ones are in the
   *   answer.
   * - One that finds another ahead of it requires that one alone, by name, from then on. While that is not the owner, also those that
   *   write or are chosen by an operator, by label. A newcomer requires the latter, to find the owner.
   * - One whose provider chose the name requires the same as an owner, until another one owns it: it was there first.
   * - The owner requires those that it has to know, by label. So does the first of all, in the reconcile in which it becomes the owner:
   *   many may be created at that moment.
   *
   * One that joins another lists them all in that reconcile, which asked for them already.
   *
   * To a list is added the one that wrote the cloud resource last, which lacks the labels if its XR does not use this function.
   */
  find(candidate: Candidate, joins = false): Contenders | undefined {
    const { own } = candidate;
    if (joins) return this.#require(IDENTITY_LABEL, candidate);
    if (isCreatorOf(candidate)) {
      const others = this.#require(CONTENDS_LABEL, candidate);
      return others && withOwn(others, candidate.own);
    }
    const before = this.recallFirst(candidate);
    const label = toLabel(before, candidate);
    const first = before?.isMarked ? before : judgeFirst(before, candidate, this.#list(label, candidate).found);
    if (first === undefined) return this.#withLastWriter(this.#require(label, candidate), candidate);
    const isOurs = first.uid === own?.uid;
    this.#requirements.ask(toFirst(first, candidate));
    const contending = first.isMarked ? undefined : this.#require(isOurs ? CONTENDS_LABEL : WRITES_LABEL, candidate);
    if (own === undefined) return [first];
    return isOurs ? contending && withOwn(contending, own) : [first, own];
  }

  /** Tells whether a managed resource that may be arbitrated has the name, in any account, as far as is known. */
  hasNamesakes(kind: ManagedKind, names: readonly string[]): boolean {
    const externalName = hashExternalName(kind.group, kind.kind, names);
    const found = this.#ask(kind, EXTERNAL_NAME_LABEL, externalName, undefined, this.#requirements);
    return found !== undefined && found.length > 0;
  }

  /** Finds the managed resources of the same name in any account, of both scopes; undefined while an answer is pending. */
  findNamesakes({ kind, externalName, facts, own }: Candidate): readonly Namesake[] | undefined {
    const key = `${kind.apiVersion} ${externalName}`;
    const before = this.#namesakes.get(key);
    if (before !== undefined) return before;
    const found = this.#ask(kind, EXTERNAL_NAME_LABEL, externalName, own, this.#requirements);
    const namesakes = found?.flatMap((one) => {
      const read = (isLiving(one) || one.isDeleting) && hasLooked(one) ? readByItself(one.document, facts) : undefined;
      return isKnown(read) ? [{ one, read }] : [];
    });
    if (namesakes !== undefined) this.#namesakes.set(key, namesakes);
    return namesakes;
  }

  /** Finds the ProviderConfig of a managed resource, if its kind is served and says the account. */
  findProviderConfig(managed: Document, namespace?: string): Document | "pending" | undefined {
    const selector = selectProviderConfig(readManagedKind(managed), readProviderConfig(managed, namespace));
    if (!this.#canAskSchemas || selector === undefined || !isPathSegment(selector.match.name)) return undefined;
    const answer = this.#requirements.askIfServed(toRequirement(`tags/account/${selector.kind}`, selector));
    return answer.is === "pending" ? answer.is : answer.items[0];
  }

  /** Finds the first contender that was found before, if it still is. */
  recallFirst(candidate: Candidate): Contender | undefined {
    const { own, identity } = candidate;
    const recall = (first?: Contender): Contender | undefined =>
      toContenders(this.#requirements.recall(toFirstName(identity, first)), own)?.[0];
    const other = recall();
    if (other !== undefined && isLiving(other) && precedes(other, candidate) && declares(other, candidate, isSame)) {
      return other;
    }
    if (own === undefined || own.isMarked || own.identity !== identity) return undefined;
    return recall(own)?.uid === own.uid ? own : undefined;
  }

  /** Requires the contenders with the label, and lists them. */
  #require(label: string, candidate: Candidate): Contenders | undefined {
    const { asked, found } = this.#list(label, candidate);
    this.#requirements.add(asked);
    return found;
  }

  /** Lists the contenders with the label, as far as they are known. */
  #list(label: string, candidate: Candidate): Listed {
    const { kind, forms, own } = candidate;
    const identities = forms.map(({ identity }) => identity);
    // One that looks behind other ProviderConfigs lists those with its identity, too.
    const [index, values] =
      label === IDENTITY_LABEL && looks(candidate)
        ? [EXTERNAL_NAME_LABEL, [candidate.externalName]]
        : [label, identities];
    const key = [kind.apiVersion, index, ...identities].join(" ");
    const before = this.#listed.get(key);
    if (before !== undefined) return before;
    const asked = this.#requirements.fork();
    const answers = values.map((value) => this.#ask(kind, index, value, own, asked));
    const isComplete = answers.every((answer) => answer !== undefined);
    const all = isComplete ? answers.flat() : undefined;
    const listed = { asked, found: all?.filter((one) => declares(one, candidate, isSame)) };
    this.#listed.set(key, listed);
    return listed;
  }

  /** Asks for the managed resources with the label, and for their twins. */
  #ask(kind: ManagedKind, label: string, value: string, own: Contender | undefined, requirements: Requirements) {
    const twin = this.#canAskSchemas ? twinOf(kind) : undefined;
    const found = toContenders(requirements.ask(toLabelled(kind, label, value)), own);
    const twins = twin === undefined ? [] : toContenders(requirements.askIfServed(toLabelled(twin, label, value)), own);
    return found && twins && [...found, ...twins];
  }

  /** Adds the managed resource that wrote the cloud resource last, if it is not listed. */
  #withLastWriter(listed: Contenders | undefined, candidate: Candidate): Contenders | undefined {
    const writer = listed && toWriterRequirement(candidate, listed);
    if (listed === undefined || writer === undefined) return listed;
    const key = `${candidate.identity} ${writer.name}`;
    const before = this.#withWriter.get(key);
    if (before !== undefined) return before;
    const isNew = (contender: Contender): boolean =>
      !indexByUid(listed).has(contender.uid) && declares(contender, candidate, hasSameName);
    const found = toContenders(this.#requirements.ask(writer), candidate.own);
    const all = found && [...listed, ...found.filter(isNew)];
    if (all !== undefined) this.#withWriter.set(key, all);
    return all;
  }
}

const withOwn = (all: Contenders, own: Contender): Contenders => [...all.filter(({ uid }) => uid !== own.uid), own];

/** Tells whether ours is the first owner of what its provider has created and named. */
const isCreatorOf = (candidate: Candidate): candidate is Candidate & { readonly own: Contender } =>
  candidate.isMadeUp && (candidate.own?.isMarked === true || candidate.own?.identity === undefined);

/** Chooses the label of those that ours has to know, by what was found before. */
function toLabel(before: Contender | undefined, candidate: Candidate): string {
  const { own } = candidate;
  if (before === undefined && mayBePromoted(candidate)) return IDENTITY_LABEL;
  return own !== undefined && (own.isMarked || before?.uid === own.uid) ? CONTENDS_LABEL : WRITES_LABEL;
}

/**
 * Tells whether ours has to look for the same cloud resource behind other ProviderConfigs: its account is not known, and it may become the
 * owner, or writes what it has not created.
 */
export function looks(candidate: Candidate): boolean {
  const { own, declared, identity } = candidate;
  if (declared.account === "") return false;
  if (mayBePromoted(candidate)) return true;
  const isOwner = own?.isMarked === true && own.identity === identity;
  return isOwner && !declared.isAccountKnown && own.observation === "present" && !own.isCreated;
}

/** Tells whether ours may become the owner now: the provider of one that can observe has to look for the cloud resource before. */
const mayBePromoted = ({ own, identity, hasManagementPolicies }: Candidate): boolean =>
  own === undefined
    ? !hasManagementPolicies
    : !own.isMarked && own.identity === identity && (own.isWriting || own.observation !== "unknown");

/** Finds the first contender, ours included; undefined where the whole list is needed. An owner is before the one found before. */
function judgeFirst(
  before: Contender | undefined,
  candidate: Candidate,
  listed: Contenders | undefined,
): Contender | undefined {
  const [first] = listed === undefined ? [] : findLiving(listed);
  if (listed === undefined || first === undefined) return before;
  if (precedes(first, candidate)) return before === undefined || first.isMarked ? first : before;
  return before ?? (isElected(first, listed, candidate) ? candidate.own : undefined);
}

/** Tells whether ours is to create the cloud resource. */
const isElected = (first: Contender, listed: Contenders, { own }: Candidate): boolean =>
  first.uid === own?.uid &&
  !own.isMarked &&
  own.observation === "absent" &&
  firstOther(findInTheWay(listed), own.uid) === undefined;

/** Tells whether another one is ahead of ours. While ours has no label with this identity, as right after a rename, only the owner is. */
const precedes = (one: Contender, { own, identity }: Candidate): boolean =>
  one.uid !== own?.uid &&
  (one.isMarked || own?.identity === identity) &&
  (own === undefined || byPrecedence(one, own) < 0);

/** Its name holds the whole selector, as `toRequirement` does by a hash: the kind is a part of the identity. */
const toLabelled = ({ apiVersion, kind }: ManagedKind, label: string, identity: string): Requirement => ({
  name: `tags/${apiVersion}/${label}/${identity}`,
  selector: { apiVersion, kind, match: { labels: { [label]: identity } } },
});

/**
 * The name of the requirement of the first contender, whose answer tells what is required. That ours is the first counts for the reconcile
 * in which all were listed: until it is written.
 */
const toFirstName = (identity: string, own?: Contender): string =>
  `tags/first/${identity}/${(own && stringAt(own.document, RESOURCE_VERSION)) ?? ""}`;

function toFirst({ document, uid }: Contender, { own, identity }: Candidate): Requirement {
  const text = (...path: readonly string[]): string | undefined => stringAt(document, path);
  const [apiVersion = "", kind = "", name = ""] = [text("apiVersion"), text("kind"), text("metadata", "name")];
  const selector = { apiVersion, kind, namespace: text("metadata", "namespace"), match: { name } };
  return { name: toFirstName(identity, uid === own?.uid ? own : undefined), selector };
}

/** An XR composes many resources of few kinds. */
const twinOf = once(findTwin);

/** Reads the contenders of an answer. Ours is in most answers, as it was observed: it is not read a second time. */
const toContenders = (answer: LookupAnswer, own: Contender | undefined): Contenders | undefined =>
  answer.is === "pending"
    ? undefined
    : answer.items.map((item) => (own && isSameVersion(item, own) ? own : toContender(item)));

function isSameVersion(item: Document, { uid, document }: Contender): boolean {
  if (stringAt(item, ["metadata", "uid"]) !== uid) return false;
  const version = stringAt(item, RESOURCE_VERSION);
  return version !== undefined && version === stringAt(document, RESOURCE_VERSION);
}

const RESOURCE_VERSION = ["metadata", "resourceVersion"];

/**
 * Tells by its own document whether a managed resource declares the candidate's cloud resource. Its label may be forged, or of the
 * cloud resource that it declared before. Of the one that the cloud's tags name, only the name is compared: the place contains fields
 * that do not distinguish cloud resources of every kind, such as the region of a DNS zone.
 */
function declares(
  one: Contender,
  { own, observed, facts, declared, forms }: Candidate,
  compare: typeof isSame,
): boolean {
  const read = one === own ? observed : readByItself(one.document, facts);
  if (!isKnown(read)) return false;
  if (one === own) return isInPlace(declared, read);
  return forms.some((form) => compare(form.declared, read)) && (read.config === declared.config || hasLooked(one));
}

/**
 * Tells whether a managed resource of another ProviderConfig counts: its provider has looked for the cloud resource. A team may write a
 * ProviderConfig that leads nowhere, and would keep others from the name for ever.
 */
const hasLooked = ({ isMarked, isWriting, observation }: Contender): boolean =>
  isMarked || isWriting || observation !== "unknown";

/**
 * Requires the managed resource that wrote the cloud resource, if it is neither ours nor listed. Upjet's providers name it in a tag
 * without its namespace, so only cluster-scoped resources can be looked up. An invalid name is not asked for: Crossplane would fail
 * the whole XR, and anyone may write tags in the cloud.
 */
function toWriterRequirement({ kind, own, reportedTags }: Candidate, listed: Contenders): Requirement | undefined {
  if (own === undefined || own.isMarked || kind.isNamespaced) return undefined;
  const reported = reportedTags();
  const name = reported?.get("crossplane-name");
  const writerKind = `${kind.kind.toLowerCase()}.${toApiGroup(kind.apiVersion)}`;
  if (name === undefined || !isPathSegment(name) || reported?.get("crossplane-kind") !== writerKind) return undefined;
  if (name === stringAt(own.document, ["metadata", "name"]) || listNames(listed).has(name)) return undefined;
  const { apiVersion } = kind;
  return toRequirement(`tags/${apiVersion}/${kind.kind}/${name}`, { apiVersion, kind: kind.kind, match: { name } });
}
