import { type Condition, listSome, type ShownCondition, shownCondition } from "../../model/condition.ts";
import { groupBy } from "../../model/group-by.ts";
import type { Call } from "../feature.ts";
import { type AdoptionReason, REASONS } from "./reasons.ts";
import type { Remark } from "./remarks.ts";

const TYPE = "ResourcesAdopted";

/** The largest number of resources that a sentence names. */
const MAX_NAMES = 10;

export const shownAdoption = ({ composite }: Call): ShownCondition | undefined =>
  shownCondition(composite.document, TYPE);

/** One condition for all resources; those with the same sentence share it. */
export function toCondition(remarks: readonly Remark[]): Condition {
  const [first] = sortByReason(remarks);
  const reason = first?.reason ?? "Adopted";
  return {
    type: TYPE,
    status: STATUS[reason] ?? "False",
    reason,
    message: first === undefined ? undefined : toSentences(remarks).join("; "),
    target: "Composite",
  };
}

/** The status of each reason that is not False. */
const STATUS: Readonly<Partial<Record<AdoptionReason | "Adopted", Condition["status"]>>> = {
  Adopted: "True",
  Released: "True",
  ControlledByAnother: "True",
  NoLongerDesired: "True",
  WaitingForRequiredResources: "Unknown",
};

/** The message of the Fatal result, a line for each resource. */
export const toFatal = (remarks: readonly Remark[]): string =>
  [
    "cannot go on without losing resources that this XR refers to and does not control:",
    ...sortByReason(remarks).map(({ resource, sentence }) => `  ${resource}: ${sentence}`),
  ].join("\n");

/** Each sentence once, after the resources that it describes. */
export function toSentences(remarks: readonly Remark[]): readonly string[] {
  const bySentence = groupBy(sortByReason(remarks), ({ sentence }) => sentence);
  return [...bySentence].map(
    ([sentence, described]) => `${listSome(described, MAX_NAMES, ({ resource }) => resource)}: ${sentence}`,
  );
}

const sortByReason = (remarks: readonly Remark[]): readonly Remark[] =>
  remarks.toSorted((a, b) => REASONS.indexOf(a.reason) - REASONS.indexOf(b.reason));
