import { COPY_KINDS } from "../../crossplane/copies.ts";
import type { ManagedKind } from "../../crossplane/managed-resource.ts";
import { EVERYTHING, isObserver, readPolicies } from "../../crossplane/management-policies.ts";
import { EXTERNAL_NAME, readAnnotation, readLabel } from "../../crossplane/metadata.ts";
import type { Cloud } from "../../crossplane/providers/families.ts";
import type { TagField } from "../../crossplane/providers/table.ts";
import { IGNORE_TAGS } from "../../input/tags.ts";
import { compareEntries } from "../../model/compare.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { Draft } from "../../model/draft.ts";
import type { FieldPath } from "../../model/field-path.ts";
import type { JsonValue } from "../../model/json.ts";
import { lazy } from "../../model/once.ts";
import { type Declared, identify } from "../../ownership/identity.ts";
import { IDENTITY } from "../../ownership/marks.ts";
import { SHARED_FROM } from "../../ownership/owner.ts";
import { desiredSoFar } from "../desired.ts";
import type { Call } from "../feature.ts";
import { type KnownKind, KnownKinds } from "./known-kinds.ts";
import { type Candidate, findTagField } from "./tag-field.ts";
import { type TagMap, toTagMap } from "./tag-map.ts";

/** A desired managed resource whose ownership is to be settled, and how its kind keeps tags. */
export interface Subject extends Declared {
  /** Its name in the Composition. */
  readonly resource: string;
  /** The field that holds the tags; undefined for a kind that has none. */
  readonly tagField: TagField | undefined;
  /** The value of that field as the pipeline desires it, and the tags that are in it. */
  readonly desiredField: JsonValue | undefined;
  readonly desiredTags: TagMap | undefined;
  readonly cloud: Cloud | undefined;
  /** Reads the tags of the cloud resource, as its provider reports them. For most resources nobody asks. */
  readonly reportedTags: () => TagMap | undefined;
  /** True if its provider reports who writes the cloud resource. */
  readonly reportsTags: boolean;
  /** True if it can be told to observe only. */
  readonly hasManagementPolicies: boolean;
  /** True until Crossplane has answered whether the kind has tags. */
  readonly isPending: boolean;
}

/** Managed resources that are left alone, by the cause. */
export interface LeftAlone {
  /** The kinds that have no tags, or of which nothing tells that they have, and that no other XR can declare. */
  readonly untagged: readonly string[];
  /** The resources that the pipeline only observes, or that are annotated to be ignored. */
  readonly excluded: readonly string[];
}

export interface Subjects {
  readonly subjects: readonly Subject[];
  readonly leftAlone: LeftAlone;
  /** Schemas that tell which kinds have the field. */
}

const FOR_PROVIDER = ["spec", "forProvider"];
const COPIED_FROM = ["spec", "forProvider", "manifest", "metadata", "annotations", SHARED_FROM];

/**
 * Finds the desired resources to tag: those that the input selects and whose kind has the field. A field that a schema lacks
 * would fail the whole XR, so the input has to name it, or it is set already, or our table or the kind's schema has it. A kind without
 * the field is found too where other XRs can declare its cloud resource. Copies of Secrets are left out, and so are resources that
 * the pipeline only observes.
 */
export function findSubjects(call: Call, draft: Draft): Subjects {
  const kinds = new KnownKinds(call);
  const selected = [...desiredSoFar(call, draft)]
    .filter(([resource]) => call.request.desired.resources.has(resource))
    .sort(compareEntries) // Go writes its maps in another order each time
    .map(([resource, desired]) => toSubject(resource, desired, kinds, call));
  return {
    subjects: selected.flatMap(({ subject }) => subject ?? []),
    leftAlone: {
      untagged: selected.flatMap(({ untagged }) => untagged ?? []),
      excluded: selected.flatMap(({ excluded }) => excluded ?? []),
    },
  };
}

