import { toRequirement } from "../crossplane/requirement-names.ts";
import type { Input } from "../input/schema.ts";
import { compareTexts } from "../model/collections.ts";
import { listSome, type Result } from "../model/condition.ts";
import { type Draft, withOutput, withResults } from "../model/draft.ts";
import type { JsonObject } from "../model/json.ts";
import type { Request } from "../model/request.ts";
import type { Requirement, Requirements } from "../model/requirement.ts";
import { DEFINITION, type Definition, toDefinition } from "./definition.ts";
import { type JudgedDefinition, judgeReconciles, type ReconcileVerdict, withNudges } from "./nudge.ts";

/** Requires all XRs of a kind. */
const requireComposites = ({ name, apiVersion, kind }: Definition): Requirement =>
  toRequirement(`never-reconciled/composites/${name}`, { apiVersion, kind, match: { labels: {} } });

/** The largest number of XRs that a result names. The output names all. */
const MAX_NAMES = 10;

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
    answer.is === "pending" ? [] : answer.items.flatMap((item) => toDefinition(item) ?? []).sort(compareDefinitions);
  const judged = judgeAll(call, definitions);
  if (answer.is === "pending" || judged === undefined) return draft;
  const nudged = withNudges(draft, onFound === "Nudge" ? judged : []);
  return withOutput(withResults(nudged, toReconcileResults(judged)), toOutput(judged));
}

const compareDefinitions = (a: Definition, b: Definition): number => compareTexts(a.name, b.name);

/** Judges the XRs of each XRD; undefined while one of the answers is pending. */
function judgeAll(
  { requirements }: OperationCall,
  definitions: readonly Definition[],
): readonly JudgedDefinition[] | undefined {
  const judged = definitions.map((definition) => {
    const answer = requirements.ask(requireComposites(definition));
    return answer.is === "pending" ? undefined : { definition, verdict: judgeReconciles(definition, answer.items) };
  });
  const known = judged.filter((each) => each !== undefined);
  return known.length === judged.length ? known : undefined;
}

function toReconcileResults(judged: readonly JudgedDefinition[]): readonly Result[] {
  const results = judged.flatMap(({ definition, verdict }) => toReconcileResult(definition, verdict) ?? []);
  if (results.length > 0) return results;
  const message = `all XRs of ${judged.length} XRDs have been reconciled`;
  return [{ severity: "Normal", reason: "Reconciled", message, target: "Composite" }];
}

function toReconcileResult({ name }: Definition, verdict: ReconcileVerdict): Result | undefined {
  if (verdict.is === "Reconciled") return undefined;
  const which = `${name}: never reconciled: ${listSome(verdict.composites, MAX_NAMES, String)}`;
  const message =
    verdict.is === "StillNotReconciled"
      ? `${which}; its XRD was already nudged for these XRs: look at Crossplane's log, and restart Crossplane if it says nothing`
      : which;
  return { severity: "Warning", reason: verdict.is, message, target: "Composite" };
}

/** Makes the output for the Operation's status: names of XRs by XRD. */
const toOutput = (judged: readonly JudgedDefinition[]): JsonObject => ({
  neverReconciled: Object.fromEntries(
    judged.flatMap(({ definition: { name }, verdict }) =>
      verdict.is === "Reconciled" ? [] : [[name, verdict.composites] as const],
    ),
  ),
});
