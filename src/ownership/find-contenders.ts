import { toApiGroup } from "../crossplane/api-group.ts";
import type { ManagedKind } from "../crossplane/managed-resource.ts";
import { toRequirement } from "../crossplane/requirement.ts";
import { stringAt } from "../model/document.ts";
import { isPathSegment } from "../model/names.ts";
import type { Request } from "../model/request.ts";
import type { Requirement } from "../model/requirement.ts";
import { type Contender, Contenders, toContender } from "./contender.ts";
import { IDENTITY } from "./marks.ts";

/** The managed resource whose contenders are searched, with the facts that the search needs. */
export interface Candidate {
  readonly kind: ManagedKind;
  /** Undefined before it is created. */
  readonly own: Contender | undefined;
  /** The tags that its provider reports of the cloud resource. */
  readonly reportedTags: ReadonlyMap<string, string> | undefined;
}

/** The contenders that Crossplane has found so far, and the requirements to find the others. */
interface Found {
  /** Undefined while an answer is pending. */
  readonly contenders: Contenders | undefined;
  readonly requirements: readonly Requirement[];
}

/**
 * Finds all managed resources with the identity's label, and the one that wrote the cloud resource last: its XR may not use this
 * function, so it may lack the label. The latter is required only while ours is not the owner, so in steady state there is one
 * requirement.
 */
export function findContenders(candidate: Candidate, identity: string, known: KnownContenders): Found {
  const { apiVersion, kind } = candidate.kind;
  const match = { labels: { [IDENTITY]: identity } };
  const labelled = toRequirement(`tags/${apiVersion}/${identity}`, { apiVersion, kind, match });
  const listed = known.list(labelled, identity);
  if (listed === undefined) return { contenders: undefined, requirements: [labelled] };

  const writer = toWriterRequirement(candidate, listed);
  if (writer === undefined) return { contenders: listed, requirements: [labelled] };
  return { contenders: known.listWithWriter(labelled, identity, writer), requirements: [labelled, writer] };
}

type Answers = Pick<Request, "required">;

/** The answers of one request, each read once for all resources that stand for the same cloud resource. */
export class KnownContenders {
  readonly #request: Answers;
  readonly #read = new Map<string, Contenders | undefined>();

  constructor(request: Answers) {
    this.#request = request;
  }

  /** Lists the contenders with the identity's label; undefined while the answer is pending. */
  list(labelled: Requirement, identity: string): Contenders | undefined {
    return this.#once(labelled.name, () => {
      const found = readAnswer(labelled, this.#request);
      return found && new Contenders(found.filter((contender) => contender.identity === identity));
    });
  }

  /** Lists the same, and the managed resource that wrote the cloud resource last. */
  listWithWriter(labelled: Requirement, identity: string, writer: Requirement): Contenders | undefined {
    return this.#once(`${labelled.name} ${writer.name}`, () => {
      const listed = this.list(labelled, identity);
      const found = readAnswer(writer, this.#request);
      if (listed === undefined || found === undefined) return undefined;
      // Skips a writer that is listed already, or has moved to another cloud resource since.
      const isNew = ({ identity: label, uid }: Contender): boolean => label === undefined && !listed.byUid.has(uid);
      return new Contenders([...listed.all, ...found.filter(isNew)]);
    });
  }

  #once(key: string, read: () => Contenders | undefined): Contenders | undefined {
    if (!this.#read.has(key)) this.#read.set(key, read());
    return this.#read.get(key);
  }
}

function readAnswer({ name }: Requirement, request: Answers): readonly Contender[] | undefined {
  const answer = request.required(name);
  return answer.is === "pending" ? undefined : answer.items.map(toContender);
}

/**
 * Requires the managed resource that wrote the cloud resource, where it is neither ours nor listed. Upjet's providers name it in
 * a tag, but without its namespace, so only cluster-scoped ones can be looked up. What no resource can be called is not asked
 * for: whoever may write the cloud's tags could have Crossplane fail the whole XR.
 */
function toWriterRequirement({ kind, own, reportedTags }: Candidate, listed: Contenders): Requirement | undefined {
  if (own === undefined || own.isMarked || kind.isNamespaced) return undefined;
  const name = reportedTags?.get("crossplane-name");
  const writerKind = `${kind.kind.toLowerCase()}.${toApiGroup(kind.apiVersion)}`;
  if (name === undefined || !isPathSegment(name) || reportedTags?.get("crossplane-kind") !== writerKind)
    return undefined;
  if (name === stringAt(own.document, ["metadata", "name"]) || listed.names.has(name)) return undefined;
  const { apiVersion } = kind;
  return toRequirement(`tags/${apiVersion}/${kind.kind}/${name}`, { apiVersion, kind: kind.kind, match: { name } });
}
