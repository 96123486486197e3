import type { ResourceEdit } from "../../../model/draft.ts";
import type { Requirement } from "../../../model/requirement.ts";
import type { Origin } from "../origin.ts";
import type { SharingReason } from "../reason.ts";
import type { Data } from "./contents.ts";

/** The outcome for one shared resource's connection Secret, and the reasons why copies are missing. */
export interface Delivery {
  /** Leaving out a resource that was composed before deletes it, and the copy with it. */
  readonly resources: ReadonlyMap<string, ResourceEdit>;
  /** Connection details of this XR. */
  readonly details: Data;
  readonly requirements: readonly Requirement[];
  readonly reasons: readonly SharingReason[];
  /** The resource that a copy was made from before, where it is another one now. */
  readonly before: Origin | undefined;
}

/** The outcome for one destination, or one copy. */
export interface Part {
  readonly edits?: readonly (readonly [string, ResourceEdit])[];
  readonly details?: Data;
  readonly requirements?: readonly Requirement[];
  readonly reasons?: readonly SharingReason[];
  readonly before?: Origin | undefined;
}

/** Puts parts together. */
export const merge = (parts: readonly Part[]): Part => ({
  edits: parts.flatMap(({ edits = [] }) => edits),
  details: mergeDetails(parts),
  requirements: parts.flatMap(({ requirements = [] }) => requirements),
  reasons: parts.flatMap(({ reasons = [] }) => reasons),
  before: parts.find(({ before }) => before !== undefined)?.before,
});

/** As they are where only one part has any: there may be many. */
function mergeDetails(parts: readonly Part[]): Data {
  const all = parts.flatMap(({ details }) => (details === undefined || details.size === 0 ? [] : [details]));
  const [first = new Map<string, string>()] = all;
  return all.length < 2 ? first : new Map(all.flatMap((details) => [...details]));
}

/** Makes a delivery of all parts of a share; all copies that are waited for are one reason. */
export function toDelivery(parts: readonly Part[]): Delivery {
  const { edits = [], details = new Map(), requirements = [], reasons = [], before } = merge(parts);
  const waiting = reasons.flatMap((reason) => (reason.is === "WaitingForCopies" ? reason.targets : []));
  return {
    resources: new Map(edits),
    details,
    requirements,
    reasons: [
      ...reasons.filter(({ is }) => is !== "WaitingForCopies"),
      ...(waiting.length === 0 ? [] : [{ is: "WaitingForCopies", targets: waiting } as const]),
    ],
    before,
  };
}
