import { COPY_PREFIX } from "../../crossplane/copies.ts";
import { findGrantSchema } from "../../crossplane/grants.ts";
import type { Reference } from "../../crossplane/references.ts";
import { type Fault, invalidInput } from "../../input/faults.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Result } from "../../model/condition.ts";
import {
  type Draft,
  withCompositeUnready,
  withContext,
  withResource,
  withResources,
  withResults,
} from "../../model/draft.ts";
import { type Bindings, composeRecord, findBinding, RECORD_NAME, readBindings } from "../../records/record.ts";
import type { Call, Feature } from "../feature.ts";
import { bind } from "./bind.ts";
import { toContext } from "./context.ts";
import { deliverCopies } from "./copies/deliver.ts";
import { findCopies } from "./copies/observed.ts";
import { withDependents } from "./dependents.ts";
import { findShared } from "./find-shared.ts";
import { judgeShare } from "./judge.ts";
import type { Outcome } from "./judgement.ts";
import { findMisnamed, remarkUndesired } from "./misnamed.ts";
import { withPatches } from "./patches.ts";
import { explainReason, type SharingReason } from "./reasons.ts";
import { toShare } from "./share.ts";
import { withSharingCondition } from "./sharing-condition.ts";
import { assertSupported } from "./support.ts";

/** Finds the shared resources that this XR uses, and copies their connection Secrets, as far as the owners grant it. */
export const sharing: Feature = (call, draft) => {
  const { sharedResources, environment } = call.input.spec;
  if (sharedResources.length === 0) {
    return environment === undefined ? draft : withContext(draft, toContext([], call));
  }
  assertSupported(call);
  const { observed, desired } = call.request;
  const recorded = readBindings(observed.resources.get(RECORD_NAME)?.document);
  const earlier = readBindings(desired.resources.get(RECORD_NAME)?.document);
  assertNewNames(sharedResources, earlier);
  const judged = sharedResources.map((shared) => judge(shared, recorded, call));
  const copies = findCopies(observed.resources);
  const deliveries = deliverCopies(judged, copies, earlier, call);
  const resources = deliveries.flatMap((delivery) => [...delivery.resources]);
  const patched = withPatches(withResources(draft, resources), judged, call);
  const delivered = judged.map((share, index) => ({ ...share, delivery: deliveries[index] ?? NOTHING }));
  const depending = withDependents(patched.draft, delivered, call);
  const shares = delivered.map(({ delivery, ...share }, index): Outcome => {
    const { reasons, made, copies: own } = delivery;
    const { reasons: held = [], bound = [] } = depending.outcomes[index] ?? {};
    const all = [...reasons, ...(patched.reasons.get(share.shared.name) ?? []), ...remarkUndesired(share), ...held];
    const reported = share.lookup.is === "found" ? all : all.filter((reason) => !isExpected(reason, share.shared));
    return { ...share, bindings: bind(share, { made, copies: own, dependents: bound }), reasons: reported };
  });
  const recording = withRecord(depending.draft, shares, earlier, call);
  return withResults(withShares(recording, shares, call), toFatal(findMisnamed(judged, copies.length > 0, call)));
};

const NOTHING = { reasons: [], made: [], copies: [] } as const;

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

/** Looks up and judges one shared resource. */
function judge(shared: SharedResource, recorded: Bindings, call: Call) {
  const share = toShare(shared, recorded, call);
  const lookup = findShared(share);
  // Asked with the shared resource: Crossplane calls a step six times at most, and the grant is asked for in the next call.
  if (shared.grant === "ReferenceGrant" && lookup.is === "unknown") findGrantSchema(call.request, call.requirements);
  return { ...share, lookup, judgement: judgeShare(share, lookup) };
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

function withShares(draft: Draft, shares: readonly Outcome[], call: Call): Draft {
  const shown = withContext(draft, toContext(shares, call));
  const moved = withResults(shown, shares.flatMap(toMoveEvent));
  const conditioned = withResults(withSharingCondition(moved, shares, call), findFailure(shares));
  const reasons = shares.flatMap((share) => share.reasons);
  // A copy that is composed and unready says so itself, and Crossplane names it. One that waits to be composed does not.
  const isSaid = reasons.every(({ is }) => is === "WaitingForCopies") && hasUnreadyCopy(draft);
  return reasons.length === 0 || isSaid ? conditioned : withCompositeUnready(conditioned);
}

const hasUnreadyCopy = ({ resources }: Draft): boolean =>
  [...resources].some(([name, edit]) => name.startsWith(COPY_PREFIX) && edit.is === "set" && edit.ready === "False");

/** Makes the Fatal result for shares with `resolution: Fail`, once all shares are looked up. */
function findFailure(shares: readonly Outcome[]): readonly Result[] {
  const isWaiting = shares.some(({ reasons }) => reasons.some(({ is }) => is === "WaitingForRequiredResources"));
  const faults = shares.flatMap(({ shared, reasons }) =>
    shared.resolution === "Fail" ? reasons.map((reason) => `  ${shared.name}: ${explainReason(reason, shared)}`) : [],
  );
  if (isWaiting || faults.length === 0) return [];
  const message = ["cannot go on without the shared resources:", ...faults].join("\n");
  return [{ severity: "Fatal", message, reason: "SharedResourceMissing", target: "CompositeAndClaim" }];
}

/** A Composition's mistake stops the XR before a resource goes out without what it needs. */
function toFatal(faults: readonly Fault[]): readonly Result[] {
  if (faults.length === 0) return [];
  const { message, code: reason } = invalidInput(faults);
  return [{ severity: "Fatal", message, reason, target: "Composite" }];
}

/** Makes an event if another shared resource has taken the place of the one before, or its name. */
function toMoveEvent({ shared, before, bindings }: Outcome): readonly Result[] {
  const [now] = bindings;
  if (now?.access !== "Granted") return [];
  const left = before.find(({ resource, access }) => access === "Granted" && !findBinding(resource, bindings));
  const { claimNamespace } = findBinding(now.resource, before) ?? {};
  const isAnothers = claimNamespace !== undefined && claimNamespace !== now.claimNamespace;
  if (left === undefined && !isAnothers) return [];
  const change = isAnothers
    ? "is another one: it was composed for a claim in another namespace than the one before of that name"
    : `takes the place of ${left && nameReference(left.resource)}`;
  const message = `${shared.name}: ${nameReference(now.resource)} ${change}`;
  const severity = isAnothers ? "Warning" : "Normal";
  return [{ severity, reason: "SourceChanged", message, target: "CompositeAndClaim" }];
}

const nameReference = ({ kind, namespace, name }: Reference): string =>
  `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
