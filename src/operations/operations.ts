import { invalidInput } from "../input/faults.ts";
import type { Input } from "../input/schema.ts";
import { type Draft, emptyDraft } from "../model/draft.ts";
import { type OperationCall, reportNeverReconciled } from "./never-reconciled.ts";

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
  return reportNeverReconciled(call, emptyDraft);
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
