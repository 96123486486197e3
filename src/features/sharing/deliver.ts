import type { SharedResource } from "../../input/shared-resource.ts";
import type { ResourceEdit } from "../../model/draft.ts";
import type { Call } from "../feature.ts";
import { type Copied, copyTo, giveUp, keepAll } from "./copy.ts";
import type { Data } from "./data.ts";
import type { Question } from "./question.ts";
import type { Standing } from "./standing.ts";
import type { Verdict } from "./verdict.ts";

/** What comes of one shared resource's connection Secret, and what stands in the way of it. */
export interface Delivery {
  readonly resources: ReadonlyMap<string, ResourceEdit>;
  /** What becomes connection details of this XR. */
  readonly details: Data;
  readonly questions: readonly Question[];
  readonly standings: readonly Standing[];
}

const nothing: Delivery = { resources: new Map(), details: new Map(), questions: [], standings: [] };

/** Acts on a verdict. Leaving out a resource that was composed before deletes it, and the copy with it. */
export function deliver(shared: SharedResource, verdict: Verdict, call: Call): Delivery {
  switch (verdict.is) {
    case "copy": {
      const copied = verdict.granted.map((target) => copyTo(shared.name, target, verdict, call));
      const givenUp = verdict.taken.map(({ target, holder }) => giveUp(shared.name, target, holder, call));
      return merge([...copied, ...givenUp], verdict.refusal);
    }
    case "nothingToCopy":
      return nothing;
    case "keep":
      return merge([keepAll(shared, call)], verdict.standing);
    case "drop":
      return { ...nothing, standings: [verdict.standing] };
  }
}

function merge(copied: readonly Copied[], refusal: Standing | undefined): Delivery {
  const standings = copied.flatMap((copy) => copy.standings);
  const waiting = standings.flatMap((standing) => (standing.is === "WaitingForCopies" ? standing.targets : []));
  return {
    resources: new Map(copied.flatMap(({ resources }) => resources)),
    details: new Map(copied.flatMap(({ details }) => [...details])),
    questions: copied.flatMap(({ questions }) => questions),
    standings: [
      ...(refusal === undefined ? [] : [refusal]),
      ...standings.filter(({ is }) => is !== "WaitingForCopies"),
      ...(waiting.length === 0 ? [] : [{ is: "WaitingForCopies", targets: waiting } as const]),
    ],
  };
}
