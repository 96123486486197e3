import { withoutScope } from "../../crossplane/api-group.ts";
import { isManaged, type ManagedKind, readManagedKind, readObservation } from "../../crossplane/managed-resource.ts";
import { ALL_ACTIONS, MANAGEMENT_POLICIES, readPolicies, withoutCreate } from "../../crossplane/management-policies.ts";
import { EXTERNAL_NAME } from "../../crossplane/metadata.ts";
import { findFacts } from "../../crossplane/providers/families.ts";
import type { ExternalNames } from "../../input/restore.ts";
import { compareTexts } from "../../model/collections.ts";
import { type Document, stringAt, type ValueEdit } from "../../model/document.ts";
import { type Draft, withCompositeUnready, withResources } from "../../model/draft.ts";
import type { FieldPath } from "../../model/field-path.ts";
import { type RecordedNames, toRecordedKind } from "../../records/names-record.ts";
import { isFoundSinceCreation } from "../../records/restored.ts";
import { desiredSoFar, type Edits, observedAs } from "../desired.ts";
import type { Call, Feature } from "../feature.ts";
import { isNameLent, recallNames } from "../record-names.ts";
import { judgeName } from "./name-verdict.ts";
import { type NamedResource, withNamesCondition } from "./names-condition.ts";

/** Keeps the external name of each desired managed resource. Without the name, a provider creates a second cloud resource (crossplane#5918). */
export const externalNames: Feature = (call, draft) => {
  const policy = call.input.spec.externalNames;
  if (policy === undefined) return draft;

  const resources = findNames(policy, call, draft);
  const named = withNamesCondition(withResources(draft, pinNames(resources)), resources, call);
  return resources.some(({ verdict }) => verdict.is === "WaitingForRecord") ? withCompositeUnready(named) : named;
};

function findNames(policy: ExternalNames, call: Call, draft: Draft): readonly NamedResource[] {
  const { names, confirmed } = recallNames(call);
  const found: NamedResource[] = [];
  for (const [resource, desired] of desiredSoFar(call, draft)) {
    const kind = readManagedKind(desired);
    const observed = observedAs(resource, kind, call);
    const rescuePaths = rescuePathsFor(kind, policy);
    const nameIn = (record: RecordedNames): string | undefined => {
      const entry = record.get(resource);
      return entry?.kind === toRecordedKind(kind) ? entry.externalName : undefined;
    };
    const recorded = nameIn(names);
    const hasFound = observed !== undefined && readObservation(observed) === "present";
    // `tags` runs later: the label of an earlier reconcile tells.
    if (observed !== undefined && recorded === undefined && !hasFound && isNameLent(observed, observed)) continue;
    const isHeld = policy.requireRecord && (rescuePaths.length > 0 || isNamedAnew(desired, kind));
    // Before a resource exists, only its record or its kind shows that it is a managed resource.
    const isManagedResource = observed === undefined ? recorded !== undefined || isHeld : isManaged(observed);
    if (!isManagedResource) continue;
    const isConfirmed = recorded === nameIn(confirmed);
    const verdict = judgeName({ desired, observed, recorded, isConfirmed, isHeld, rescuePaths });
    found.push({ resource, kind, desired, observed, verdict });
  }
  return found.sort((a, b) => compareTexts(a.resource, b.resource));
}

/** The Terraform ID: the external name of kinds with upjet's `config.IdentifierFromProvider`. */
const ID = ["status", "atProvider", "id"];

function rescuePathsFor({ group, kind }: ManagedKind, policy: ExternalNames): readonly FieldPath[] {
  const paths = policy.rescue
    .filter((rule) => rule.kind === kind && withoutScope(rule.apiGroup) === group)
    .map(({ fromFieldPath }) => fromFieldPath);
  return findFacts(group, kind).isNamedById ? [...paths, ID] : paths;
}

/**
 * Tells whether Crossplane generates a managed resource's `metadata.name`, from the XR's UID. In a rebuilt cluster the
 * managed resource then has another name, and often another external name.
 */
const isNamedAnew = (desired: Document, { group, kind }: ManagedKind): boolean =>
  desired.at(["spec", "forProvider"]) !== undefined &&
  stringAt(desired, ["metadata", "name"]) === undefined &&
  findFacts(group, kind).cloud !== "Kubernetes";

/** Sets the external names of desired resources. A resource that may exist in the cloud under an unknown name is not created. */
const pinNames = (resources: readonly NamedResource[]): Edits =>
  resources.flatMap((one): Edits => {
    const { resource, desired, observed, verdict } = one;
    if (verdict.is === "WaitingForRecord" && observed === undefined) return [[resource, { is: "removed" }]];
    const edits = toPin(one);
    return edits.length === 0 ? [] : [[resource, { is: "set", object: desired.with(edits) }]];
  });

function toPin({ verdict, desired, observed }: NamedResource): readonly ValueEdit[] {
  const [before, wanted] = [observed && readPolicies(observed), readPolicies(desired)];
  const isUnsure =
    verdict.is === "WaitingForRecord" ||
    verdict.is === "NameNotRecorded" ||
    // A backup may have a wrong name, under which a second cloud resource would be created.
    (verdict.is === "DuplicateSuspected" && observed !== undefined && !isFoundSinceCreation(observed));
  // A backup may have the policies without Create that this function set, and after a restore without managed fields no apply removes them.
  const isLeftOver = wanted === undefined && before?.join() === withoutCreate(ALL_ACTIONS).join();
  const value = isUnsure ? withoutCreate(wanted ?? ALL_ACTIONS) : ALL_ACTIONS;
  // A kind whose observed resource has no managementPolicies does not support them: else its CRD would default them.
  const policies = before !== undefined && (isUnsure || isLeftOver) ? [{ path: MANAGEMENT_POLICIES, value }] : [];
  const isPinned = verdict.is !== "ChangedByPipeline" && "name" in verdict;
  return isPinned ? [...policies, { path: EXTERNAL_NAME, value: verdict.name }] : policies;
}
