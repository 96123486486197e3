import { readCreationTime } from "../../crossplane/managed-resource.ts";
import { EXTERNAL_NAME } from "../../crossplane/metadata.ts";
import { stringAt } from "../../model/document.ts";
import { type Contender, isNamed } from "../../ownership/contender.ts";
import { type Contenders, findNamed, firstOther } from "../../ownership/contenders.ts";
import type { Subject } from "./subject.ts";

/**
 * Finds the external name of an association, which its provider makes up, on a contender that has it. Undefined if the pipeline sets it, or
 * no contender has it.
 *
 * @param owner the owner, if it is not ours.
 */
export function nameAssociation(
  { desired, facts, own }: Subject,
  contenders: Contenders,
  owner: Contender | undefined,
  isMoving: boolean,
): string | undefined {
  if (facts.name.is !== "association" || stringAt(desired, EXTERNAL_NAME) !== undefined) return undefined;
  const other = firstOther(findNamed(contenders), own?.uid);
  const known = chooseNamed(owner, isMoving ? undefined : own, other);
  return known && stringAt(known.document, EXTERNAL_NAME);
}

/** Chooses a contender with a name, those that have found the association first. */
function chooseNamed(owner?: Contender, ours?: Contender, other?: Contender): Contender | undefined {
  const creator = owner && readCreationTime(owner.document) !== undefined ? owner : undefined;
  const isFound = (one: Contender | undefined): boolean => one?.observation === "present" && isNamed(one);
  return [creator, ours, owner, other].find(isFound) ?? [owner, ours, other].find((one) => one && isNamed(one));
}
