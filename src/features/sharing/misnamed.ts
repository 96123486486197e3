import type { Fault } from "../../input/faults.ts";
import { isRequired } from "../../input/patch.ts";
import { compareTexts } from "../../model/collections.ts";
import { brief, listSome, MAX_NAMES, quote } from "../../model/condition.ts";
import { didYouMean } from "../../model/did-you-mean.ts";
import { isDependent } from "../../ownership/annotations.ts";
import { NAMES_NAME, readNames } from "../../records/names-record.ts";
import type { Call } from "../feature.ts";
import { findCopies } from "./copies/observed.ts";
import type { Judged } from "./judgement.ts";
import type { SharingReason } from "./reasons.ts";

/**
 * Finds names in patches and dependents that no earlier step desires: they are misspelt, or a later step desires them.
 * A resource that is observed or recorded was desired before, so its name is right.
 *
 * Finds none if a share has a `connection`, or the XR has copies or dependents. A field of the XR may decide which resources
 * an earlier step desires. So a team could cause the Fatal result, and thereby keep copies whose grant is taken back.
 */
export function findMisnamed(shares: readonly Judged[], call: Call): readonly Fault[] {
  const { observed, desired } = call.request;
  if (shares.some(({ shared }) => shared.connection !== undefined)) return [];
  if (findCopies(observed.resources).length > 0) return [];
  const recorded = readNames(observed.resources.get(NAMES_NAME)?.document);
  const names = shares.flatMap(({ shared }, index) => findNames(shared, `spec.sharedResources[${index}]`));
  const unknown = names.filter(({ name }) =>
    [desired.resources, observed.resources, recorded].every((map) => !map.has(name)),
  );
  if (unknown.length === 0 || [...observed.resources.values()].some(({ document }) => isDependent(document))) return [];
  return unknown.map(({ name, path }) => ({ path, message: explainMisnamed(name, desired.resources) }));
}

/** Lists the names that earlier steps have to desire, with their paths in the input. */
const findNames = ({ patches, dependents }: Judged["shared"], path: string) => [
  ...patches.flatMap((patch, index) =>
    patch.toResource && isRequired(patch)
      ? [{ name: patch.toResource.name, path: `${path}.patches[${index}].toResource.name` }]
      : [],
  ),
  ...dependents.flatMap((name, index) => (isGlob(name) ? [] : [{ name, path: `${path}.dependents[${index}]` }])),
];

const isGlob = (name: string): boolean => name.includes("*");

/** Reports the dependents of a share that no earlier step desires. */
export const remarkUndesired = ({ shared, call }: Judged): readonly SharingReason[] => {
  const { resources } = call.request.desired;
  const missing = shared.dependents.filter((name) => !isGlob(name) && !resources.has(name));
  return missing.map((name) => ({ is: "DependentNotDesired", fault: explainMisnamed(name, resources) }));
};

export function explainMisnamed(name: string, desired: ReadonlyMap<string, unknown>): string {
  const names = [...desired.keys()].sort(compareTexts);
  if (names.length === 0)
    return `the steps before this one desire no resource: move this step behind the one that desires ${quote(name)}`;
  const order =
    `; if a patch with policy Required leaves ${quote(name)} out there, remove that patch; ` +
    "if a step such as function-sequencer holds it back, move that step behind this one";
  const suggestion = didYouMean(name, names) || order;
  return `no earlier step desires ${quote(name)}; earlier steps desire ${listSome(names, MAX_NAMES, brief)}${suggestion}`;
}
