import type { SharedResource } from "../../input/shared-resource.ts";
import type { Condition } from "../../model/condition.ts";
import { explain, type Standing } from "./standing.ts";

const TYPE = "SharedResourcesReady";

export interface Share {
  readonly shared: SharedResource;
  /** What stands in its way; nothing, where it is available. */
  readonly standings: readonly Standing[];
}

/** One condition for all shared resources: its reason is the first thing that stands in the way, its message names all. */
export function conditionOf(shares: readonly Share[]): Condition {
  const sentences = shares.flatMap(({ shared, standings }) =>
    standings.map((standing) => `${shared.name}: ${explain(standing, shared)}`),
  );
  const [first] = shares.flatMap(({ standings }) => standings);
  return {
    type: TYPE,
    status: statusOf(first),
    reason: first?.is ?? "Available",
    message: first === undefined ? undefined : sentences.join("; "),
    target: "CompositeAndClaim",
  };
}

function statusOf(first: Standing | undefined): Condition["status"] {
  if (first === undefined) return "True";
  return first.is === "WaitingForRequiredResources" ? "Unknown" : "False";
}
