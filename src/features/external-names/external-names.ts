import { isManaged, readManagedKind } from "../../crossplane/managed-resource.ts";
import type { ExternalNames } from "../../input/external-names.ts";
import { compareTexts } from "../../model/collections.ts";
import type { ValueEdit } from "../../model/document.ts";
import { type Draft, withCompositeValues, withCondition, withResources, withResults } from "../../model/draft.ts";
import { toSortedObject } from "../../model/json.ts";
import { desiredSoFar } from "../desired.ts";
import type { Call, Feature } from "../feature.ts";
import { fitStatus } from "../fit-status.ts";
import { eventsFor } from "../transition-events.ts";
import { isAlarming, toNamesCondition } from "./condition.ts";
import { findRecorded, isDeletedForGood, type Ledger, readLedger, toEntry } from "./ledger.ts";
import { judgeName, type NamedResource, type NameVerdict, pinNames, rescuePathsFor } from "./pin.ts";

/**
 * Keeps the external name of every desired managed resource: without it a provider creates a second cloud resource
 * (crossplane#5918). Ignores resources that are not desired: they are being deleted, or adoption keeps them.
 */
export const externalNames: Feature = (call, draft) => {
  const policy = call.input.spec.externalNames;
  if (policy === undefined) return draft;

  const ledger = readLedger(policy, call);
  const resources = findNames(policy, ledger, call, draft);
  const status = fitStatus(toRecords(policy, resources, ledger, call), call);
  const condition = toNamesCondition(resources, status.lacking, call.composite);
  const named = withResources(draft, pinNames(resources, policy, draft));
  const recorded = withCompositeValues(named, status.values);
  const events = eventsFor(condition, isAlarming(condition) ? "Warning" : "Normal", call);
  return withResults(withCondition(recorded, condition), events);
};

function findNames(policy: ExternalNames, ledger: Ledger, call: Call, draft: Draft): readonly NamedResource[] {
  const { resources } = call.request.observed;
  const found: NamedResource[] = [];
  for (const [name, desired] of desiredSoFar(call, draft)) {
    const observed = resources.get(name)?.document;
    // A resource that does not exist can have a name in the ledger only, which holds managed resources only.
    const isKnown = observed === undefined ? ledger.has(name) : isManaged(observed);
    if (!isKnown) continue;
    const kind = readManagedKind(desired);
    const recorded = findRecorded(ledger, name, kind);
    const verdict = judgeName({ desired, observed, recorded, rescuePaths: rescuePathsFor(kind, policy) });
    found.push({ name, kind, desired, observed, verdict });
  }
  return found.sort((a, b) => compareTexts(a.name, b.name));
}

/**
 * Updates the ledger. Removes a name only while its resource is observed, and is not desired or is being deleted together with its
 * cloud resource. A resource that does not exist at the moment keeps its name.
 */
function toRecords(
  { ledger: policy }: ExternalNames,
  resources: readonly NamedResource[],
  ledger: Ledger,
  { request }: Call,
): readonly ValueEdit[] {
  if (policy === undefined) return [];
  const desired = new Set(resources.map(({ name }) => name));
  const records = new Map([...ledger].filter(([name]) => desired.has(name) || !request.observed.resources.has(name)));
  for (const { name, kind, observed, verdict } of resources) {
    if (observed !== undefined && isDeletedForGood(observed)) records.delete(name);
    else if (verdict.is !== "unnamed" && verdict.is !== "notRecorded")
      records.set(name, toEntry(kind, nameToRecord(verdict)));
  }
  return records.size === 0 ? [] : [{ path: policy.toCompositeFieldPath, value: toSortedObject(records) }];
}

/** Picks the name for the ledger; of two names the recorded one, until a person decides. */
const nameToRecord = (verdict: Exclude<NameVerdict, { is: "unnamed" | "notRecorded" }>): string =>
  verdict.is === "duplicate" ? verdict.recorded : verdict.name;
