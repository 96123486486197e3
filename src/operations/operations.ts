import { toRequirement } from "../crossplane/requirement-names.ts";
import { invalidInput } from "../input/faults.ts";
import type { Input } from "../input/schema.ts";
import { compareTexts } from "../model/collections.ts";
import { listSome, MAX_NAMES, type Result } from "../model/condition.ts";
import { type Draft, emptyDraft, withResults } from "../model/draft.ts";
import type { Request } from "../model/request.ts";
import type { Requirements } from "../model/requirement.ts";
import { type JudgedDefinition, judgeReconciles, toDefinition, withNudges, XRD } from "./nudge.ts";

/** One call of an Operation: without an XR. Desired resources are applied to existing resources of the same name. */
export interface OperationCall {
  readonly request: Request;
  readonly input: Input;
  readonly requirements: Requirements;
}

/**
 * Answers a call of an Operation; pipeline.ts answers calls of Compositions.
 *
 * @throws {FunctionError} `InvalidInput` for sections of the input that need an XR.
 */
export function operate(call: OperationCall): Draft {
  const isEmpty = (found: unknown): boolean => Array.isArray(found) && found.length === 0; // the default of sharedResources
  const faults = Object.entries(call.input.spec)
    .filter(([field, found]) => !OPERATION_FIELDS.includes(field) && found !== undefined && !isEmpty(found))
    .map(([field]) => ({ path: `spec.${field}`, message: "not allowed in an Operation: it has no XR" }));
  if (faults.length > 0) throw invalidInput(faults);
  return reportNeverReconciled(call);
}

/** The fields of an Operation's input: its own section, and fields with a default. */
const OPERATION_FIELDS: readonly string[] = ["neverReconciled", "responseTTL", "contextKey"];

/**
 * Guards a Composition against the input section of Operations.
 *
 * @throws {FunctionError} `InvalidInput` if the input has it.
 */
export function assertNoOperation({ spec }: Input): void {
  if (spec.neverReconciled === undefined) return;
  throw invalidInput([{ path: "spec.neverReconciled", message: "allowed in an Operation only" }]);
}

/** Requires the XRDs, then the XRs of each, and nudges the XRDs whose XRs were never reconciled. */
function reportNeverReconciled({ input, requirements }: OperationCall): Draft {
  const { definitions: selected, onFound } = input.spec.neverReconciled ?? {};
  if (selected === undefined) return emptyDraft;
  const match = { labels: selected.matchLabels };
  const answer = requirements.ask(toRequirement("never-reconciled/definitions", { ...XRD, match }));
  if (answer.is === "pending") return emptyDraft;
  const definitions = answer.items.flatMap((item) => toDefinition(item) ?? []);
  const judged = definitions
    .sort((a, b) => compareTexts(a.name, b.name))
    .flatMap((definition) => {
      const { name, apiVersion, kind } = definition;
      const all = { apiVersion, kind, match: { labels: {} } };
      const found = requirements.ask(toRequirement(`never-reconciled/composites/${name}`, all));
      return found.is === "pending" ? [] : [judgeReconciles(definition, found.items)];
    });
  if (judged.length < definitions.length) return emptyDraft;
  const found = judged.filter(({ is }) => is !== "Reconciled");
  const nudged = withNudges(emptyDraft, onFound === "Nudge" ? found : []);
  const results = found.length === 0 ? [allReconciled(judged.length)] : found.map(toReconcileResult);
  // The output for the Operation's status: names of XRs by XRD.
  const neverReconciled = Object.fromEntries(found.map(({ definition, composites }) => [definition.name, composites]));
  return { ...withResults(nudged, results), output: { neverReconciled } };
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
