import { toRequirement } from "../crossplane/requirement.ts";
import { compareTexts } from "../model/compare.ts";
import type { Result } from "../model/condition.ts";
import { type Draft, withObject, withOutput, withResults } from "../model/draft.ts";
import type { JsonObject } from "../model/json.ts";
import type { Requirement } from "../model/requirement.ts";
import { DEFINITION, type Definition, toDefinition } from "./definition.ts";
import type { Operation, OperationCall } from "./operation.ts";
import { judgeReconciles, NUDGED_FOR, type ReconcileVerdict } from "./verdict.ts";

/** Requires all XRs of a kind. */
const requireComposites = ({ name, apiVersion, kind }: Definition): Requirement =>
  toRequirement(`never-reconciled/composites/${name}`, { apiVersion, kind, match: { labels: {} } });

/** The largest number of XRs that a result names. The output names all. */
const MAX_NAMES = 10;

interface Judged {
  readonly definition: Definition;
  readonly verdict: ReconcileVerdict;
}

/** Requires the XRDs, then the XRs of each, and nudges the XRDs of XRs that were never reconciled. */
export const neverReconciled: Operation = (call, draft) => {
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
  const nudged = withNudges(draft, onFound === "Nudge" ? judged : []);
  return withOutput(withResults(nudged, toResults(judged)), toOutput(judged));
};

const byName = (a: Definition, b: Definition): number => compareTexts(a.name, b.name);

/** Judges the XRs of each XRD; undefined while one of the answers is pending. */
function judgeAll({ requirements }: OperationCall, definitions: readonly Definition[]): readonly Judged[] | undefined {
  const judged = definitions.map((definition) => {
    const answer = requirements.ask(requireComposites(definition));
    return answer.is === "pending" ? undefined : { definition, verdict: judgeReconciles(definition, answer.items) };
  });
  const known = judged.filter((each) => each !== undefined);
  return known.length === judged.length ? known : undefined;
}

/** Desires the annotation alone: server-side apply leaves the rest of the XRD as it is. */
function withNudges(draft: Draft, judged: readonly Judged[]): Draft {
  return judged.reduce((nudging, { definition: { name }, verdict }) => {
    if (verdict.is !== "NeverReconciled") return nudging;
    const metadata = { name, annotations: { [NUDGED_FOR]: verdict.nudgedFor } };
    return withObject(nudging, `nudge/${name}`, { ...DEFINITION, metadata });
  }, draft);
}

function toResults(judged: readonly Judged[]): readonly Result[] {
  const results = judged.flatMap(({ definition, verdict }) => toResult(definition, verdict) ?? []);
  if (results.length > 0) return results;
  const message = `all XRs of ${judged.length} XRDs have been reconciled`;
  return [{ severity: "Normal", reason: "Reconciled", message, target: "Composite" }];
}

function toResult({ name }: Definition, verdict: ReconcileVerdict): Result | undefined {
  if (verdict.is === "Reconciled") return undefined;
  const which = `${name}: never reconciled: ${listNames(verdict.composites)}`;
  const message =
    verdict.is === "StillNotReconciled"
      ? `${which}; its XRD was already nudged for these XRs: look at Crossplane's log, and restart Crossplane if it says nothing`
      : which;
  return { severity: "Warning", reason: verdict.is, message, target: "Composite" };
}

function listNames(names: readonly string[]): string {
  const rest = names.length - MAX_NAMES;
  return rest > 0 ? `${names.slice(0, MAX_NAMES).join(", ")} and ${rest} more` : names.join(", ");
}

/** Makes the output in the Operation's status: names of XRs by XRD. */
const toOutput = (judged: readonly Judged[]): JsonObject => ({
  neverReconciled: Object.fromEntries(
    judged.flatMap(({ definition: { name }, verdict }) =>
      verdict.is === "Reconciled" ? [] : [[name, verdict.composites] as const],
    ),
  ),
});
