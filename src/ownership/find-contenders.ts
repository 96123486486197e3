import { toApiGroup } from "../crossplane/api-group.ts";
import type { ManagedKind } from "../crossplane/managed-resource.ts";
import { readLabel } from "../crossplane/metadata.ts";
import { toRequirement } from "../crossplane/requirement.ts";
import { stringAt } from "../model/document.ts";
import { isPathSegment } from "../model/names.ts";
import type { Requirement, Requirements } from "../model/requirement.ts";
import { type Contender, Contenders, toContender } from "./contender.ts";
import type { Identity } from "./identity.ts";
import { EXTERNAL_NAME_LABEL, IDENTITY } from "./marks.ts";

/** The managed resource whose contenders are searched, with the facts that the search needs. */
export interface Candidate {
  readonly kind: ManagedKind;
  /** Undefined before it is created. */
  readonly own: Contender | undefined;
  /** The tags that its provider reports of the cloud resource. */
  readonly reportedTags: () => ReadonlyMap<string, string> | undefined;
}

/**
 * Finds all managed resources with the identity's label, and the one that wrote the cloud resource last: its XR may not use this
 * function, so it may lack the label. The latter is required only while ours is not the owner, so in steady state there is one
 * requirement.
 */
export function findContenders(candidate: Candidate, sought: Identity, known: KnownContenders): Contenders | undefined {
  const { identity } = sought;
  const { apiVersion, kind } = candidate.kind;
  const match = { labels: { [IDENTITY]: identity } };
  const labelled = toRequirement(`tags/${apiVersion}/${identity}`, { apiVersion, kind, match });
  const listed = known.list(labelled, identity);
  const writer = listed && toWriterRequirement(candidate, listed);
  return writer === undefined ? listed : known.listWithWriter(labelled, sought, writer);
}

type Asking = Pick<Requirements, "ask">;

/** The answers of one request, each read once for all resources that stand for the same cloud resource. */
export class KnownContenders {
  readonly #requirements: Asking;
  readonly #known = new Map<string, Contenders>();

  constructor(requirements: Asking) {
    this.#requirements = requirements;
  }

  /** Lists the contenders with the identity's label; undefined while the answer is pending. */
  list(labelled: Requirement, identity: string): Contenders | undefined {
    return this.#once(labelled.name, () => {
      const found = this.#read(labelled);
      return found && new Contenders(found.filter((contender) => contender.identity === identity));
    });
  }

  /** Lists the same, and the managed resource that wrote the cloud resource last. */
  listWithWriter(labelled: Requirement, sought: Identity, writer: Requirement): Contenders | undefined {
    return this.#once(`${labelled.name} ${writer.name}`, () => {
      const listed = this.list(labelled, sought.identity);
      const found = this.#read(writer);
      if (listed === undefined || found === undefined) return undefined;
      const isNew = (contender: Contender): boolean =>
        !listed.byUid.has(contender.uid) && standsFor(contender, sought.externalName);
      return new Contenders([...listed.all, ...found.filter(isNew)]);
    });
  }

  #read(requirement: Requirement): readonly Contender[] | undefined {
    const answer = this.#requirements.ask(requirement);
    return answer.is === "pending" ? undefined : answer.items.map(toContender);
  }

  #once(key: string, read: () => Contenders | undefined): Contenders | undefined {
    const before = this.#known.get(key);
    if (before !== undefined) return before;
    const found = read();
    if (found !== undefined) this.#known.set(key, found);
    return found;
  }
}

/**
 * Tells whether a writer still stands for the cloud resource whose tags name it, and not for another one by now. It may say that it
 * is in another place: what does not tell two apart, such as the region of a DNS zone or the case of a resource group, is in its
 * identity all the same.
 */
const standsFor = ({ identity, document }: Contender, externalName: string): boolean =>
  identity === undefined || readLabel(document, EXTERNAL_NAME_LABEL) === externalName;

/**
 * Requires the managed resource that wrote the cloud resource, where it is neither ours nor listed. Upjet's providers name it in
 * a tag, but without its namespace, so only cluster-scoped ones can be looked up. What no resource can be called is not asked
 * for: whoever may write the cloud's tags could have Crossplane fail the whole XR.
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
