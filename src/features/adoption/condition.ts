import { type Condition, type ShownCondition, shownCondition } from "../../model/condition.ts";
import type { Call } from "../feature.ts";
import { REASONS, type Reason, type Standing } from "./standing.ts";

const TYPE = "ResourcesAdopted";

/** How many resources a sentence names: a condition is not the place for hundreds. */
const MAX_NAMES = 10;

export const shownAdoption = ({ composite }: Call): ShownCondition | undefined =>
  shownCondition(composite.document, TYPE);

/** One condition for all resources; those of which the same is to be said share a sentence. */
export function conditionOf(standings: readonly Standing[]): Condition {
  const [first] = inOrder(standings);
  const reason = first?.reason ?? "Adopted";
  return {
    type: TYPE,
    status: statusOf(reason),
    reason,
    message: first === undefined ? undefined : sentencesOf(standings).join("; "),
    target: "Composite",
  };
}

const STATUS: Readonly<Partial<Record<Reason | "Adopted", Condition["status"]>>> = {
  Adopted: "True",
  Released: "True",
  ControlledByAnother: "True",
  LeftOut: "True",
  WaitingForRequiredResources: "Unknown",
};

const statusOf = (reason: Reason | "Adopted"): Condition["status"] => STATUS[reason] ?? "False";

/** What stops the XR, a line for each resource. */
export const fatalOf = (standings: readonly Standing[]): string =>
  [
    "cannot go on without losing resources that this XR refers to and does not control:",
    ...inOrder(standings).map(({ resource, sentence }) => `  ${resource}: ${sentence}`),
  ].join("\n");

/** The same sentence once, after all that it is said of. */
export function sentencesOf(standings: readonly Standing[]): readonly string[] {
  const resources = new Map<string, readonly string[]>();
  for (const { sentence, resource } of inOrder(standings)) {
    resources.set(sentence, [...(resources.get(sentence) ?? []), resource]);
  }
  return [...resources].map(([sentence, names]) => `${listOf(names)}: ${sentence}`);
}

function listOf(names: readonly string[]): string {
  const rest = names.length - MAX_NAMES;
  return rest > 0 ? `${names.slice(0, MAX_NAMES).join(", ")} and ${rest} more` : names.join(", ");
}

const inOrder = (standings: readonly Standing[]): readonly Standing[] =>
  [...standings].sort((a, b) => REASONS.indexOf(a.reason) - REASONS.indexOf(b.reason));
