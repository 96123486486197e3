import type { SharedResource } from "../../input/shared-resource.ts";
import { withMessageCut } from "../../model/condition.ts";
import type { Draft } from "../../model/draft.ts";
import { eventsFor } from "../events.ts";
import type { Call, Feature } from "../feature.ts";
import { conditionOf } from "./condition.ts";
import { contextOf } from "./context.ts";
import { type Delivery, deliver } from "./deliver.ts";
import { type Finding, find } from "./find.ts";
import { assertSupported } from "./generation.ts";
import { type Patches, patchesOf, withPatches } from "./patches.ts";
import type { Standing } from "./standing.ts";
import { firstComeFirstServed } from "./taken.ts";
import { judge } from "./verdict.ts";

interface Share extends Delivery {
  readonly shared: SharedResource;
  readonly finding: Finding;
  readonly patches: Patches["set"];
}

/**
 * Finds the infrastructure of others that this XR uses, and copies its connection Secrets to where this XR's applications
 * look for them, as far as its owners grant it.
 */
export const sharing: Feature = (call, draft) => {
  const { sharedResources, environment } = call.input.spec;
  if (sharedResources.length === 0) {
    return environment === undefined
      ? draft
      : { ...draft, context: new Map([...draft.context, ...contextOf([], call)]) };
  }
  assertSupported(call);
  const shares = toShares(call);
  const patches = shares.flatMap((share) => share.patches);
  return withPatches(withShares(draft, shares, call), patches, call);
};

function withShares(draft: Draft, shares: readonly Share[], call: Call): Draft {
  const condition = conditionOf(shares);
  const isServed = shares.every(({ standings }) => standings.every(({ is }) => is === "WaitingForCopies"));
  const found = shares.flatMap(({ shared, finding }) =>
    finding.is === "found" ? [{ shared, resources: finding.resources }] : [],
  );
  return {
    ...draft,
    resources: new Map([...draft.resources, ...shares.flatMap(({ resources }) => [...resources])]),
    connectionDetails: new Map([...draft.connectionDetails, ...shares.flatMap(({ details }) => [...details])]),
    // A copy that is not written yet is an unready resource of its own; what was not even composed only we know of.
    compositeReady: isServed ? draft.compositeReady : "False",
    requirements: new Map([
      ...draft.requirements,
      ...shares.flatMap(({ questions }) => questions.map(({ name, selector }) => [name, selector] as const)),
    ]),
    context: new Map([...draft.context, ...contextOf(found, call)]),
    conditions: [...draft.conditions, withMessageCut(condition)],
    results: [...draft.results, ...eventsFor(condition, isServed ? "Normal" : "Warning", call)],
  };
}

/** Judge all of them, then act. */
function toShares(call: Call): readonly Share[] {
  const judged = call.input.spec.sharedResources.map((shared) => {
    const { finding, questions } = find(shared, call);
    const judgement = judge(shared, finding, call);
    return { shared, finding, verdict: judgement.verdict, asked: [...questions, ...judgement.questions] };
  });
  return firstComeFirstServed(judged).map(({ shared, finding, verdict, asked }) => {
    const delivery = deliver(shared, verdict, call);
    const patches = patchesOf(shared, finding, verdict, call);
    return {
      ...delivery,
      shared,
      finding,
      patches: patches.set,
      questions: [...asked, ...delivery.questions],
      standings: [...delivery.standings, ...patches.standings].filter((standing) => !isFine(standing, finding, shared)),
    };
  });
}

/** Whoever can go on without a shared resource does not hear that there is none. */
const isFine = ({ is }: Standing, finding: Finding, { resolution }: SharedResource): boolean =>
  resolution === "Optional" && finding.is !== "found" && ["FieldNotSet", "NotFound", "TooFewMatches"].includes(is);
