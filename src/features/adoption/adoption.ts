import type { Adoption } from "../../input/adoption.ts";
import type { Condition } from "../../model/condition.ts";
import type { Draft, ResourceEdit } from "../../model/draft.ts";
import { eventsOf } from "../events.ts";
import type { Call, Feature } from "../feature.ts";
import { type Case, casesOf } from "./cases.ts";
import { conditionOf, fatalOf } from "./condition.ts";
import { putBack } from "./put-back.ts";
import { requirementOf, selectorOf } from "./references.ts";
import { BLOCKING } from "./standing.ts";
import { standingsOf } from "./standings.ts";

/**
 * Nothing that the XR refers to is dropped before the XR controls it. After a restore nobody controls what was composed;
 * Crossplane then deletes what is not desired although it never adopted it, or forgets it for ever (crossplane#5875).
 */
export const adoption: Feature = (call, draft) => {
  const policy = call.input.spec.adoption;
  if (policy === undefined) return draft;

  const cases = casesOf(call, draft);
  const standings = standingsOf(cases, policy, call);
  const condition = conditionOf(standings);
  const blocking = standings.filter(({ reason }) => BLOCKING.has(reason));
  return {
    ...draft,
    resources: new Map([...draft.resources, ...putBacksOf(cases, policy)]),
    requirements: new Map([...draft.requirements, ...requirementsOf(cases)]),
    conditions: [...draft.conditions, condition],
    results: [
      ...draft.results,
      ...resultsOf(cases, blocking.length > 0 ? fatalOf(blocking) : undefined, call, condition),
    ],
  };
};

/** A Fatal ends the calls of this reconcile, so it waits until everything is known: it names all at once. */
function resultsOf(
  cases: readonly Case[],
  fatal: string | undefined,
  call: Call,
  condition: Condition,
): Draft["results"] {
  const { reason, status } = condition;
  const isPending = cases.some(({ verdict }) => verdict.is === "pending");
  if (fatal !== undefined) {
    return isPending ? [] : [{ severity: "Fatal", message: fatal, reason, target: "Composite" }];
  }
  const isFine = status === "True" && reason !== "Released" && reason !== "ControlledByAnother";
  return eventsOf(condition, isFine || reason === "Adopting" ? "Normal" : "Warning", call);
}

/** It is desired for the sake of its owner reference only; the XR is no less ready for it. */
function putBacksOf(cases: readonly Case[], { onUnadopted }: Adoption): readonly (readonly [string, ResourceEdit])[] {
  const isKept = ({ verdict }: Case): boolean =>
    verdict.is === "unsettled" || (verdict.is === "unadopted" && onUnadopted === "Adopt");
  return cases.flatMap((found) =>
    found.is === "observed" && isKept(found)
      ? [[found.name, { is: "set", object: putBack(found.resource), ready: "True" }] as const]
      : [],
  );
}

/** They stay for as long as the XR has such references: Crossplane watches what was required last. */
const requirementsOf = (cases: readonly Case[]) =>
  cases.flatMap((found) =>
    found.is === "referenced" ? [[requirementOf(found.reference), selectorOf(found.reference)] as const] : [],
  );
