import { COPY_PREFIX } from "../../crossplane/copies.ts";
import { type Reference, resourceKey } from "../../crossplane/references.ts";
import { type Fault, invalidInput } from "../../input/faults.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { groupBy } from "../../model/collections.ts";
import type { Result } from "../../model/condition.ts";
import { type Draft, withCompositeUnready, withContext, withResource, withResults } from "../../model/draft.ts";
import {
  type Binding,
  type Bindings,
  composeRecord,
  findBinding,
  MAX_BINDINGS,
  RECORD_NAME,
  readBindings,
} from "../../records/record.ts";
import type { Call, Feature } from "../feature.ts";
import { toContext } from "./context.ts";
import { withCopies } from "./copies/deliver.ts";
import { findCopied } from "./copies/observed.ts";
import { type Depending, withDependents } from "./dependents.ts";
import { judgeShares } from "./judge.ts";
import { bindsOne, type Named, type Outcome } from "./judgement.ts";
import { findMisnamed, remarkUndesired } from "./misnamed.ts";
import { withPatches } from "./patches.ts";
import { explainReason, type SharingReason } from "./reasons.ts";
import { withSharingCondition } from "./sharing-condition.ts";
import { assertSupported } from "./support.ts";

/** Looks up the XR's shared resources. Where their owners grant access, copies Secrets and fields, and serves dependents. */
export const sharing: Feature = (call, draft) => {
  const { sharedResources, environment } = call.input.spec;
  if (sharedResources.length === 0) return environment === undefined ? draft : withContext(draft, toContext([], call));
  const earlier = readBindings(call.request.desired.resources.get(RECORD_NAME)?.document);
  assertSupported(call);
  assertNewNames(sharedResources, earlier);

  const judged = judgeShares(call);
  const copied = withCopies(draft, judged, earlier, call);
  const patched = withPatches(copied.draft, copied.shares, call);
  const depending = withDependents(patched.draft, patched.shares, call);
  const outcomes = depending.shares.map(toOutcome);

  const recorded = withRecord(depending.draft, outcomes, earlier, call);
  return withReport(recorded, outcomes, findMisnamed(judged, call), call);
};

/**
 * Guards against a share that has the same name as a share of an earlier step. The XR's record has one entry for each name,
 * so the owner of one of the two shared resources would not learn that the XR uses it.
 *
 * @throws {FunctionError} `InvalidInput`.
 */
function assertNewNames(shares: readonly SharedResource[], earlier: Bindings): void {
  const faults = shares.flatMap(({ name, kind }, index): readonly Fault[] => {
    const bindings = earlier.get(name);
    if (bindings === undefined) return [];
    const other = bindings.slice(0, 1).map(({ resource }) => ` for ${nameReference(resource)}`);
    const message = `an earlier step of this Composition has a shared resource ${name}${other}: choose another name for this ${kind}`;
    return [{ path: `spec.sharedResources[${index}].name`, message }];
  });
  if (faults.length > 0) throw invalidInput(faults);
}

/** Sums up a share: its bindings for the record, and the reasons why it is not available. */
function toOutcome(share: Depending): Outcome {
  const { shared, lookup, delivery, unpatched, depending } = share;
  const all = [...delivery.reasons, ...unpatched, ...remarkUndesired(share), ...depending.reasons];
  const isAwaited = lookup.is === "found" || all.some(({ is }) => is === "ResourcesHeldBack");
  const reasons = isAwaited ? all : all.filter((reason) => !isExpected(reason, shared));
  return { ...share, bindings: bind(share), reasons };
}

