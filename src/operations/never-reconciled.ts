import { toRequirement } from "../crossplane/requirement-names.ts";
import type { Input } from "../input/schema.ts";
import { compareTexts } from "../model/collections.ts";
import { listSome, MAX_NAMES, type Result } from "../model/condition.ts";
import { type Draft, withOutput, withResults } from "../model/draft.ts";
import type { JsonObject } from "../model/json.ts";
import type { Request } from "../model/request.ts";
import type { Requirement, Requirements } from "../model/requirement.ts";
import { DEFINITION, type Definition, toDefinition } from "./definition.ts";
import { type JudgedDefinition, judgeReconciles, withNudges } from "./nudge.ts";

const requireComposites = ({ name, apiVersion, kind }: Definition): Requirement =>
  toRequirement(`never-reconciled/composites/${name}`, { apiVersion, kind, match: { labels: {} } });

/** One call of an Operation: without an XR. Desired resources are applied to existing resources of the same name. */
export interface OperationCall {
  readonly request: Request;
  readonly input: Input;
  readonly requirements: Requirements;
}

/** Requires the XRDs, then the XRs of each, and nudges the XRDs whose XRs were never reconciled. */
export function reportNeverReconciled(call: OperationCall, draft: Draft): Draft {
  const { definitions: selected, onFound } = call.input.spec.neverReconciled ?? {};
  if (selected === undefined) return draft;
  const wanted = toRequirement("never-reconciled/definitions", {
    ...DEFINITION,
    match: { labels: selected.matchLabels },
  });
  const answer = call.requirements.ask(wanted);
  const definitions =
    answer.is === "pending" ? [] : answer.items.flatMap((item) => toDefinition(item) ?? []).sort(byName);
  const judged = judgeAll(call, definitions);
  if (answer.is === "pending" || judged === undefined) return draft;
  const found = judged.filter(({ is }) => is !== "Reconciled");
  const nudged = withNudges(draft, onFound === "Nudge" ? found : []);
  const results = found.length === 0 ? [allReconciled(judged.length)] : found.map(toReconcileResult);
  return withOutput(withResults(nudged, results), toOutput(found));
}

const byName = (a: Definition, b: Definition): number => compareTexts(a.name, b.name);

/** Judges the XRs of each XRD; undefined while one of the answers is pending. */
function judgeAll(
  { requirements }: OperationCall,
  definitions: readonly Definition[],
): readonly JudgedDefinition[] | undefined {
  const judged = definitions.map((definition) => {
    const answer = requirements.ask(requireComposites(definition));
    return answer.is === "pending" ? undefined : judgeReconciles(definition, answer.items);
  });
  const known = judged.filter((each) => each !== undefined);
  return known.length === judged.length ? known : undefined;
}

const allReconciled = (count: number): Result => ({
  severity: "Normal",
  reason: "Reconciled",
  message: `all XRs of ${count} XRDs have been reconciled`,
  target: "Composite",
});

function toReconcileResult({ definition: { name }, is: reason, composites }: JudgedDefinition): Result {
  const which = `${name}: never reconciled: ${listSome(composites, MAX_NAMES, String)}`;
  const hint =
    "its XRD was already nudged for these XRs: look at Crossplane's log, and restart Crossplane if it says nothing";
  const message = reason === "StillNotReconciled" ? `${which}; ${hint}` : which;
  return { severity: "Warning", reason, message, target: "Composite" };
}

/** Makes the output for the Operation's status: names of XRs by XRD. */
const toOutput = (found: readonly JudgedDefinition[]): JsonObject => ({
  neverReconciled: Object.fromEntries(found.map(({ definition: { name }, composites }) => [name, composites])),
});
