import type { Adoption } from "../../input/adoption.ts";
import type { Condition, Result } from "../../model/condition.ts";
import { type ResourceEdit, withCondition, withResources, withResults } from "../../model/draft.ts";
import { eventsFor } from "../events.ts";
import type { Call, Feature } from "../feature.ts";
import { type Case, findCases } from "./cases.ts";
import { toCondition, toFatal } from "./condition.ts";
import { putBack } from "./put-back.ts";
import { BLOCKING } from "./reasons.ts";
import { type Remark, toRemarks } from "./remarks.ts";

/**
 * Keeps everything that the XR refers to until the XR controls it. After a restore nobody controls what was composed;
 * Crossplane then deletes what is not desired although it never adopted it, or forgets it for ever (crossplane#5875).
 */
export const adoption: Feature = (call, draft) => {
  const policy = call.input.spec.adoption;
  if (policy === undefined) return draft;

  const cases = findCases(call, draft);
  const remarks = toRemarks(cases, policy, call);
  const condition = toCondition(remarks);
  const adopting = withResources(draft, putBackAll(cases, policy));
  return withResults(withCondition(adopting, condition), toResults(cases, remarks, condition, call));
};

/** Desires resources for the sake of their owner reference only; the XR is no less ready for it. */
function putBackAll(cases: readonly Case[], { onUnadopted }: Adoption): readonly (readonly [string, ResourceEdit])[] {
  const isKept = ({ verdict }: Case): boolean =>
    verdict.is === "unsettled" || (verdict.is === "unadopted" && onUnadopted === "Adopt");
  return cases.flatMap((found) =>
    found.is === "observed" && isKept(found)
      ? [[found.name, { is: "set", object: putBack(found.resource), ready: "True" }] as const]
      : [],
  );
}

/** Makes events, and a Fatal only once everything is known: it ends the reconcile, so it names all resources at once. */
function toResults(
  cases: readonly Case[],
  remarks: readonly Remark[],
  condition: Condition,
  call: Call,
): readonly Result[] {
  const { reason, status } = condition;
  const blocking = remarks.filter((remark) => BLOCKING.has(remark.reason));
  if (blocking.length > 0) {
    const isPending = cases.some(({ verdict }) => verdict.is === "pending");
    return isPending ? [] : [{ severity: "Fatal", message: toFatal(blocking), reason, target: "Composite" }];
  }
  const isFine = status === "True" && reason !== "Released" && reason !== "ControlledByAnother";
  return eventsFor(condition, isFine || reason === "Adopting" ? "Normal" : "Warning", call);
}
