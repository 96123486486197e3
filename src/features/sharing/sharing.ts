import type { SharedResource } from "../../input/shared-resource.ts";
import {
  type Draft,
  withCompositeUnready,
  withConnectionDetails,
  withContext,
  withRequirements,
  withResources,
  withResults,
} from "../../model/draft.ts";
import type { Call, Feature } from "../feature.ts";
import { withSharingCondition } from "./condition.ts";
import { toContext } from "./context.ts";
import { deliver } from "./copies/deliver.ts";
import { findCopies } from "./copies/observed.ts";
import { keepEnvironmentBefore, withEnvironmentBefore } from "./environment.ts";
import { find } from "./find.ts";
import { judgeShare } from "./judge.ts";
import { type Origin, originKey } from "./origin.ts";
import { toPatches, withPatches } from "./patches.ts";
import type { SharingReason } from "./reason.ts";
import { assertSupported } from "./support.ts";
import type { Judgement } from "./verdict.ts";

/** A shared resource of the input, what was decided about it, and what stands in its way. */
interface Share {
  readonly shared: SharedResource;
  readonly judgement: Judgement;
  readonly reasons: readonly SharingReason[];
  readonly before: Origin | undefined;
}

/**
 * Finds the infrastructure of others that this XR uses, and copies its connection Secrets to where this XR's applications
 * look for them, as far as its owners grant it.
 */
export const sharing: Feature = (current, draft) => {
  const { sharedResources, environment } = current.input.spec;
  const call = withEnvironmentBefore(current);
  if (sharedResources.length === 0) {
    return environment === undefined ? draft : withContext(draft, toContext([], call));
  }
  assertSupported(call);
  const origins = findOrigins(call);
  const judged = sharedResources.map((shared) => {
    const found = find(shared, origins.get(shared.name) ?? new Set(), call);
    const judgement = judgeShare(shared, found, call);
    return { shared, judgement, found };
  });
  const deliveries = deliver(judged, call);
  const patched = toPatches(judged, call);
  const shares = judged.map(({ shared, judgement, found }, index): Share => {
    const { reasons = [], before } = deliveries[index] ?? {};
    const all = [...reasons, ...(patched.reasons.get(shared.name) ?? [])];
    const isFound = found.lookup.is === "found";
    return { shared, judgement, before, reasons: all.filter((reason) => isFound || !isFine(reason, shared)) };
  });
  const asking = withRequirements(draft, [
    ...judged.flatMap(({ found, judgement }) => [
      ...(found.requirement ? [found.requirement] : []),
      ...judgement.requirements,
    ]),
    ...deliveries.flatMap(({ requirements }) => requirements),
  ]);
  const delivered = withResources(
    asking,
    deliveries.flatMap(({ resources }) => [...resources]),
  );
  const detailed = withConnectionDetails(
    delivered,
    deliveries.flatMap(({ details }) => [...details]),
  );
  const kept = withContext(detailed, keepEnvironmentBefore(current));
  return withShares(withPatches(kept, patched, call), shares, call);
};

/** The resources that copies were made from so far, by share. */
function findOrigins({ request }: Call): ReadonlyMap<string, ReadonlySet<string>> {
  const origins = new Map<string, Set<string>>();
  for (const { share, origin } of findCopies(request.observed.resources)) {
    if (origin === undefined) continue;
    const keys = origins.get(share);
    if (keys === undefined) origins.set(share, new Set([originKey(origin)]));
    else keys.add(originKey(origin));
  }
  return origins;
}

function withShares(draft: Draft, shares: readonly Share[], call: Call): Draft {
  const readable = shares.map(({ shared, judgement }) => ({ shared, resources: judgement.readable }));
  const shown = withContext(draft, toContext(readable, call));
  const moved = withResults(shown, shares.flatMap(toMoveEvent));
  const conditioned = withSharingCondition(moved, shares, call);
  // A copy that is not written yet is an unready resource of its own; what was not even composed only we know of.
  const isServed = shares.every(({ reasons }) => reasons.every(({ is }) => is === "WaitingForCopies"));
  return isServed ? conditioned : withCompositeUnready(conditioned);
}

/** A copy that is made from another resource now is nothing that should pass unseen. */
function toMoveEvent({ shared, judgement: { verdict }, before }: Share) {
  if (before === undefined || verdict.is !== "copy") return [];
  const now = verdict.original.origin;
  const message = `${shared.name}: copies come from ${name(now)} now, and came from ${name(before)} before`;
  return [{ severity: "Normal", reason: "SourceChanged", message, target: "CompositeAndClaim" } as const];
}

const name = ({ kind, namespace, name: own }: Origin): string =>
  `${kind} ${[namespace, own].filter((part) => part !== undefined).join("/")}`;

/** Whoever can go on without a shared resource does not hear that there is none. */
const isFine = ({ is }: SharingReason, { resolution }: SharedResource): boolean =>
  resolution === "Optional" && ["FieldNotSet", "NotFound", "TooFewMatches"].includes(is);
