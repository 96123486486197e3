import { toApiGroup } from "../crossplane/api-group.ts";
import { findTwin, type ManagedKind } from "../crossplane/managed-resource.ts";
import type { IdentityFacts } from "../crossplane/providers/families.ts";
import { toRequirement } from "../crossplane/requirement-names.ts";
import { type Document, stringAt } from "../model/document.ts";
import { isPathSegment } from "../model/names.ts";
import type { LookupAnswer, Requirement, Requirements } from "../model/requirement.ts";
import { CONTENDS_LABEL, IDENTITY_LABEL, WRITES_LABEL } from "./annotations.ts";
import { byPrecedence, type Contender, toContender } from "./contender.ts";
import { Contenders, firstOther, isLiving } from "./contenders.ts";
import { type CloudResource, hasSameName, isKnown, isSame, readByItself } from "./identity.ts";

/** A managed resource, with the facts for the search for its contenders. */
export interface Candidate {
  readonly kind: ManagedKind;
  readonly facts: IdentityFacts;
  readonly declared: CloudResource;
  /** The cloud resource that ours declares by itself, as it is observed. */
  readonly observed: CloudResource | "unresolved" | undefined;
  /** Undefined before it is created. */
  readonly own: Contender | undefined;
  /** True if the kind supports observing only. */
  readonly hasManagementPolicies: boolean;
  /** Reads the tags of the cloud resource that its provider reports. */
  readonly reportedTags: () => ReadonlyMap<string, string> | undefined;
}

/**
 * Finds the managed resources that declare the cloud resource, as many as ours needs to know. Crossplane reconciles an XR when a
 * resource changes that it requires: if each of N contenders required all, a change of one would wake N.
 *
 * - One that may be promoted asks for all with the identity label. They have that from their creation, so all older ones are in the
 *   answer.
 * - One that finds another ahead of it requires that one alone, by name, from then on. While that is not the owner, also those that
 *   write or are chosen by an operator, by label. A newcomer requires the latter, to find the owner.
 * - The owner requires those that it has to know, by label. So does the first of all, in the reconcile in which it becomes the owner:
 *   many may be created at that moment.
 *
 * To a list is added the one that wrote the cloud resource last, which lacks the labels if its XR does not use this function.
 */
export function findContenders(candidate: Candidate, identity: string, known: KnownContenders): Contenders | undefined {
  const { own } = candidate;
  const before = known.findFirst(candidate, identity);
  const label = toLabel(candidate, identity, before);
  const first = before?.isMarked
    ? before
    : judgeFirst(before, candidate, identity, known.list(label, candidate, identity));
  if (first === undefined) return known.withWriter(known.require(label, candidate, identity), candidate, identity);
  known.requireFirst(first, candidate, identity);
  const isOurs = first.uid === own?.uid;
  const contending = first.isMarked
    ? undefined
    : known.require(isOurs ? CONTENDS_LABEL : WRITES_LABEL, candidate, identity);
  if (own === undefined) return new Contenders([first]);
  if (!isOurs) return new Contenders([first, own]);
  return contending && new Contenders([...contending.all.filter(({ uid }) => uid !== own.uid), own]);
}

/** Chooses the label of those that ours has to know, by what was found before. */
function toLabel(candidate: Candidate, identity: string, before: Contender | undefined): string {
  const { own } = candidate;
  if (before === undefined && mayBePromoted(candidate, identity)) return IDENTITY_LABEL;
  return own !== undefined && (own.isMarked || before?.uid === own.uid) ? CONTENDS_LABEL : WRITES_LABEL;
}

/** Finds the first contender, ours included; undefined where the whole list is needed. An owner is before the one found before. */
function judgeFirst(
  before: Contender | undefined,
  candidate: Candidate,
  identity: string,
  listed: Contenders | undefined,
): Contender | undefined {
  const [first] = listed?.living ?? [];
  if (listed === undefined || first === undefined) return before;
  if (precedes(first, candidate, identity)) return before === undefined || first.isMarked ? first : before;
  return before ?? (isElected(first, listed, candidate) ? candidate.own : undefined);
}

/** Tells whether ours is to create the cloud resource. */
const isElected = (first: Contender, listed: Contenders, { own }: Candidate): boolean =>
  first.uid === own?.uid &&
  !own.isMarked &&
  own.observation === "absent" &&
  firstOther(listed.inTheWay, own.uid) === undefined;

/** Tells whether another one is ahead of ours. While ours has no label with this identity, as right after a rename, only the owner is. */
const precedes = (one: Contender, { own }: Candidate, identity: string): boolean =>
  one.uid !== own?.uid &&
  (one.isMarked || own?.identity === identity) &&
  (own === undefined || byPrecedence(one, own) < 0);

/** Tells whether ours may become the owner now: the provider of one that can observe has to look for the cloud resource before. */
const mayBePromoted = ({ own, hasManagementPolicies }: Candidate, identity: string): boolean =>
  own === undefined
    ? !hasManagementPolicies
    : !own.isMarked && own.identity === identity && (own.isWriting || own.observation !== "unknown");

function toLabelled({ apiVersion, kind }: ManagedKind, label: string, identity: string): Requirement {
  return toRequirement(`tags/${apiVersion}/${identity}`, {
    apiVersion,
    kind,
    match: { labels: { [label]: identity } },
  });
}

