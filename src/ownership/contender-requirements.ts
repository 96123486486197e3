import { toApiGroup } from "../crossplane/api-group.ts";
import type { ManagedKind } from "../crossplane/managed-resource.ts";
import { qualifiedName, readUid } from "../crossplane/metadata.ts";
import { toRequirement } from "../crossplane/requirement-names.ts";
import { type Document, stringAt } from "../model/document.ts";
import { DNS_LABEL, isName, isPathSegment } from "../model/names.ts";
import type { LookupAnswer, Requirement } from "../model/requirement.ts";
import { CONTENDS_LABEL, IDENTITY_LABEL, WRITES_LABEL } from "./annotations.ts";
import { byPrecedence, type Contender, toContender } from "./contender.ts";
import { type Contenders, findInTheWay, findLiving, firstOther, listNames } from "./contenders.ts";
import type { Candidate } from "./identity.ts";

/**
 * Tells whether the provider of our resource created and named the cloud resource, and our resource is marked as its owner or has no
 * identity label yet.
 */
export const isNamedByOurs = (candidate: Candidate): candidate is Candidate & { readonly own: Contender } =>
  candidate.isMadeUp && (candidate.own?.isMarked === true || candidate.own?.identity === undefined);

/**
 * Chooses the label by which our resource finds the contenders that it has to know, by the table of `KnownContenders.find`.
 *
 * @param before the first contender, recalled from an earlier reconcile.
 */
export function chooseLabel(before: Contender | undefined, candidate: Candidate): string {
  const { own } = candidate;
  if (before === undefined && mayBePromoted(candidate)) return IDENTITY_LABEL;
  const isFirst = own !== undefined && (own.isMarked || before?.uid === own.uid);
  return isFirst ? CONTENDS_LABEL : WRITES_LABEL;
}

/**
 * Tells whether our XR looks for contenders by the external name: behind other ProviderConfigs, and under labels that were hashed from
 * other `scopeFieldPaths`. False for a name that is unique in the whole cloud. Otherwise true if our resource may become the owner, or if
 * it is the owner, has found the cloud resource, and a contender without our label may still appear.
 */
export function looksByName(candidate: Candidate): boolean {
  const { own, declared, identity, isImported } = candidate;
  if (declared.account === "" && declared.facts.isUnique) return false;
  if (mayBePromoted(candidate)) return true;
  const ownsOrIsUnlabelled = isNamedByOurs(candidate) || (own?.isMarked === true && own.identity === identity);
  if (!ownsOrIsUnlabelled || own?.observation !== "present") return false;
  // An asynchronous provider may report one creation to two managed resources.
  if (!declared.isAccountKnown) return true;
  // The creator's XR sets no label until it has found ours.
  const mayMeetCreator = isImported && !own.isCreated;
  // The other Composition may not name the account.
  const mayDifferInAccount = declared.inputAccount !== undefined && !own.isCreated;
  return mayMeetCreator || mayDifferInAccount;
}

/** Tells whether ours may be promoted now: it is labelled, and writes or has looked; or is not created, and its kind cannot observe. */
const mayBePromoted = ({ own, identity, hasManagementPolicies }: Candidate): boolean =>
  own === undefined
    ? !hasManagementPolicies
    : !own.isMarked && own.identity === identity && (own.isWriting || own.observation !== "unknown");

/**
 * Finds the first contender by precedence, which may be ours; undefined if the caller has to judge by the whole list. Ours already counts
 * as first when it is about to create the cloud resource, since many contenders may be created in that moment.
 *
 * @param before the first contender, recalled from an earlier reconcile. Only a listed owner replaces `before`: the list has only the
 * contenders with one label (`chooseLabel`), and may lack `before`.
 * @param listed undefined while the answer is pending.
 */
export function findFirst(
  before: Contender | undefined,
  candidate: Candidate,
  listed: Contenders | undefined,
): Contender | undefined {
  const first = listed && findLiving(listed)[0];
  if (listed === undefined || first === undefined) return before;
  if (isAhead(first, candidate)) return before === undefined || first.isMarked ? first : before;
  const { own } = candidate;
  const isNew = first.uid === own?.uid && !own.isMarked && own.observation === "absent";
  const isAboutToCreate = isNew && firstOther(findInTheWay(listed), own.uid) === undefined;
  return before ?? (isAboutToCreate ? own : undefined);
}

/** Tells whether a contender precedes ours. Only an owner precedes ours before that has this identity label, as right after a rename. */
export const isAhead = (one: Contender, { own, identity }: Candidate): boolean =>
  one.uid !== own?.uid &&
  (one.isMarked || own?.identity === identity) &&
  (own === undefined || byPrecedence(one, own) < 0);

