import { isManaged, type ManagedKind, readManagedKind } from "../../crossplane/managed-resource.ts";
import { EXTERNAL_NAME } from "../../crossplane/metadata.ts";
import type { ExternalNames } from "../../input/external-names.ts";
import { compareTexts } from "../../model/compare.ts";
import type { Document, ValueEdit } from "../../model/document.ts";
import {
  type Draft,
  type ResourceEdit,
  withCompositeValues,
  withCondition,
  withResources,
  withResults,
} from "../../model/draft.ts";
import { toSortedObject } from "../../model/json.ts";
import { desiredSoFar } from "../desired.ts";
import { eventsFor } from "../events.ts";
import type { Call, Feature } from "../feature.ts";
import { fitStatus } from "../status.ts";
import { isAlarming, toCondition } from "./condition.ts";
import { findRecorded, isDeletedForGood, type Ledger, toEntry, toLedger } from "./ledger.ts";
import { rescuePathsFor } from "./rescue.ts";
import { judgeName, type NameVerdict } from "./verdict.ts";

/** A desired managed resource, and which external name it has. */
interface NamedResource {
  readonly name: string;
  readonly kind: ManagedKind;
  readonly desired: Document;
  readonly observed: Document | undefined;
  readonly verdict: NameVerdict;
}

/**
 * Keeps the external name of every desired managed resource: a provider that does not know it creates a second cloud resource
 * (crossplane#5918). Resources that are not desired are left out: they are being deleted, or adoption keeps them.
 */
export const externalNames: Feature = (call, draft) => {
  const policy = call.input.spec.externalNames;
  if (policy === undefined) return draft;

  const ledger = readLedger(policy, call);
  const resources = findNames(policy, ledger, call, draft);
  const status = fitStatus(toRecords(policy, resources, ledger, call), call);
  const verdicts = new Map(resources.map(({ name, verdict }) => [name, verdict]));
  const condition = toCondition(verdicts, status.lacking, call.composite);
  const named = withResources(draft, toEdits(resources, policy, draft));
  const recorded = withCompositeValues(named, status.values);
  const events = eventsFor(condition, isAlarming(condition) ? "Warning" : "Normal", call);
  return withResults(withCondition(recorded, condition), events);
};

const readLedger = ({ ledger }: ExternalNames, { composite }: Call): Ledger =>
  toLedger(ledger && composite.document.at(ledger.toCompositeFieldPath));

function findNames(policy: ExternalNames, ledger: Ledger, call: Call, draft: Draft): readonly NamedResource[] {
  const { resources } = call.request.observed;
  const found: NamedResource[] = [];
  for (const [name, desired] of desiredSoFar(call, draft)) {
    const observed = resources.get(name)?.document;
    // A resource that does not exist has a name only where the ledger has one, and only managed resources are in the ledger.
    const isKnown = observed === undefined ? ledger.has(name) : isManaged(observed);
    if (!isKnown) continue;
    const kind = readManagedKind(desired);
    const recorded = findRecorded(ledger, name, kind);
    const verdict = judgeName({ desired, observed, recorded, rescuePaths: rescuePathsFor(kind, policy) });
    found.push({ name, kind, desired, observed, verdict });
  }
  return found.sort((a, b) => compareTexts(a.name, b.name));
}

/** Sets the annotation where it is not desired as it should be; the rest of the resource is not read. */
function toEdits(
  resources: readonly NamedResource[],
  policy: ExternalNames,
  { resources: edits }: Draft,
): readonly (readonly [string, ResourceEdit])[] {
  return resources.flatMap(({ name, verdict, desired }): [string, ResourceEdit][] => {
    if (verdict.is === "setByPipeline" || verdict.is === "unnamed") return [];
    if (verdict.is === "observed" && !policy.pin && !verdict.isOurs) return [];
    const before = edits.get(name);
    const document = desired.with([{ path: EXTERNAL_NAME, value: verdict.name }]);
    return [[name, { is: "set", document, ...(before?.is === "set" && { ready: before.ready }) }]];
  });
}

/**
 * The ledger as it is to be. A name is removed only while its resource is observed and either not desired or being deleted
 * together with its cloud resource. A resource that does not exist at the moment keeps its name.
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
    else if (verdict.is !== "unnamed") records.set(name, toEntry(kind, nameToRecord(verdict)));
  }
  return records.size === 0 ? [] : [{ path: policy.toCompositeFieldPath, value: toSortedObject(records) }];
}

/** Of two names, the one that was known first stays on record until a person decides. */
const nameToRecord = (verdict: Exclude<NameVerdict, { is: "unnamed" }>): string =>
  verdict.is === "duplicate" ? verdict.recorded : verdict.name;
