import { readCreationTime } from "../../crossplane/managed-resource.ts";
import { EXTERNAL_NAME } from "../../crossplane/metadata.ts";
import { stringAt } from "../../model/document.ts";
import { type Contender, isNamed } from "../../ownership/contender.ts";
import { type Contenders, findNamed, firstOther } from "../../ownership/contenders.ts";
import type { Subject } from "./subject.ts";

/**
 * Names an association for its provider after one that knows it; undefined where the pipeline names it, or none does.
 *
 * @param owner another one that owns it.
 */
export function nameAssociation(
  {
    subject: { desired, facts, own },
    contenders = [],
  }: { readonly subject: Subject; readonly contenders?: Contenders | undefined },
  owner: Contender | undefined,
  isMoving: boolean,
): string | undefined {
  if (facts.name.is !== "association" || stringAt(desired, EXTERNAL_NAME) !== undefined) return undefined;
  const other = firstOther(findNamed(contenders), own?.uid);
  const known = chooseNamed(owner, isMoving ? undefined : own, other);
  return known && stringAt(known.document, EXTERNAL_NAME);
}

/** Chooses one that has found the association, first an owner that created it, then ours; else the owner, ours or another one. */
function chooseNamed(owner?: Contender, ours?: Contender, other?: Contender): Contender | undefined {
  const creator = owner && readCreationTime(owner.document) !== undefined ? owner : undefined;
  const isFound = (one: Contender | undefined): boolean => one?.observation === "present" && isNamed(one);
  return [creator, ours, owner, other].find(isFound) ?? [owner, ours, other].find((one) => one && isNamed(one));
}