/**
 * The name of the requirement of the first contender, whose answer tells what is required. That ours is the first counts for the reconcile
 * in which all were listed: until it is written.
 */
const toFirstName = (identity: string, own?: Contender): string =>
  `tags/first/${identity}/${(own && stringAt(own.document, RESOURCE_VERSION)) ?? ""}`;

/** A list of contenders, undefined while an answer is pending, and what was asked for it. */
interface Listed {
  readonly asked: Requirements;
  readonly found: Contenders | undefined;
}

/** The contenders in one request, each answer read once for all resources that declare the same cloud resource. */
export class KnownContenders {
  readonly #requirements: Requirements;
  readonly #canAskSchemas: boolean;
  readonly #listed = new Map<string, Listed>();
  readonly #withWriter = new Map<string, Contenders>();

  /** @param canAskSchemas true if Crossplane can say whether a kind is served. */
  constructor(requirements: Requirements, canAskSchemas: boolean) {
    this.#requirements = requirements;
    this.#canAskSchemas = canAskSchemas;
  }

  /** Finds the first contender that was found before, if it still is. */
  findFirst(candidate: Candidate, identity: string): Contender | undefined {
    const { own } = candidate;
    const recall = (name: string): Contender | undefined => {
      const answer = this.#requirements.recall(name);
      return answer.is === "resolved" && answer.items[0] !== undefined ? toContender(answer.items[0]) : undefined;
    };
    const isFirst = (one: Contender): boolean =>
      isLiving(one) && precedes(one, candidate, identity) && declares(one, candidate, isSame);
    const another = recall(toFirstName(identity));
    if (another !== undefined && isFirst(another)) return another;
    if (own === undefined || own.isMarked || own.identity !== identity) return undefined;
    return recall(toFirstName(identity, own))?.uid === own.uid ? own : undefined;
  }

  requireFirst({ document, uid }: Contender, { own }: Candidate, identity: string): void {
    const text = (...path: readonly string[]): string => stringAt(document, path) ?? "";
    const namespace = stringAt(document, ["metadata", "namespace"]);
    const match = { name: text("metadata", "name") };
    const selector = { apiVersion: text("apiVersion"), kind: text("kind"), namespace, match };
    this.#requirements.ask({ name: toFirstName(identity, uid === own?.uid ? own : undefined), selector });
  }

  /** Requires the contenders with the label, and lists them; undefined while an answer is pending. */
  require(label: string, candidate: Candidate, identity: string): Contenders | undefined {
    const { asked, found } = this.#list(label, candidate, identity);
    this.#requirements.add(asked);
    return found;
  }

  /** Lists the contenders with the label, as far as they are known. */
  list(label: string, candidate: Candidate, identity: string): Contenders | undefined {
    return this.#list(label, candidate, identity).found;
  }

  #list(label: string, candidate: Candidate, identity: string): Listed {
    const { own } = candidate;
    const labelled = toLabelled(candidate.kind, label, identity);
    const before = this.#listed.get(labelled.name);
    if (before !== undefined) return before;
    const asked = this.#requirements.fork();
    const twin = this.#canAskSchemas ? findTwin(candidate.kind) : undefined;
    const found = toContenders(asked.ask(labelled), own);
    const twins = twin === undefined ? [] : toContenders(asked.askIfServed(toLabelled(twin, label, identity)), own);
    const all = found && twins && [...found, ...twins].filter((one) => declares(one, candidate, isSame));
    const listed = { asked, found: all && new Contenders(all) };
    this.#listed.set(labelled.name, listed);
    return listed;
  }

  /** Adds the managed resource that wrote the cloud resource last, if it is not listed. */
  withWriter(listed: Contenders | undefined, candidate: Candidate, identity: string): Contenders | undefined {
    const writer = listed && toWriterRequirement(candidate, listed);
    if (listed === undefined || writer === undefined) return listed;
    const key = `${identity} ${writer.name}`;
    const before = this.#withWriter.get(key);
    if (before !== undefined) return before;
    const isNew = (contender: Contender): boolean =>
      !listed.byUid.has(contender.uid) && declares(contender, candidate, hasSameName);
    const found = toContenders(this.#requirements.ask(writer), candidate.own);
    const all = found && new Contenders([...listed.all, ...found.filter(isNew)]);
    if (all !== undefined) this.#withWriter.set(key, all);
    return all;
  }
}

/** Reads the contenders of an answer. Ours is in most answers, as it was observed: it is not read a second time. */
const toContenders = (answer: LookupAnswer, own: Contender | undefined): readonly Contender[] | undefined =>
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
  contender: Contender,
  { own, facts, declared, observed }: Candidate,
  compare: (a: CloudResource, b: CloudResource) => boolean,
): boolean {
  const read = contender === own ? observed : readByItself(contender.document, facts);
  return isKnown(read) && compare(declared, read);
}

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
  if (name === stringAt(own.document, ["metadata", "name"]) || listed.names.has(name)) return undefined;
  const { apiVersion } = kind;
  return toRequirement(`tags/${apiVersion}/${kind.kind}/${name}`, { apiVersion, kind: kind.kind, match: { name } });
}
