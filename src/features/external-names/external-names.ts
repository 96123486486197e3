import type { ExternalNames } from "../../input/external-names.ts";
import type { Document } from "../../model/document.ts";
import type { Draft, ResourceEdit } from "../../model/draft.ts";
import { desiredSoFar } from "../desired.ts";
import { eventsOf } from "../events.ts";
import type { Call, Feature } from "../feature.ts";
import { conditionOf, isAlarming } from "./condition.ts";
import { entryOf, fromLedger, isGoingForGood, type Ledger, recordedIn, toLedger } from "./ledger.ts";
import { type Kind, kindOf, rescuePathsOf } from "./rescue.ts";
import { EXTERNAL_NAME, isManaged, judge, type Verdict } from "./verdict.ts";

/** A desired managed resource, and which external name it has. */
interface Case {
  readonly name: string;
  readonly kind: Kind;
  readonly desired: Document;
  readonly observed: Document | undefined;
  readonly verdict: Verdict;
}

/**
 * No managed resource loses the name of its cloud resource: a provider that does not know it creates a second one
 * (crossplane#5918). What nobody desires any more is not our affair: it is on its way out, or adoption looks after it.
 */
export const externalNames: Feature = (call, draft) => {
  const policy = call.input.spec.externalNames;
  if (policy === undefined) return draft;

  const ledger = ledgerOf(policy, call);
  const cases = casesOf(policy, ledger, call, draft);
  const condition = conditionOf(new Map(cases.map(({ name, verdict }) => [name, verdict])));
  return {
    ...draft,
    resources: new Map([...draft.resources, ...editsOf(cases, policy, draft)]),
    composite: [...draft.composite, ...recordsOf(policy, cases, ledger, call)],
    conditions: [...draft.conditions, condition],
    results: [...draft.results, ...eventsOf(condition, isAlarming(condition) ? "Warning" : "Normal", call)],
  };
};

const ledgerOf = ({ ledger }: ExternalNames, { composite }: Call): Ledger =>
  toLedger(ledger && composite.document.at(ledger.toCompositeFieldPath));

function casesOf(policy: ExternalNames, ledger: Ledger, call: Call, draft: Draft): readonly Case[] {
  const { resources } = call.request.observed;
  const cases: Case[] = [];
  for (const [name, desired] of desiredSoFar(call, draft)) {
    const observed = resources.get(name)?.document;
    // One that is not there yet has a name only where the ledger has one, and only managed resources are in the ledger.
    const isKnown = observed === undefined ? ledger.has(name) : isManaged(observed);
    if (!isKnown) continue;
    const kind = kindOf(desired);
    const recorded = recordedIn(ledger, name, kind);
    const verdict = judge({ desired, observed, recorded, rescuePaths: rescuePathsOf(kind, policy) });
    cases.push({ name, kind, desired, observed, verdict });
  }
  return cases.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The annotation, where it is not desired as it should be; the rest of the resource is not even read. */
function editsOf(
  cases: readonly Case[],
  policy: ExternalNames,
  { resources }: Draft,
): readonly [string, ResourceEdit][] {
  return cases.flatMap(({ name, verdict, desired }): [string, ResourceEdit][] => {
    if (verdict.is === "setByPipeline" || verdict.is === "unnamed") return [];
    if (verdict.is === "observed" && !policy.pin && !verdict.isOurs) return [];
    const value = { path: EXTERNAL_NAME, value: verdict.name };
    const before = resources.get(name);
    if (before?.is !== "set") return [[name, { is: "set", value }]];
    const isEdited = before.object !== undefined || before.value !== undefined;
    return [[name, { is: "set", ready: before.ready, value, ...(isEdited && { object: desired.toObject() }) }]];
  });
}

/**
 * The ledger as it is to be. A name goes only while we see that it is of no use any more: its resource is observed, and
 * not desired, or on its way out with what it stands for. What is not there at the moment keeps its name.
 */
function recordsOf(
  { ledger: policy }: ExternalNames,
  cases: readonly Case[],
  ledger: Ledger,
  { request }: Call,
): Draft["composite"] {
  if (policy === undefined) return [];
  const desired = new Map(cases.map((found) => [found.name, found]));
  const records = new Map([...ledger].filter(([name]) => desired.has(name) || !request.observed.resources.has(name)));
  for (const { name, kind, observed, verdict } of cases) {
    if (observed !== undefined && isGoingForGood(observed)) records.delete(name);
    else if (verdict.is !== "unnamed") records.set(name, entryOf(kind, nameToRecord(verdict)));
  }
  return records.size === 0 ? [] : [{ path: policy.toCompositeFieldPath, value: fromLedger(records) }];
}

/** Of two, the one that was known first stays on record until a person decides. */
const nameToRecord = (verdict: Exclude<Verdict, { is: "unnamed" }>): string =>
  verdict.is === "duplicate" ? verdict.recorded : verdict.name;
