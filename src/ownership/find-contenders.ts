import { toApiGroup } from "../crossplane/api-group.ts";
import type { ManagedKind } from "../crossplane/managed-resource.ts";
import { toRequirement } from "../crossplane/requirement.ts";
import { stringAt } from "../model/document.ts";
import type { Request } from "../model/request.ts";
import type { Requirement } from "../model/requirement.ts";
import { type Contender, toContender } from "./contender.ts";
import { IDENTITY } from "./marks.ts";

/** The managed resource whose rivals are looked for, as far as that tells where to look. */
export interface Candidate {
  readonly kind: ManagedKind;
  /** Undefined before it is created. */
  readonly own: Contender | undefined;
  /** The tags that its provider reports of the cloud resource. */
  readonly reportedTags: ReadonlyMap<string, string> | undefined;
}

/** The managed resources that stand for a cloud resource, as far as Crossplane has looked, and what it has to look up. */
export interface Contenders {
  /** Undefined while an answer is pending. */
  readonly contenders: readonly Contender[] | undefined;
  readonly requirements: readonly Requirement[];
}

/**
 * Finds all that carry the identity's label, and the managed resource that wrote the cloud resource last: its XR need not use
 * this function, so it may lack the label. The latter is required only while ours is no owner, so in steady state there is one
 * requirement.
 */
export function findContenders(candidate: Candidate, identity: string, request: Request): Contenders {
  const { apiVersion, kind } = candidate.kind;
  const match = { labels: { [IDENTITY]: identity } };
  const labelled = toRequirement(`tags/${apiVersion}/${identity}`, { apiVersion, kind, match });
  const listed = readAnswer(labelled, request)?.filter((contender) => contender.identity === identity);
  if (listed === undefined) return { contenders: undefined, requirements: [labelled] };

  const writer = toWriterRequirement(candidate, listed);
  if (writer === undefined) return { contenders: listed, requirements: [labelled] };
  const found = readAnswer(writer, request);
  // A writer that has moved to another cloud resource since, or is listed, adds nothing.
  const isNew = (one: Contender): boolean => one.identity === undefined && listed.every(({ uid }) => uid !== one.uid);
  const contenders = found && [...listed, ...found.filter(isNew)];
  return { contenders, requirements: [labelled, writer] };
}

function readAnswer({ name }: Requirement, request: Request): readonly Contender[] | undefined {
  const answer = request.required(name);
  return answer.is === "pending" ? undefined : answer.items.map(toContender);
}

/**
 * Requires the managed resource that wrote the cloud resource, where it is neither ours nor listed. Upjet's providers name it in
 * a tag, but without its namespace, so only cluster-scoped ones can be looked up.
 */
function toWriterRequirement(
  { kind, own, reportedTags }: Candidate,
  listed: readonly Contender[],
): Requirement | undefined {
  if (own === undefined || own.isMarked || kind.isNamespaced) return undefined;
  const name = reportedTags?.get("crossplane-name");
  const writerKind = `${kind.kind.toLowerCase()}.${toApiGroup(kind.apiVersion)}`;
  if (name === undefined || reportedTags?.get("crossplane-kind") !== writerKind) return undefined;
  const known = [stringAt(own.document, ["metadata", "name"]), ...listed.map((contender) => contender.name)];
  if (known.includes(name)) return undefined;
  const { apiVersion } = kind;
  return toRequirement(`tags/${apiVersion}/${kind.kind}/${name}`, { apiVersion, kind: kind.kind, match: { name } });
}