/** Requires the managed resources with a label. The requirement's name need not contain the kind: the label's value is a hash of it. */
export const toLabelled = ({ apiVersion, kind }: ManagedKind, label: string, value: string): Requirement => ({
  name: `tags/${apiVersion}/${label}/${value}`,
  selector: { apiVersion, kind, match: { labels: { [label]: value } } },
});

/** Names the requirement that recalls the first contender in the next reconcile. @param isOwn true if ours is the first. */
export function toFirstName({ identity, own }: Pick<Candidate, "identity" | "own">, isOwn = false): string {
  const name = `tags/first/${identity}/`;
  // Only the reconcile that listed all contenders knows that ours is the first: a later version of ours must not recall that.
  if (own && isOwn) return `${name}${stringAt(own.document, RESOURCE_VERSION)}`;
  // While an XR hands a cloud resource over to itself, two of its resources have the identity, and each recalls another contender.
  return own?.isMarked ? `${name}owner` : name;
}

/** Requires the first contender by its name, so that the next reconcile recalls it. */
export function toFirst({ document, uid }: Contender, candidate: Candidate): Requirement {
  const text = (...path: readonly string[]): string | undefined => stringAt(document, path);
  const [apiVersion = "", kind = "", name = ""] = [text("apiVersion"), text("kind"), text("metadata", "name")];
  const selector = { apiVersion, kind, namespace: text("metadata", "namespace"), match: { name } };
  return { name: toFirstName(candidate, uid === candidate.own?.uid), selector };
}

/**
 * Requires the managed resource that wrote the cloud resource, if it is neither ours nor listed. Upjet's providers name it in a tag,
 * without its namespace, so only cluster-scoped ones can be looked up. An invalid name is skipped: Crossplane would fail the whole
 * XR, and anyone with access to the cloud may write tags.
 */
export function toWriterRequirement(
  { kind, own, reportedTags }: Candidate,
  listed: Contenders,
): Requirement | undefined {
  if (own === undefined || own.isMarked || kind.isNamespaced) return undefined;
  const reported = reportedTags();
  const name = reported?.get("crossplane-name");
  const writerKind = `${kind.kind.toLowerCase()}.${toApiGroup(kind.apiVersion)}`;
  if (name === undefined || !isPathSegment(name) || reported?.get("crossplane-kind") !== writerKind) return undefined;
  if (name === own.name || listNames(listed).has(name)) return undefined;
  return toNamed(kind, name);
}

/** The most successors without labels that an owner looks up. */
const MAX_LOST = 20;

/**
 * Requires an owner's successors that have no label any more, by the names that it noted as `namespace/name` or `name`: the step may be gone
 * from their Compositions. Leaves out hashes (`hashName`), names of the twin kind, and what is no name, as a team may write there.
 */
export function toLostRequirements({ kind, own }: Candidate, listed: Contenders): readonly Requirement[] {
  if (!own?.isMarked || own.acknowledged.size === 0) return [];
  const known = listNames(listed);
  return [...own.acknowledged]
    .filter((text) => !known.has(text))
    .map((text) => text.split("/").toReversed())
    .filter(([name = "", namespace, ...rest]) =>
      kind.isNamespaced
        ? rest.length === 0 && namespace !== undefined && DNS_LABEL.test(namespace) && isName(name)
        : namespace === undefined && isName(name),
    )
    .slice(0, MAX_LOST)
    .map(([name = "", namespace]) => toNamed(kind, name, namespace));
}

function toNamed({ apiVersion, kind }: ManagedKind, name: string, namespace?: string): Requirement {
  return toRequirement(`tags/${apiVersion}/${kind}/${name}`, { apiVersion, kind, namespace, match: { name } });
}

/**
 * Reads the contenders of an answer; undefined while the answer is pending. Puts `own` in place of the item with its UID and
 * resourceVersion. If `own` is marked as the owner, it also replaces an item with its name and another UID, which is from before a restore.
 */
export function toContenders(answer: LookupAnswer, own: Contender | undefined): Contenders | undefined {
  if (answer.is === "pending") return undefined;
  const restored = own?.isMarked === true ? own.name : undefined;
  const isOwn = (item: Document, { uid, document }: Contender): boolean =>
    readUid(item) === uid ? isSameVersion(item, document) : restored !== undefined && qualifiedName(item) === restored;
  return answer.items.map((item) => (own && isOwn(item, own) ? own : toContender(item)));
}

/** Returns `own` in place of a contender with its UID and resourceVersion, else the contender. */
export const orOwn = (one: Contender, own: Contender | undefined): Contender =>
  own !== undefined && one.uid === own.uid && isSameVersion(one.document, own.document) ? own : one;

function isSameVersion(item: Document, document: Document): boolean {
  const version = stringAt(item, RESOURCE_VERSION);
  return version !== undefined && version === stringAt(document, RESOURCE_VERSION);
}

const RESOURCE_VERSION = ["metadata", "resourceVersion"];
