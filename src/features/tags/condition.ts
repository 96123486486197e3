import type { Condition } from "../../model/condition.ts";
import type { TagFault } from "./limits.ts";
import { explain, type Own, type TagReason } from "./reasons.ts";

const TYPE = "TagsOwned";

/** The largest number of resources that a message names. */
const MAX_NAMES = 3;

/** One resource, and the state of its tags. */
export interface Tagged {
  readonly resource: string;
  readonly own: Own;
  readonly reason: TagReason;
}

/** A tag that its cloud would refuse, the field where it would be written, and the cause. */
export interface Refusal extends TagFault {
  readonly resource: string;
  readonly path: string;
}

/** Faults of the input's values. */
export interface Faults {
  readonly refusals: readonly Refusal[];
  /** Fields of the XR or the environment that are not set. */
  readonly unset: readonly string[];
}

/**
 * One condition for all resources: its reason is that of the first resource that is not owned, its message names them. Two
 * reasons belong to no resource: InvalidTags, with which nothing is applied, and FieldNotSet, for a tag that is left out.
 */
export function toCondition(tagged: readonly Tagged[], { refusals, unset }: Faults): Condition {
  const lacking = tagged.filter(({ reason: { is } }) => is !== "Owned");
  const reason =
    refusals.length > 0 ? "InvalidTags" : (lacking[0]?.reason.is ?? (unset.length > 0 ? "FieldNotSet" : "Owned"));
  const sentences = [
    ...refusals.map(explainRefusal),
    ...lacking.slice(0, MAX_NAMES).map((tag) => `${tag.resource}: ${explain(tag.reason, tag.own)}`),
    ...(lacking.length > MAX_NAMES ? [`and ${lacking.length - MAX_NAMES} more`] : []),
    ...unset.map((field) => `${field} is not set, so its tag is left out`),
  ];
  return {
    type: TYPE,
    status: statusOf(reason),
    reason,
    message: sentences.length === 0 ? undefined : sentences.join("; "),
    target: "CompositeAndClaim",
  };
}

function statusOf(reason: string): Condition["status"] {
  if (reason === "Owned") return "True";
  return reason === "WaitingForRequiredResources" ? "Unknown" : "False";
}

export const explainRefusal = ({ resource, path, message }: Refusal): string => `${resource}: ${path}: ${message}`;