interface Selected {
  readonly subject?: Subject;
  readonly untagged?: string;
  readonly excluded?: string;
}

function toSubject(resource: string, desired: Document, kinds: KnownKinds, call: Call): Selected {
  const known = kinds.of(desired);
  const { kind, facts, identity } = known;
  if (kind.kind === COPY_KINDS.Object.kind && desired.at(COPIED_FROM) !== undefined) return {};
  if (isExcluded(desired)) return { excluded: resource };
  const observed = call.request.observed.resources.get(resource)?.document;
  const candidate = toCandidate(known, desired, observed);
  if (candidate === undefined) return leftAlone(desired, kind);
  const { is, field, desiredField, desiredTags } = findTagField(candidate, call);
  const tagField = is === "there" || is === "pending" ? field : undefined;
  const isPinned = isOnlyPinned(call.request.desired.resources.get(resource)?.document, desired, observed);
  const declared = { kind, desired, observed, facts: identity, isPinned };
  if (tagField === undefined && !isKnownElsewhere(declared)) return leftAlone(desired, kind);
  const subject: Subject = {
    ...declared,
    resource,
    tagField,
    desiredField,
    desiredTags,
    cloud: facts.cloud,
    reportsTags: facts.reportsTags,
    reportedTags: lazy(() => tagField && toTagMap(observed?.at(toReportedPath(tagField.path)), MAX_REPORTED)),
    hasManagementPolicies: candidate.rule.managementPolicies && mayHavePolicies(observed),
    isPending: is === "pending",
  };
  return { subject };
}

/** No cloud lets a resource have a tenth of that: AWS and Azure 50, Google Cloud 64. */
const MAX_REPORTED = 1000;

/** Tells a managed resource from a nested XR or a native kind by the field that all providers have. */
const leftAlone = (desired: Document, { kind }: ManagedKind): Selected =>
  desired.at(FOR_PROVIDER) === undefined ? {} : { untagged: kind };

/** The API server fills managementPolicies in for every kind that has them. */
const mayHavePolicies = (observed: Document | undefined): boolean =>
  observed === undefined || readPolicies(observed) !== undefined;

/** Undefined for what the input does not select, and for a kind of which neither the input nor our tables know anything. */
const toCandidate = (
  { kind, rule, facts }: KnownKind,
  desired: Document,
  observed: Document | undefined,
): Candidate | undefined =>
  rule === undefined || (rule.fieldPath === undefined && facts.cloud === undefined)
    ? undefined
    : { kind, rule, facts, desired, observed };

/** Tells whether other XRs can declare a cloud resource without tags; of a kind that is not in our tables nobody knows. */
const isKnownElsewhere = (declared: Declared): boolean =>
  !declared.facts.countsReferences && identify(declared) !== undefined;

/**
 * Tells whether the external name is one that the provider chose, and that `externalNames` desires as it is observed. A name from
 * the ledger is not: whoever may write an XR's status chooses it. What was arbitrated once is arbitrated for good.
 */
function isOnlyPinned(composed: Document | undefined, desired: Document, observed: Document | undefined): boolean {
  if (composed === undefined || composed === desired || observed === undefined) return false;
  return (
    stringAt(composed, EXTERNAL_NAME) === undefined &&
    stringAt(desired, EXTERNAL_NAME) === stringAt(observed, EXTERNAL_NAME) &&
    readLabel(observed, IDENTITY) === undefined
  );
}

/** A provider sends what stands below spec.forProvider, and reports what it found at the same place below status.atProvider. */
const toReportedPath = (fieldPath: FieldPath): FieldPath =>
  fieldPath[0] === "spec" && fieldPath[1] === "forProvider"
    ? ["status", "atProvider", ...fieldPath.slice(2)]
    : fieldPath;

function isExcluded(desired: Document): boolean {
  if (readAnnotation(desired, IGNORE_TAGS)?.toLowerCase() === "true") return true;
  return isObserver(readPolicies(desired) ?? EVERYTHING);
}
