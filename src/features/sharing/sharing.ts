import { type Fault, invalidInput } from "../../input/faults.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { type Draft, withContext, withResource } from "../../model/draft.ts";
import { type Bindings, composeRecord, RECORD_NAME, readBindings } from "../../records/record.ts";
import type { Call, Feature } from "../feature.ts";
import { bind } from "./bind.ts";
import { toContext } from "./context.ts";
import { type Delivered, withCopies } from "./copies/deliver.ts";
import { type Depending, withDependents } from "./dependents.ts";
import { judgeShares } from "./judge.ts";
import type { Outcome } from "./judgement.ts";
import { findMisnamed, remarkUndesired } from "./misnamed.ts";
import { type Patched, withPatches } from "./patches.ts";
import type { SharingReason } from "./reasons.ts";
import { nameReference, withReport } from "./report.ts";
import { assertSupported } from "./support.ts";

/** Finds the shared resources that this XR uses, and copies their connection Secrets, as far as the owners grant it. */
export const sharing: Feature = (call, draft) => {
  const { sharedResources, environment } = call.input.spec;
  if (sharedResources.length === 0) return environment === undefined ? draft : withContext(draft, toContext([], call));
  const earlier = readBindings(call.request.desired.resources.get(RECORD_NAME)?.document);
  assertSupported(call);
  assertNewNames(sharedResources, earlier);

  const judged = judgeShares(sharedResources, call);
  const copied = withCopies(draft, judged, earlier, call);
  const patched = withPatches(copied.draft, copied.shares, call);
  const depending = withDependents(patched.draft, patched.shares, call);
  const outcomes = depending.shares.map(toOutcome);

  const recorded = withRecord(depending.draft, outcomes, earlier, call);
  return withReport(recorded, outcomes, findMisnamed(judged, call), call);
};

/**
 * Guards against a share with the name of one in an earlier step: in the XR's record they would be one, and the owner of the first would not
 * know that it is used.
 *
 * @throws {FunctionError} `InvalidInput`.
 */
function assertNewNames(shares: readonly SharedResource[], earlier: Bindings): void {
  const faults = shares.flatMap(({ name, kind }, index): readonly Fault[] => {
    const [binding] = earlier.get(name) ?? [];
    if (!earlier.has(name)) return [];
    const other = binding === undefined ? "" : ` for ${nameReference(binding.resource)}`;
    const message = `an earlier step of this Composition has a shared resource ${name}${other}: choose another name for this ${kind}`;
    return [{ path: `spec.sharedResources[${index}].name`, message }];
  });
  if (faults.length > 0) throw invalidInput(faults);
}

/** Sums up a share: what the XR is bound to now, and why it is not available. */
function toOutcome(share: Delivered & Patched & Depending): Outcome {
  const { shared, lookup, delivery, patching, depending } = share;
  const all = [...delivery.reasons, ...patching.reasons, ...remarkUndesired(share), ...depending.reasons];
  const reasons = lookup.is === "found" ? all : all.filter((reason) => !isExpected(reason, shared));
  return { ...share, bindings: bind(share, { ...delivery, dependents: depending.bound }), reasons };
}

/** Tells whether a reason is expected: an optional shared resource may be missing. */
const isExpected = ({ is }: SharingReason, { resolution }: SharedResource): boolean =>
  resolution === "Optional" &&
  ["FieldNotSet", "NotFound", "TooFewMatches", "FieldsKept", "DependentsHeldBack"].includes(is);

/** Records the bindings of this step beside those of earlier steps. A share with copies is in it in any case: it decides about them. */
function withRecord(draft: Draft, shares: readonly Outcome[], earlier: Bindings, { composite }: Call): Draft {
  const own = shares.filter(({ shared, bindings }) => bindings.length > 0 || shared.connection !== undefined);
  const all = new Map([...earlier, ...own.map(({ shared, bindings }) => [shared.name, bindings] as const)]);
  if (all.size === 0) return draft;
  return withResource(draft, RECORD_NAME, { is: "set", object: composeRecord(composite, all), ready: "True" });
}
