import { isManaged, readManagedKind } from "../../crossplane/managed-resource.ts";
import type { ExternalNames } from "../../input/external-names.ts";
import { compareTexts } from "../../model/collections.ts";
import { type Draft, withCompositeUnready, withResources } from "../../model/draft.ts";
import { type RecordedNames, toRecordedKind } from "../../ownership/names.ts";
import { desiredSoFar } from "../desired.ts";
import type { Call, Feature } from "../feature.ts";
import { recallNames } from "../names.ts";
import { withConditionAndEvent } from "../reasons.ts";
import { toNamesCondition } from "./condition.ts";
import { isNamedAnew, judgeName, type NamedResource, pinNames, rescuePathsFor } from "./pin.ts";

/**
 * Keeps the external name of every desired managed resource: without it a provider creates a second cloud resource
 * (crossplane#5918). Ignores resources that are not desired: they are being deleted, or adoption keeps them.
 */
export const externalNames: Feature = (call, draft) => {
  const policy = call.input.spec.externalNames;
  if (policy === undefined) return draft;

  const resources = findNames(policy, call, draft);
  const { condition, severity } = toNamesCondition(resources);
  const named = withResources(draft, pinNames(resources, policy, draft));
  const conditioned = withConditionAndEvent(named, condition, severity, call);
  return resources.some(({ verdict }) => verdict.is === "held") ? withCompositeUnready(conditioned) : conditioned;
};

function findNames(policy: ExternalNames, call: Call, draft: Draft): readonly NamedResource[] {
  const { resources } = call.request.observed;
  const { names, confirmed } = recallNames(call);
  const found: NamedResource[] = [];
  for (const [name, desired] of desiredSoFar(call, draft)) {
    const observed = resources.get(name)?.document;
    const kind = readManagedKind(desired);
    const rescuePaths = rescuePathsFor(kind, policy);
    const nameIn = (record: RecordedNames): string | undefined => {
      const entry = record.get(name);
      return entry?.kind === toRecordedKind(kind) ? entry.externalName : undefined;
    };
    const recorded = nameIn(names);
    // A resource that does not exist is known to be a managed resource by its record, or by its kind.
    const isHeld = policy.requireRecord && (rescuePaths.length > 0 || isNamedAnew(desired, kind));
    const isKnown = observed === undefined ? recorded !== undefined || isHeld : isManaged(observed);
    if (!isKnown) continue;
    const isConfirmed = recorded === nameIn(confirmed);
    const verdict = judgeName({ desired, observed, recorded, isConfirmed, isHeld, rescuePaths });
    found.push({ name, kind, desired, observed, verdict });
  }
  return found.sort((a, b) => compareTexts(a.name, b.name));
}
