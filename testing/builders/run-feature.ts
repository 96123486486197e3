import type { Call } from "../../src/features/feature.ts";
import { type Draft, emptyDraft, withRequirements } from "../../src/model/draft.ts";
import { Requirements } from "../../src/model/requirement.ts";

/** A call that has asked for nothing yet. */
export type NewCall = Omit<Call, "requirements">;

/** Begins a call: what it asks for is recorded from now on. */
export const begin = <C extends Pick<NewCall, "request">>(call: C): C & Pick<Call, "requirements"> => ({
  ...call,
  requirements: new Requirements(call.request),
});

/** Runs one feature, or the pipeline, and requires what it has asked for, as src/run-function.ts does. */
export function runFeature<C extends Pick<NewCall, "request">>(
  feature: (call: C & Pick<Call, "requirements">, draft: Draft) => Draft,
  call: C,
  draft = emptyDraft,
): Draft {
  const begun = begin(call);
  const { requirements } = begun;
  const done = feature(begun, draft);
  const isAsked = requirements.resources.size > 0 || requirements.schemas.size > 0;
  return isAsked ? withRequirements(done, requirements) : done;
}
