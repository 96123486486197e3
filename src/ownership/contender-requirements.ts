import { toApiGroup } from "../crossplane/api-group.ts";
import type { ManagedKind } from "../crossplane/managed-resource.ts";
import { toRequirement } from "../crossplane/requirement-names.ts";
import { type Document, stringAt } from "../model/document.ts";
import { isPathSegment } from "../model/names.ts";
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

/** Chooses the label by which our resource finds the contenders that it has to know. @param before the first, found earlier. */
export function chooseLabel(before: Contender | undefined, candidate: Candidate): string {
  const { own } = candidate;
  if (before === undefined && mayBePromoted(candidate)) return IDENTITY_LABEL;
  return own !== undefined && (own.isMarked || before?.uid === own.uid) ? CONTENDS_LABEL : WRITES_LABEL;
}

/**
 * Tells whether to look for the same cloud resource behind other ProviderConfigs: our account is not known, and our resource owns the
 * cloud resource or may become its owner. Owners look, too, because an asynchronous provider may report a creation to two of them.
 */
export function looksBehindOtherConfigs(candidate: Candidate): boolean {
  const { own, declared, identity, isImported } = candidate;
  if (declared.account === "") return false;
  if (mayBePromoted(candidate)) return true;
  const isOwner = isNamedByOurs(candidate) || (own?.isMarked === true && own.identity === identity);
  // The creator of an imported cloud resource has no label until it learns of our resource.
  const mayFollow = !declared.isAccountKnown || (isImported && !own?.isCreated);
  return isOwner && mayFollow && own?.observation === "present";
}

/** Tells whether our resource may become the owner now. If it can observe, its provider has to look for the cloud resource first. */
const mayBePromoted = ({ own, identity, hasManagementPolicies }: Candidate): boolean =>
  own === undefined
    ? !hasManagementPolicies
    : !own.isMarked && own.identity === identity && (own.isWriting || own.observation !== "unknown");

/** Finds the first contender, which may be ours; undefined if the whole list is needed. An owner replaces the first found earlier. */
export function findFirst(
  before: Contender | undefined,
  candidate: Candidate,
  listed: Contenders | undefined,
): Contender | undefined {
  const first = listed && findLiving(listed)[0];
  if (listed === undefined || first === undefined) return before;
  if (isAhead(first, candidate)) return before === undefined || first.isMarked ? first : before;
  return before ?? (isAboutToCreate(first, listed, candidate) ? candidate.own : undefined);
}

/** Tells whether our resource is the first, and is about to create the cloud resource. */
const isAboutToCreate = (first: Contender, listed: Contenders, { own }: Candidate): boolean =>
  first.uid === own?.uid &&
  !own.isMarked &&
  own.observation === "absent" &&
  firstOther(findInTheWay(listed), own.uid) === undefined;

/** Tells whether a contender precedes ours. As long as ours lacks the identity label, as right after a rename, only an owner does. */
export const isAhead = (one: Contender, { own, identity }: Candidate): boolean =>
  one.uid !== own?.uid &&
  (one.isMarked || own?.identity === identity) &&
  (own === undefined || byPrecedence(one, own) < 0);

/** Makes the requirement of a label. Its name contains the whole selector: the identity is a hash that includes the kind. */
export const toLabelled = ({ apiVersion, kind }: ManagedKind, label: string, identity: string): Requirement => ({
  name: `tags/${apiVersion}/${label}/${identity}`,
  selector: { apiVersion, kind, match: { labels: { [label]: identity } } },
});

/**
 * Names the requirement of the first contender. If ours is the first, the name contains its resourceVersion, because that is known only
 * in the reconcile in which all were listed. Two resources of one XR have the identity while it hands over to itself: the owner's name
 * differs.
 */
export const toFirstName = ({ identity, own }: Pick<Candidate, "identity" | "own">, isOwn = false): string =>
  `tags/first/${identity}/${own && isOwn ? stringAt(own.document, RESOURCE_VERSION) : own?.isMarked ? "owner" : ""}`;

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
  if (name === stringAt(own.document, ["metadata", "name"]) || listNames(listed).has(name)) return undefined;
  const { apiVersion } = kind;
  return toRequirement(`tags/${apiVersion}/${kind.kind}/${name}`, { apiVersion, kind: kind.kind, match: { name } });
}

/** Reads the contenders of an answer; undefined while it is pending. Reuses our own if the answer has the observed version. */
export const toContenders = (answer: LookupAnswer, own: Contender | undefined): Contenders | undefined =>
  answer.is === "pending"
    ? undefined
    : answer.items.map((item) => (own && isSameVersion(item, own) ? own : toContender(item)));

function isSameVersion(item: Document, { uid, document }: Contender): boolean {
  if (stringAt(item, ["metadata", "uid"]) !== uid) return false;
  const version = stringAt(item, RESOURCE_VERSION);
  return version !== undefined && version === stringAt(document, RESOURCE_VERSION);
}

const RESOURCE_VERSION = ["metadata", "resourceVersion"];
