import { type Fault, invalidInput } from "../input/faults.ts";
import type { Input } from "../input/schema.ts";
import { type Draft, emptyDraft } from "../model/draft.ts";
import { neverReconciled } from "./never-reconciled.ts";
import type { OperationCall } from "./operation.ts";

/**
 * Answers a call of an Operation, which has no XR. The counterpart of pipeline.ts.
 *
 * @throws {FunctionError} `InvalidInput` for sections of the input that need an XR.
 */
export function operate(call: OperationCall): Draft {
  const faults = findFaults(call.input);
  if (faults.length > 0) throw invalidInput(faults);
  return neverReconciled(call, emptyDraft);
}

/** The fields of the input that an Operation may have: its own section, and those that have a default. */
const ALLOWED: readonly string[] = ["neverReconciled", "responseTTL", "contextKey"];

const findFaults = ({ spec }: Input): readonly Fault[] =>
  Object.entries(spec)
    .filter(([field, found]) => !ALLOWED.includes(field) && found !== undefined && !isEmptyList(found))
    .map(([field]) => ({
      path: `spec.${field}`,
      message: "only in a Composition, and this is an Operation: there is no XR",
    }));

/** `sharedResources` has the empty list for a default. */
const isEmptyList = (found: unknown): boolean => Array.isArray(found) && found.length === 0;

/**
 * Guards a call of a Composition against sections that only Operations have.
 *
 * @throws {FunctionError} `InvalidInput` where the input has one.
 */
export function assertNoOperation({ spec }: Input): void {
  if (spec.neverReconciled === undefined) return;
  throw invalidInput([
    { path: "spec.neverReconciled", message: "only in an Operation, and this is a Composition: there is an XR" },
  ]);
}
