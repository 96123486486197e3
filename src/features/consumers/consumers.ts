import { withCompositeValues, withCondition, withResources } from "../../model/draft.ts";
import type { Feature } from "../feature.ts";
import { explainLacking, fitStatus } from "../fit-status.ts";
import { admit } from "./admission.ts";
import { type ConsumersReason, withConsumersCondition } from "./consumers-condition.ts";
import { makeCredentials } from "./credentials.ts";
import { listConsumers, protect } from "./list.ts";
import { lookUpFacts } from "./owner-facts.ts";
import { rotate } from "./rotation.ts";

/** Serves the consumers of the shared XR: this XR, or the one that `consumers.of` names. */
export const consumers: Feature = (call, draft) => {
  const section = call.input.spec.consumers;
  if (section === undefined) return draft;
  const facts = lookUpFacts(section, call);
  const { access, judged, unknown } = facts;
  const admission = admit(section, judged, call);
  // Credentials follow the annotations even while ReferenceGrants, and so the judged consumers, are unknown.
  const asking = { ...facts, consumers: admission.placed ?? facts.consumers };
  const credentials = makeCredentials(section, asking, call);
  const list = listConsumers(section, judged, call);
  const { values, lacking } = fitStatus(list.values, call);
  const served = withResources(draft, [
    ...(section.protect ? protect(facts, admission.placed, call) : []),
    ...admission.answers,
    ...credentials.edits,
    ...rotate(section, facts, draft, call),
  ]);
  const listed = withCompositeValues(admission.conditions.reduce(withCondition, served), values);
  const known = [...(access?.faults ?? []), ...credentials.reasons, ...list.reasons];
  const reasons: ConsumersReason[] = unknown === undefined ? known : [unknown];
  if (lacking.length > 0) reasons.push({ is: "StatusFieldMissing", fault: explainLacking(lacking, call.composite) });
  return withConsumersCondition(listed, reasons, facts.owner, call);
};
