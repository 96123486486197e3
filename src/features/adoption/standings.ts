import type { Adoption } from "../../input/adoption.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { Call } from "../feature.ts";
import type { Case } from "./cases.ts";
import { sentencesOf, shownAdoption } from "./condition.ts";
import { COMPOSITE_LABEL } from "./proof.ts";
import { nameOf, requirementOf, toReference } from "./references.ts";
import {
  ADOPTING,
  explain,
  explainJustRestored,
  LEFT_OUT,
  NOT_LAST,
  type Reason,
  released,
  type Standing,
  UNSETTLED,
} from "./standing.ts";

type Observed = Extract<Case, { is: "observed" }>;
type Referenced = Extract<Case, { is: "referenced" }>;

/** What is to be said of each case; nothing of those that nothing has to be done about. */
export function standingsOf(cases: readonly Case[], policy: Adoption, call: Call): readonly Standing[] {
  const standings = cases.flatMap((found) =>
    found.is === "observed" ? ofObserved(found, policy, call) : ofReferenced(found, policy, call),
  );
  return withLeftOut(standings, call);
}

function ofObserved({ name, resource, verdict }: Observed, policy: Adoption, call: Call): readonly Standing[] {
  const described = `${name} (${nameOf(toReference(resource))})`;
  if (verdict.is === "unsettled") return [{ reason: "Adopting", resource: described, sentence: UNSETTLED }];
  if (verdict.is === "ours") return [{ reason: "LeftOut", resource: described, sentence: LEFT_OUT }];
  if (verdict.is === "unadopted" && policy.onUnadopted === "Adopt") {
    return [{ reason: "Adopting", resource: described, sentence: ADOPTING }];
  }
  return ofUncontrolled(verdict, described, policy, call);
}

function ofReferenced({ reference, verdict }: Referenced, policy: Adoption, call: Call): readonly Standing[] {
  const resource = nameOf(reference);
  if (verdict.is === "unadopted") {
    const answer = call.request.required(requirementOf(reference));
    const [found] = answer.is === "resolved" ? answer.items : [];
    return [{ reason: "JustRestored", resource, sentence: explainJustRestored(otherOf(found, call)) }];
  }
  if (verdict.is === "missing" && policy.onMissing === "Recreate") return [];
  return ofUncontrolled(verdict, resource, policy, call);
}

/** Where another resource is observed under the name that this one is composed as: Crossplane observes one for each name. */
function otherOf(resource: Document | undefined, { request }: Call): string | undefined {
  const name = resource && stringAt(resource, ["metadata", "annotations", "crossplane.io/composition-resource-name"]);
  return name !== undefined && request.observed.resources.has(name) ? name : undefined;
}

const REASON_OF: Readonly<Partial<Record<Case["verdict"]["is"], Reason>>> = {
  unadopted: "Unadopted",
  unproven: "Unproven",
  untold: "WaitingForComposite",
  stale: "StaleController",
  missing: "MissingAfterRestore",
  foreign: "ControlledByAnother",
  pending: "WaitingForRequiredResources",
};

function ofUncontrolled(verdict: Case["verdict"], resource: string, policy: Adoption, call: Call): readonly Standing[] {
  if (verdict.is === "unproven" && policy.onUnproven === "Release") {
    return [{ reason: "Released", resource, sentence: released(verdict.because) }];
  }
  const reason = REASON_OF[verdict.is];
  if (reason === undefined) return [];
  const { document, name } = call.composite;
  const root = stringAt(document, ["metadata", "labels", COMPOSITE_LABEL]) ?? name;
  return [{ reason, resource, sentence: explain(verdict, root) }];
}

/**
 * What Crossplane drops it observes no more in the next reconcile. Where it still does, a step after this one desires it:
 * then we cannot tell what is left out, and say so.
 */
function withLeftOut(standings: readonly Standing[], call: Call): readonly Standing[] {
  const shown = shownAdoption(call)?.message;
  const leftOut = standings.filter(({ reason }) => reason === "LeftOut");
  const [list] = sentencesOf(leftOut).map((sentence) => sentence.slice(0, -LEFT_OUT.length));
  const isStill = list !== undefined && [LEFT_OUT, NOT_LAST].some((sentence) => shown?.includes(`${list}${sentence}`));
  if (!isStill) return standings;
  return standings.map((standing) =>
    standing.reason === "LeftOut" ? { ...standing, reason: "NotLast", sentence: NOT_LAST } : standing,
  );
}
