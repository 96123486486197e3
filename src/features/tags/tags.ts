import type { Tags } from "../../input/tags.ts";
import type { Condition, Result } from "../../model/condition.ts";
import type { Draft, ResourceEdit, TagChange } from "../../model/draft.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import { nameOf } from "../../ownership/contender.ts";
import { externalNameHashOf } from "../../ownership/identity.ts";
import { ownerOf } from "../../ownership/owner.ts";
import { eventsFor } from "../events.ts";
import type { Call, Feature } from "../feature.ts";
import { type Arbitration, arbitrate } from "./arbitrate.ts";
import { changesOf } from "./audit.ts";
import { conditionOf, explainRefusal, type Refusal, type Shortcomings, type Tagged } from "./condition.ts";
import { asContender, tagsFor, withTags } from "./desire.ts";
import { faultsOf } from "./limits.ts";
import { type Subject, subjectsOf } from "./subject.ts";
import { type TagMap, toTagMap } from "./tag-map.ts";
import { toWanted, type Wanted } from "./wanted.ts";

/** What becomes of one resource. */
interface Outcome extends Tagged {
  readonly subject: Subject;
  readonly arbitration: Arbitration | undefined;
  /** Undefined where they stay as the steps before us want them. */
  readonly tags: TagMap | undefined;
}

/**
 * Sets the tags of the composed resources, and sees to it that of several XRs that declare one cloud resource only one writes
 * it and the others observe, until its owner leaves it to them.
 */
export const tags: Feature = (call, draft) => {
  const input = call.input.spec.tags;
  if (input === undefined) return draft;

  const wanted = toWanted(input, call);
  const { subjects, schemas } = subjectsOf(call, draft);
  const outcomes = subjects.map((subject) => toOutcome(subject, wanted, input, call));
  const shortcomings = { refusals: refusalsOf(outcomes, wanted), unset: wanted.unset };
  const condition = conditionOf(outcomes, shortcomings);
  const isPending = outcomes.some(({ standing }) => standing.is === "WaitingForRequiredResources");
  return {
    ...draft,
    resources: new Map([...draft.resources, ...outcomes.flatMap((outcome) => editsOf(outcome, wanted, call, draft))]),
    requirements: new Map([...draft.requirements, ...requirementsOf(outcomes)]),
    requiredSchemas: new Map([
      ...draft.requiredSchemas,
      ...schemas.map(({ name, apiVersion, kind }) => [name, { apiVersion, kind }] as const),
    ]),
    conditions: [...draft.conditions, condition],
    results: [...draft.results, ...resultsOf(condition, outcomes, shortcomings, call)],
    audit: [...draft.audit, ...(isPending ? [] : auditOf(outcomes, wanted, call))],
  };
};

function toOutcome(subject: Subject, wanted: Wanted, { owner }: Tags, call: Call): Outcome {
  const arbitration = arbitrate(subject, wanted, owner, call);
  const { settlement } = arbitration ?? {};
  const isTagged = !subject.isPending && (settlement?.isTagged ?? true);
  const repeated = settlement?.repeats && toTagMap(settlement.repeats.document.at(subject.fieldPath));
  const isOwned = settlement === undefined && !subject.isPending;
  return {
    subject,
    resource: subject.resource,
    own: { kind: subject.kind, name: subject.observed && nameOf(subject.observed) },
    standing: settlement?.standing ?? { is: isOwned ? "Owned" : "WaitingForRequiredResources" },
    arbitration,
    tags: isTagged ? tagsFor(subject, wanted) : repeated,
  };
}

type NamedEdit = readonly [resource: string, edit: ResourceEdit];

/** One edit, or none where a resource is as it should be. */
function editsOf(outcome: Outcome, { cluster }: Wanted, call: Call, draft: Draft): readonly NamedEdit[] {
  const { subject, arbitration, tags: merged, resource } = outcome;
  if (arbitration?.settlement.is === "leave") return [[resource, { is: "removed" }]];
  if (arbitration === undefined && merged === undefined) return [];

  const before = subject.desired.toObject();
  const tagged = merged === undefined ? before : withTags(before, subject, merged);
  const edit = draft.resources.get(resource);
  const ready = edit?.is === "set" ? edit.ready : undefined;
  if (arbitration === undefined) return [[resource, { is: "set", object: tagged, ready }]];

  const { settlement, identity } = arbitration;
  const externalName = externalNameHashOf(subject);
  const object = asContender(tagged, settlement, { identity, externalName, owner: ownerOf(call.composite), cluster });
  // An XR must not count on a cloud resource that may go before its owner knows of the XR.
  return [[resource, { is: "set", object, ready: settlement.isSettled ? ready : "False" }]];
}

/** One for each cloud resource that somebody else may name as well. */
const requirementsOf = (outcomes: readonly Outcome[]) =>
  outcomes.flatMap(({ arbitration }) =>
    (arbitration?.requirements ?? []).map(({ name, selector }) => [name, selector] as const),
  );

function refusalsOf(outcomes: readonly Outcome[], wanted: Wanted): readonly Refusal[] {
  const ours = new Set(wanted.add.map(({ key }) => key));
  return outcomes.flatMap(({ subject: { resource, fieldPath, cloud }, tags: merged, arbitration }) => {
    if (merged === undefined || cloud === undefined || arbitration?.settlement.repeats !== undefined) return [];
    return faultsOf(merged, ours, cloud).map(({ key, message }) => ({
      resource,
      path: formatFieldPath(key === undefined ? fieldPath : [...fieldPath, key]),
      key,
      message,
    }));
  });
}

/** What would be refused, and a conflict where the input says Fail, freeze the XR: nothing is applied or deleted. */
function resultsOf(
  condition: Condition,
  outcomes: readonly Outcome[],
  { refusals }: Shortcomings,
  call: Call,
): readonly Result[] {
  if (refusals.length > 0) {
    const message = ["cannot tag the composed resources:", ...refusals.map((fault) => `  ${explainRefusal(fault)}`)];
    return [{ severity: "Fatal", message: message.join("\n"), reason: condition.reason, target: "Composite" }];
  }
  if (outcomes.some(({ standing }) => standing.is === "Conflict")) {
    const { message = "", reason } = condition;
    return [{ severity: "Fatal", message, reason, target: "CompositeAndClaim" }];
  }
  const isFine = condition.status === "True" || condition.reason === "Arbitrating";
  return eventsFor(condition, isFine ? "Normal" : "Warning", call);
}

const auditOf = (outcomes: readonly Outcome[], wanted: Wanted, { composite }: Call): readonly TagChange[] =>
  outcomes.flatMap(({ subject, tags: merged, arbitration }) =>
    merged === undefined || arbitration?.settlement.repeats !== undefined
      ? []
      : changesOf(subject, merged, wanted, ownerOf(composite)),
  );
