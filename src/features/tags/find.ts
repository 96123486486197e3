import { stringAt } from "../../model/document.ts";
import type { ResourceSelector } from "../../model/requirement.ts";
import { type Contender, toContender } from "../../ownership/contender.ts";
import { IDENTITY } from "../../ownership/marks.ts";
import type { Call } from "../feature.ts";
import { reported } from "./desire.ts";
import type { Subject } from "./subject.ts";
import { toTagMap } from "./tag-map.ts";

export interface Requirement {
  readonly name: string;
  readonly selector: ResourceSelector;
}

/** Who stands for a cloud resource, as far as Crossplane has looked, and what it has to look up for that. */
interface Found {
  readonly contenders: readonly Contender[] | undefined;
  readonly requirements: readonly Requirement[];
}

/**
 * All that carry the identity's label, and whoever the cloud says wrote it last: that one need not run this step at all, and
 * so need not have the label. It is asked for only while we are no owner, so in steady state there is one requirement.
 */
export function findContenders(subject: Subject, own: Contender | undefined, identity: string, call: Call): Found {
  const { apiVersion, kind } = subject.kind;
  const match = { labels: { [IDENTITY]: identity } };
  const requirement = { name: `tags/${apiVersion}/${identity}`, selector: { apiVersion, kind, match } };
  const listed = lookUp(requirement, call)?.filter((contender) => contender.identity === identity);
  if (listed === undefined) return { contenders: undefined, requirements: [requirement] };

  const writer = writerOf(subject, own, listed);
  if (writer === undefined) return { contenders: listed, requirements: [requirement] };
  const found = lookUp(writer, call);
  const contenders = found && [...listed, ...found.filter(({ uid }) => listed.every((other) => other.uid !== uid))];
  return { contenders, requirements: [requirement, writer] };
}

function lookUp({ name }: Requirement, { request }: Call): readonly Contender[] | undefined {
  const answer = request.required(name);
  return answer.is === "pending" ? undefined : answer.items.map(toContender);
}

/**
 * The managed resource that wrote the cloud resource, where it is neither ours nor in the list. Upjet's providers say so in a
 * tag; a namespaced one's namespace is not in there, so only cluster-scoped ones can be looked up.
 */
function writerOf(
  { kind, observed, fieldPath }: Subject,
  own: Contender | undefined,
  listed: readonly Contender[],
): Requirement | undefined {
  if (observed === undefined || own === undefined || own.isMarked || kind.isNamespaced) return undefined;
  const tags = toTagMap(observed.at(reported(fieldPath)));
  const name = tags?.get("crossplane-name");
  const group = kind.apiVersion.split("/")[0];
  if (name === undefined || tags?.get("crossplane-kind") !== `${kind.kind.toLowerCase()}.${group}`) return undefined;
  const known = [stringAt(observed, ["metadata", "name"]), ...listed.map((contender) => contender.name)];
  if (known.includes(name)) return undefined;
  const { apiVersion } = kind;
  return {
    name: `tags/${apiVersion}/${kind.kind}/${name}`,
    selector: { apiVersion, kind: kind.kind, match: { name } },
  };
}
