import { COPY_PREFIX } from "../../crossplane/copies.ts";
import type { Reference } from "../../crossplane/references.ts";
import { type Fault, invalidInput } from "../../input/faults.ts";
import type { Result } from "../../model/condition.ts";
import { type Draft, withCompositeUnready, withContext, withResults } from "../../model/draft.ts";
import { findBinding } from "../../records/record.ts";
import type { Call } from "../feature.ts";
import { toContext } from "./context.ts";
import type { Outcome } from "./judgement.ts";
import { explainReason } from "./reasons.ts";
import { withSharingCondition } from "./sharing-condition.ts";

/** Reports outcomes to later steps (context), people (condition, events) and Crossplane (readiness, Fatal results). */
export function withReport(draft: Draft, shares: readonly Outcome[], misnamed: readonly Fault[], call: Call): Draft {
  const moved = withResults(withContext(draft, toContext(shares, call)), shares.flatMap(toMoveEvent));
  const conditioned = withResults(withSharingCondition(moved, shares, call), findFailure(shares));
  const reported = isReady(draft, shares) ? conditioned : withCompositeUnready(conditioned);
  return withResults(reported, toFatal(misnamed));
}

/**
 * Tells whether this function leaves the XR's readiness to Crossplane: if all shares are available, or only wait for
 * unready copies, for which Crossplane itself waits.
 */
function isReady({ resources }: Draft, shares: readonly Outcome[]): boolean {
  const reasons = shares.flatMap((share) => share.reasons);
  const hasUnreadyCopy = () =>
    [...resources].some(([name, edit]) => name.startsWith(COPY_PREFIX) && edit.is === "set" && edit.ready === "False");
  return reasons.length === 0 || (reasons.every(({ is }) => is === "WaitingForCopies") && hasUnreadyCopy());
}

/** Makes the Fatal result of unavailable shares with `resolution: Fail`, once all shares are looked up. */
function findFailure(shares: readonly Outcome[]): readonly Result[] {
  const isWaiting = shares.some(({ reasons }) => reasons.some(({ is }) => is === "WaitingForRequiredResources"));
  const faults = shares.flatMap(({ shared, reasons }) =>
    shared.resolution === "Fail" ? reasons.map((reason) => `  ${shared.name}: ${explainReason(reason, shared)}`) : [],
  );
  if (isWaiting || faults.length === 0) return [];
  const message = ["cannot go on without the shared resources:", ...faults].join("\n");
  return [{ severity: "Fatal", message, reason: "SharedResourceMissing", target: "CompositeAndClaim" }];
}

/** Makes the Fatal result of names that no earlier step desires. */
function toFatal(faults: readonly Fault[]): readonly Result[] {
  if (faults.length === 0) return [];
  const { message, code: reason } = invalidInput(faults);
  return [{ severity: "Fatal", message, reason, target: "Composite" }];
}

/**
 * Makes an event if the XR moves to another shared resource. A resource with the former's name counts as another if its
 * claim's namespace has changed.
 */
function toMoveEvent({ shared, before, bindings }: Outcome): readonly Result[] {
  const [now] = bindings;
  if (now?.access !== "Granted") return [];
  const left = before.find(({ resource, access }) => access === "Granted" && !findBinding(resource, bindings));
  const { claimNamespace } = findBinding(now.resource, before) ?? {};
  const isOfOtherClaim = claimNamespace !== undefined && claimNamespace !== now.claimNamespace;
  if (left === undefined && !isOfOtherClaim) return [];
  const change = isOfOtherClaim
    ? "has the name of the former shared resource, but was not composed for a claim in the same namespace"
    : `replaces ${left && nameReference(left.resource)}`;
  const message = `${shared.name}: ${nameReference(now.resource)} ${change}`;
  const severity = isOfOtherClaim ? "Warning" : "Normal";
  return [{ severity, reason: "SourceChanged", message, target: "CompositeAndClaim" }];
}

export const nameReference = ({ kind, namespace, name }: Reference): string =>
  `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
