import type { SharedResource } from "../../input/shared-resource.ts";
import type { Condition } from "../../model/condition.ts";
import { explain, type Standing } from "./standing.ts";

const TYPE = "SharedResourcesReady";

export interface Share {
  readonly shared: SharedResource;
  readonly standing: Standing;
}

/** One condition for all shared resources: its reason is that of the first that is not available, its message names all of them. */
export function conditionOf(shares: readonly Share[]): Condition {
  const lacking = shares.filter(({ standing }) => standing.is !== "Available");
  const [first] = lacking;
  const reason = first?.standing.is ?? "Available";
  const sentences = lacking.map(({ shared, standing }) => `${shared.name}: ${explain(standing, shared)}`);
  return {
    type: TYPE,
    status: statusOf(reason),
    reason,
    message: first === undefined ? undefined : sentences.join("; "),
    target: "CompositeAndClaim",
  };
}

function statusOf(reason: Standing["is"]): Condition["status"] {
  if (reason === "Available") return "True";
  return reason === "WaitingForRequiredResources" ? "Unknown" : "False";
}
