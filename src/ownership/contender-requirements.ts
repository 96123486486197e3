import { toApiGroup } from "../crossplane/api-group.ts";
import type { ManagedKind } from "../crossplane/managed-resource.ts";
import { toRequirement } from "../crossplane/requirement-names.ts";
import { type Document, stringAt } from "../model/document.ts";
import { isPathSegment } from "../model/names.ts";
import type { LookupAnswer, Requirement } from "../model/requirement.ts";
import { type Contender, toContender } from "./contender.ts";
import { type Contenders, listNames } from "./contenders.ts";
import type { Candidate } from "./identity.ts";

/** Makes the requirement of a label. Its name holds the whole selector: the label's value is a hash with the kind. */
export const toLabelled = ({ apiVersion, kind }: ManagedKind, label: string, identity: string): Requirement => ({
  name: `tags/${apiVersion}/${label}/${identity}`,
  selector: { apiVersion, kind, match: { labels: { [label]: identity } } },
});

/**
 * Names the requirement of the first contender. Our own resource counts as the first only in the reconcile in which all were listed, so
 * its resourceVersion is part of the name. An XR that hands over to itself has an owner, and another one that finds that owner first.
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
 * Requires the managed resource that wrote the cloud resource, if it is neither ours nor listed. Upjet's providers name it in a tag
 * without its namespace, so only cluster-scoped resources can be looked up. An invalid name is not asked for: Crossplane would fail
 * the whole XR, and anyone may write tags in the cloud.
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

/** Reads the contenders of an answer; undefined while it is pending. Our own is not read again where it is as observed. */
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