/** Lists the bindings for the record: to the named resource, to resources that stay, and to those with copies or dependents. */
function bind(share: Depending): readonly Binding[] {
  const { shared, targets, before, delivery, depending } = share;
  const { named, stay, copies: now } = share.judgement;
  if (!bindsOne(shared)) return [];
  // While copies are kept as they are, and while they have several namespaces or none, the record keeps asking for the same credential.
  const isKept = now.is === "broken" || now.is === "unknown";
  const [target] = targets.namespaces.length === 1 ? targets.namespaces : [];
  const copies = groupBy(delivery.made, ({ origin }) => resourceKey(origin));
  const dependents = groupBy(depending.bound, ({ origin }) => resourceKey(origin));
  const toBinding = ({ resource, access, ticket, claimNamespace }: Named): Binding => {
    const recorded = findBinding(resource, before);
    const isPerConsumer = shared.connection?.secretRef.perConsumer === true;
    const namespace = isKept ? (recorded?.credentialFor ?? target) : (target ?? recorded?.credentialFor);
    return {
      resource,
      access,
      secrets: (copies.get(resourceKey(resource)) ?? []).map(({ secret }) => secret),
      dependents: (dependents.get(resourceKey(resource)) ?? []).map(({ name }) => name),
      credentialFor: isPerConsumer ? namespace : undefined,
      copied: isPerConsumer ? (findCopied(delivery.copies, resource) ?? recorded?.copied) : undefined,
      ...{ ticket, claimNamespace },
    };
  };
  // Former resources stay bound while copies or dependents made from them exist.
  const composed = [...delivery.made, ...depending.bound].map(
    ({ origin: resource }): Named => ({ ...findBinding(resource, before), resource, access: "Granted" }),
  );
  const distinct = groupBy([...(named ? [named] : []), ...stay, ...composed], ({ resource }) => resourceKey(resource));
  return [...distinct.values()].slice(0, MAX_BINDINGS).flatMap((same) => same.slice(0, 1).map(toBinding));
}

/** Tells whether a reason is expected of an optional shared resource, which may be missing. */
const isExpected = ({ is }: SharingReason, { resolution }: SharedResource): boolean =>
  resolution === "Optional" &&
  ["FieldNotSet", "NotFound", "TooFewMatches", "FieldsKept", "DependentsHeldBack"].includes(is);

/** Records this step's bindings beside those of earlier steps. A share with `connection` is recorded even if it has no bindings. */
function withRecord(draft: Draft, shares: readonly Outcome[], earlier: Bindings, { composite }: Call): Draft {
  const own = shares.filter(({ shared, bindings }) => bindings.length > 0 || shared.connection !== undefined);
  const all = new Map([...earlier, ...own.map(({ shared, bindings }) => [shared.name, bindings] as const)]);
  if (all.size === 0) return draft;
  return withResource(draft, RECORD_NAME, { is: "set", object: composeRecord(composite, all), ready: "True" });
}

/** Reports outcomes to later steps (context), people (condition, events) and Crossplane (readiness, Fatal results). */
function withReport(draft: Draft, shares: readonly Outcome[], misnamed: readonly Fault[], call: Call): Draft {
  const moved = withResults(withContext(draft, toContext(shares, call)), shares.flatMap(toMoveEvent));
  const failures = [...failMissing(shares), ...failMisnamed(misnamed)];
  const reported = withResults(withSharingCondition(moved, shares, call), failures);
  return isLeftToCrossplane(draft, shares) ? reported : withCompositeUnready(reported);
}

/**
 * Tells whether the XR's readiness is left to Crossplane: all shares are available, or wait only for copies. Crossplane
 * itself waits for a copy that is desired as unready.
 */
function isLeftToCrossplane({ resources }: Draft, shares: readonly Outcome[]): boolean {
  const reasons = shares.flatMap((share) => share.reasons);
  const hasUnreadyCopy = () =>
    [...resources].some(([name, edit]) => name.startsWith(COPY_PREFIX) && edit.is === "set" && edit.ready === "False");
  return reasons.length === 0 || (reasons.every(({ is }) => is === "WaitingForCopies") && hasUnreadyCopy());
}

/** Makes the Fatal result of unavailable shares with `resolution: Fail`; none while a share is looked up. */
function failMissing(shares: readonly Outcome[]): readonly Result[] {
  const isWaiting = shares.some(({ reasons }) => reasons.some(({ is }) => is === "WaitingForRequiredResources"));
  const faults = shares.flatMap(({ shared, reasons }) =>
    shared.resolution === "Fail" ? reasons.map((reason) => `  ${shared.name}: ${explainReason(reason, shared)}`) : [],
  );
  if (isWaiting || faults.length === 0) return [];
  const message = ["cannot go on without the shared resources:", ...faults].join("\n");
  return [{ severity: "Fatal", message, reason: "SharedResourceMissing", target: "CompositeAndClaim" }];
}

function failMisnamed(faults: readonly Fault[]): readonly Result[] {
  if (faults.length === 0) return [];
  const { message, code: reason } = invalidInput(faults);
  return [{ severity: "Fatal", message, reason, target: "Composite" }];
}

/**
 * Makes an event if the XR moves to another shared resource that grants access. A resource of the same name counts as
 * another if the namespace of its claim is not the recorded one.
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

const nameReference = ({ kind, namespace, name }: Reference): string =>
  `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
