import { findGrantSchema } from "../../crossplane/grants.ts";
import { isSameResource, type Reference } from "../../crossplane/references.ts";
import { type Fault, invalidInput } from "../../input/faults.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Result } from "../../model/condition.ts";
import {
  type Draft,
  withCompositeUnready,
  withConnectionDetails,
  withContext,
  withResources,
  withResults,
} from "../../model/draft.ts";
import type { Binding } from "../../ownership/record.ts";
import type { Call, Feature } from "../feature.ts";
import { bind, boundBefore, readRecord, withRecord } from "./bind.ts";
import { withSharingCondition } from "./condition.ts";
import { type Readable, toContext } from "./context.ts";
import { type Delivery, deliverCopies } from "./copies/deliver.ts";
import { findCopies } from "./copies/observed.ts";
import { resolveTargets } from "./copies/targets.ts";
import { findShared, type Lookup } from "./find.ts";
import { judgeShare } from "./judge.ts";
import { toPatches, withPatches } from "./patches.ts";
import { explainReason, type SharingReason } from "./reasons.ts";
import { assertSupported } from "./support.ts";

/** A shared resource of the input, the resources that the XR was and is bound to, and the reasons why it is not available. */
interface Share extends Readable {
  readonly before: readonly Binding[];
  readonly bindings: readonly Binding[];
  readonly reasons: readonly SharingReason[];
}

/** Finds the shared resources that this XR uses, and copies their connection Secrets, as far as the owners grant it. */
export const sharing: Feature = (call, draft) => {
  const { sharedResources, environment } = call.input.spec;
  if (sharedResources.length === 0) {
    return environment === undefined ? draft : withContext(draft, toContext([], call));
  }
  assertSupported(call);
  const record = readRecord(call);
  const judged = sharedResources.map((shared) => judge(shared, boundBefore(shared, record), call));
  const copies = findCopies(call.request.observed.resources);
  const deliveries = deliverCopies(judged, copies, record.desired, call);
  const patched = toPatches(judged, copies.length > 0, call);
  const shares = judged.map((share, index): Share => {
    const { shared, before, judgement, lookup } = share;
    const { reasons = [], made = [], copies: own = [] } = deliveries[index] ?? {};
    const all = [...reasons, ...(patched.reasons.get(shared.name) ?? [])];
    const reported = all.filter((reason) => lookup.is === "found" || !isExpected(reason, shared));
    return {
      shared,
      before,
      bindings: bind(share, { made, copies: own }, before),
      resources: judgement.readable,
      isEmptyList: isEmptyList(lookup, shared),
      isMissing: reported.length > 0,
      reasons: reported,
    };
  });
  const own = shares.filter(({ shared, bindings }) => bindings.length > 0 || shared.connection !== undefined);
  const bindings = new Map(own.map((share) => [share.shared.name, share.bindings]));
  const recorded = withRecord(withDeliveries(draft, deliveries), bindings, record, call);
  return withResults(withShares(withPatches(recorded, patched), shares, call), toFatal(patched.faults));
};

/** Looks up and judges one shared resource. @param before what the XR's record says of it. */
function judge(shared: SharedResource, before: readonly Binding[], call: Call) {
  const targets = resolveTargets(shared.connection?.copies ?? [], call);
  const lookup = findShared(shared, before, call);
  // Asked with the shared resource: Crossplane calls a step six times at most, and the grant is asked for in the next call.
  if (shared.grant === "ReferenceGrant" && lookup.is === "unknown") findGrantSchema(call.request, call.requirements);
  return { shared, before, targets, lookup, judgement: judgeShare(shared, targets, lookup, before, call) };
}

function withDeliveries(draft: Draft, deliveries: readonly Delivery[]): Draft {
  const resources = deliveries.flatMap((delivery) => [...delivery.resources]);
  const details = deliveries.flatMap((delivery) => [...delivery.details]);
  return withConnectionDetails(withResources(draft, resources), details);
}

/** Tells whether a search by labels found nothing, and that is enough: templates then range over an empty list. */
function isEmptyList(lookup: Lookup, { select, resolution }: SharedResource): boolean {
  if (select.by !== "labels") return false;
  if (lookup.is === "found") return lookup.resources.length === 0;
  if (lookup.is !== "gone") return false;
  return lookup.reason === undefined || (lookup.reason.is === "NotFound" && resolution === "Optional");
}

function withShares(draft: Draft, shares: readonly Share[], call: Call): Draft {
  const shown = withContext(draft, toContext(shares, call));
  const moved = withResults(shown, shares.flatMap(toMoveEvent));
  const conditioned = withResults(withSharingCondition(moved, shares, call), findFailure(shares));
  // A copy that is not written yet is composed and unready. If nothing was composed, the XR itself has to be unready.
  const isServed = shares.every(({ reasons }) => reasons.every(({ is }) => is === "WaitingForCopies"));
  return isServed ? conditioned : withCompositeUnready(conditioned);
}

/** Makes the Fatal result for shares with `resolution: Fail`, once all shares are looked up. */
function findFailure(shares: readonly Share[]): readonly Result[] {
  const isWaiting = shares.some(({ reasons }) => reasons.some(({ is }) => is === "WaitingForRequiredResources"));
  const faults = shares.flatMap(({ shared, reasons }) =>
    shared.resolution === "Fail" ? reasons.map((reason) => `  ${shared.name}: ${explainReason(reason, shared)}`) : [],
  );
  if (isWaiting || faults.length === 0) return [];
  const message = ["cannot go on without the shared resources:", ...faults].join("\n");
  return [{ severity: "Fatal", message, reason: "SharedResourceMissing", target: "CompositeAndClaim" }];
}

/** A Composition's mistake stops the XR before a resource goes out without what it needs. */
const toFatal = (faults: readonly Fault[]): readonly Result[] => {
  if (faults.length === 0) return [];
  const { message, code: reason } = invalidInput(faults);
  return [{ severity: "Fatal", message, reason, target: "Composite" }];
};

/** Makes an event if another shared resource has taken the place of the one before. */
function toMoveEvent({ shared, before, bindings }: Share): readonly Result[] {
  const [now] = bindings;
  const isBound = ({ resource }: Binding): boolean => bindings.some((each) => isSameResource(each.resource, resource));
  const left = before.find((binding) => binding.access === "Granted" && !isBound(binding));
  if (left === undefined || now?.access !== "Granted") return [];
  const message = `${shared.name}: ${nameReference(now.resource)} takes the place of ${nameReference(left.resource)}`;
  return [{ severity: "Normal", reason: "SourceChanged", message, target: "CompositeAndClaim" }];
}

const nameReference = ({ kind, namespace, name: own }: Reference): string =>
  `${kind} ${[namespace, own].filter((part) => part !== undefined).join("/")}`;

/** Tells whether a reason is expected: an optional shared resource may be missing. */
const isExpected = ({ is }: SharingReason, { resolution }: SharedResource): boolean =>
  resolution === "Optional" && ["FieldNotSet", "NotFound", "TooFewMatches", "FieldsKept"].includes(is);
