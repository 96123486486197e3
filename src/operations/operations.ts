import { invalidInput } from "../input/faults.ts";
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

function findFaults({ spec }: Input) {
  const given = (["publish", "tags", "externalNames", "adoption", "environment"] as const).filter(
    (section) => spec[section] !== undefined,
  );
  return [...(spec.sharedResources.length > 0 ? ["sharedResources"] : []), ...given].map((section) => ({
    path: `spec.${section}`,
    message: "only in a Composition, and this is an Operation: there is no XR",
  }));
}

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
