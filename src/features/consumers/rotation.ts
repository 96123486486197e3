import { FOR_ALL, type Grantee } from "../../crossplane/grants.ts";
import { annotationPath, readAnnotation } from "../../crossplane/metadata.ts";
import { toReference } from "../../crossplane/references.ts";
import type { Consumers } from "../../input/consumers.ts";
import type { Document } from "../../model/document.ts";
import type { Draft } from "../../model/draft.ts";
import { hashText } from "../../model/hash.ts";
import { ROTATION } from "../../ownership/annotations.ts";
import { desiredSoFar, type Edits, observedAs } from "../desired.ts";
import type { Call } from "../feature.ts";
import { recallNames } from "../record-names.ts";
import type { Access, OwnerFacts } from "./owner-facts.ts";

/**
 * Changes the field `rotation.toFieldPath` each time that a namespace loses access. The annotation ROTATION of the same resource
 * remembers the namespaces with access. Both stay as they are while it is unknown who has access.
 */
export function rotate({ rotation }: Consumers, { access, grantees }: OwnerFacts, draft: Draft, call: Call): Edits {
  if (rotation === undefined) return [];
  const { resource, toFieldPath } = rotation;
  const desired = desiredSoFar(call, draft).get(resource);
  if (desired === undefined) return [];
  const before = recall(resource, desired, call);
  const memory = access && grantees ? remember(listNamespaces(access, grantees), before) : before;
  if (memory === undefined) return [];
  const [, trigger = ""] = memory.split("/");
  const triggered = trigger === "" ? [] : [{ path: toFieldPath, value: trigger }];
  return [
    [resource, { is: "set", object: desired.with([{ path: annotationPath(ROTATION), value: memory }, ...triggered]) }],
  ];
}

/** Lists the namespaces with access. A grant to all is only `*`: its end is a loss, whichever namespaces are listed then. */
const listNamespaces = ({ names, isForAll }: Access, grantees: readonly Grantee[]): readonly string[] =>
  isForAll ? [FOR_ALL] : [...new Set([...names, ...grantees.map(({ namespace }) => namespace)])];

/** Reads the annotation: namespaces with access, a slash, and the field's value, which is empty before the first loss. */
function recall(resource: string, desired: Document, call: Call): string | undefined {
  const observed = observedAs(resource, toReference(desired), call);
  const annotated = observed && readAnnotation(observed, ROTATION);
  const memory = annotated ?? recallNames(call).names.get(resource)?.rotation;
  return memory?.includes("/") ? memory : undefined;
}

/** Writes the annotation. It lists hashes, since a thousand names would be too long for it. */
function remember(namespaces: readonly string[], memory: string | undefined): string {
  const granted = namespaces.map((name) => (name === FOR_ALL ? name : digest(name))).sort();
  const [before = "", trigger = ""] = memory?.split("/") ?? [];
  const now = new Set(["", ...granted]); // an empty list is split to [""]
  const isLost = !now.has(FOR_ALL) && before.split(" ").some((one) => !now.has(one));
  return `${granted.join(" ")}/${isLost ? digest([trigger, ...granted].join("/")) : trigger}`;
}

const digest = (text: string): string => hashText(text, 20);
