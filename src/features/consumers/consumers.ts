import { withCompositeValues, withCondition, withResources } from "../../model/draft.ts";
import type { Feature } from "../feature.ts";
import { explainLacking, fitStatus } from "../fit-status.ts";
import { admit } from "./admission.ts";
import { type ConsumersReason, withConsumersCondition } from "./consumers-condition.ts";
import { makeCredentials } from "./credentials.ts";
import { listConsumers, protect } from "./list.ts";
import { lookUpFacts } from "./owner-facts.ts";
import { rotate } from "./rotation.ts";

/** Serves the consumers of a shared XR: this one, or the one whose companion it is. */
export const consumers: Feature = (call, draft) => {
  const section = call.input.spec.consumers;
  if (section === undefined) return draft;
  const facts = lookUpFacts(section, call);
  const { access, judged, unknown } = facts;
  const admission = admit(section, judged, call);
  // A missing ReferenceGrant kind must not keep credentials that the annotations no longer grant.
  const asking = { ...facts, consumers: admission.placed ?? facts.consumers };
  const credentials = makeCredentials(section, asking, call);
  const rotation = rotate(section, facts, draft, call);
  const list = listConsumers(section, judged, call);
  const { values, lacking } = fitStatus(list.values, call);
  const served = withResources(draft, [
    ...(section.protect ? protect(facts, admission.placed, call) : []),
    ...admission.answers,
    ...credentials.edits,
    ...rotation.edits,
  ]);
  const listed = withCompositeValues(admission.conditions.reduce(withCondition, served), values);
  const known: readonly ConsumersReason[] = [
    ...(access?.faults ?? []),
    ...rotation.reasons,
    ...credentials.reasons,
    ...list.reasons,
  ];
  const fault = explainLacking(lacking, call.composite);
  const lacks = lacking.length === 0 ? [] : [{ is: "StatusFieldMissing", fault } as const];
  return withConsumersCondition(listed, [...(unknown ? [unknown] : known), ...lacks], facts.owner, call);
};
