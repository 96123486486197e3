import type { Condition } from "../../model/condition.ts";
import type { TagFault } from "./limits.ts";
import { explain, type Own, type Standing } from "./standing.ts";

const TYPE = "TagsOwned";

/** How many resources a message names: an event's has room for some. */
const NAMED = 3;

/** What is said of one resource's tags. */
export interface Tagged {
  readonly resource: string;
  readonly own: Own;
  readonly standing: Standing;
}

/** A tag that its cloud would refuse: where it would be written, and why. */
export interface Refusal extends TagFault {
  readonly resource: string;
  readonly path: string;
}

/** What is wrong with the input's values, rather than with a resource. */
export interface Shortcomings {
  readonly refusals: readonly Refusal[];
  /** Fields of the XR or the environment that are not set. */
  readonly unset: readonly string[];
}

/**
 * One condition for all resources: its reason is that of the first that is not owned, its message names them. Reasons
 * that are no standing's: InvalidTags, with which nothing is applied, and FieldNotSet, for a tag that is left out.
 */
export function conditionOf(tagged: readonly Tagged[], { refusals, unset }: Shortcomings): Condition {
  const lacking = tagged.filter(({ standing }) => standing.is !== "Owned");
  const reason =
    refusals.length > 0 ? "InvalidTags" : (lacking[0]?.standing.is ?? (unset.length > 0 ? "FieldNotSet" : "Owned"));
  const sentences = [
    ...refusals.map(explainRefusal),
    ...lacking.slice(0, NAMED).map(({ resource, standing, own }) => `${resource}: ${explain(standing, own)}`),
    ...(lacking.length > NAMED ? [`and ${lacking.length - NAMED} more`] : []),
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
