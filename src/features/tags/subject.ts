import { ALL_ACTIONS, isObserver, readPolicies } from "../../crossplane/management-policies.ts";
import { EXTERNAL_NAME, readAnnotation, readLabel } from "../../crossplane/metadata.ts";
import type { Cloud } from "../../crossplane/providers/families.ts";
import type { TagField } from "../../crossplane/providers/table.ts";
import { compareEntries } from "../../model/collections.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { Draft } from "../../model/draft.ts";
import type { FieldPath } from "../../model/field-path.ts";
import type { JsonValue } from "../../model/json.ts";
import { lazy } from "../../model/once.ts";
import { IDENTITY_LABEL, IGNORE_TAGS } from "../../ownership/annotations.ts";
import { type CloudResource, type DeclaredResource, readCloudResource } from "../../ownership/identity.ts";
import { type Call, desiredSoFar } from "../feature.ts";
import { toMatcher } from "./glob.ts";
import { type FoundField, findTagField, type KnownKind, kindsFor } from "./kinds.ts";
import { isCopy, withoutMarks } from "./marks.ts";
import { type TagMap, toTagMap } from "./tag-map.ts";

/** A desired managed resource whose ownership is settled, and the tag field of its kind. */
export interface Subject extends DeclaredResource {
  /** Its name in the Composition. */
  readonly resource: string;
  /** Undefined if only this XR can declare it; "unresolved" while a reference hides which it is. */
  readonly cloudResource: CloudResource | "unresolved" | undefined;
  /** The tag field; undefined for a kind without tags. */
  readonly tagField: TagField | undefined;
  readonly tagSources: TagSources;
  readonly cloud: Cloud | undefined;
  /** True if the provider reports who writes the cloud resource. */
  readonly reportsTags: boolean;
  /** True if it supports observing only. */
  readonly hasManagementPolicies: boolean;
  /** True until Crossplane has answered whether the kind has tags. */
  readonly isPending: boolean;
}

/** The tags to merge, by source. */
interface TagSources {
  /** The tags that earlier steps desire. */
  readonly desired: TagMap;
  /** The tags in the spec of the observed managed resource. */
  readonly spec: TagMap;
  /** Reads the tags of the cloud resource that its provider reports. Lazy: few resources need them. */
  readonly cloud: () => TagMap;
  /** The field's value, or an empty one of its shape. */
  readonly like: JsonValue | undefined;
}

const NO_TAGS: TagMap = new Map();

export interface Subjects {
  readonly subjects: readonly Subject[];
  /** The resources of which an earlier step desires marks, without these. */
  readonly unmarked: readonly (readonly [resource: string, document: Document])[];
  /** Kinds without tags, or without known tags, that no other XR can declare. */
  readonly untagged: readonly string[];
  /** Resources that the pipeline only observes, or that are annotated to be ignored. */
  readonly excluded: readonly string[];
}

const FOR_PROVIDER = ["spec", "forProvider"];

/**
 * Finds the desired resources to tag: those that the input selects and whose kind has a tag field. A field that the schema lacks would
 * fail the whole XR, so the field has to be named by the input, set already, or listed in our table or the kind's schema. Kinds
 * without the field are included if other XRs can declare their cloud resources. Excludes copies of Secrets, and resources that the
 * pipeline only observes.
 */
export function findSubjects(call: Call, draft: Draft): Subjects {
  const toKind = kindsFor(call);
  const ignored = call.input.spec.tags?.ignore.map(toMatcher) ?? [];
  const found = [...desiredSoFar(call, draft)]
    .filter(([resource]) => call.request.desired.resources.has(resource))
    .sort(compareEntries) // Go's map order is random
    .map(([resource, desired]) => toSubjects(resource, desired, toKind(desired), ignored, call));
  return {
    subjects: found.flatMap(({ subjects = [] }) => subjects),
    unmarked: found.flatMap(({ unmarked = [] }) => unmarked),
    untagged: found.flatMap(({ untagged = [] }) => untagged),
    excluded: found.flatMap(({ excluded = [] }) => excluded),
  };
}

function toSubjects(
  resource: string,
  marked: Document,
  known: KnownKind,
  ignored: readonly ((name: string) => boolean)[],
  call: Call,
): Partial<Subjects> {
  const { kind } = known.kind;
  if (isCopy(resource, marked, kind)) return {};
  // Nested XRs and native kinds lack the field that all managed resources have.
  const isManaged = marked.at(FOR_PROVIDER) !== undefined;
  const desired = withoutMarks(marked, known.rule !== undefined && isManaged);
  const unmarked = desired === marked ? [] : [[resource, desired] as const];
  const observed = call.request.observed.resources.get(resource)?.document;
  const isLeft = ignored.some((fits) => fits(resource)) || isExcluded(desired, observed);
  if (isLeft) return { unmarked, excluded: [resource] };
  const subject = toSubject(resource, desired, observed, known, call);
  return subject === undefined ? { unmarked, untagged: isManaged ? [kind] : [] } : { unmarked, subjects: [subject] };
}

function isExcluded(desired: Document, observed: Document | undefined): boolean {
  if (observed !== undefined && readAnnotation(observed, IGNORE_TAGS)?.toLowerCase() === "true") return true;
  return isObserver(readPolicies(desired) ?? ALL_ACTIONS);
}

/** Undefined for a kind that the input does not select, that neither the input nor our tables describe, or without anything to settle. */
function toSubject(
  resource: string,
  desired: Document,
  observed: Document | undefined,
  { kind, rule, facts }: KnownKind,
  call: Call,
): Subject | undefined {
  if (rule === undefined || (rule.fieldPath === undefined && facts.cloud === undefined)) return undefined;
  const { identity, cloud, reportsTags } = facts;
  const found = findTagField({ kind, rule, facts, desired, observed }, call);
  const isPinned = isOnlyPinned(call.request.desired.resources.get(resource)?.document, desired, observed);
  const declared = { kind, desired, observed, facts: identity, isPinned };
  const cloudResource = readCloudResource(declared);
  // Of kinds that our tables lack it is not known whether other XRs can declare a cloud resource without tags.
  const isArbitrated = cloudResource !== undefined && !identity.countsReferences;
  if (found === undefined && !isArbitrated) return undefined;
  // The API server defaults the policies of every kind that has them.
  const mayHavePolicies = observed === undefined || readPolicies(observed) !== undefined;
  return {
    ...declared,
    ...{ resource, cloudResource, cloud, reportsTags },
    tagField: found?.field,
    tagSources: readTagSources(found, observed),
    hasManagementPolicies: rule.managementPolicies && mayHavePolicies,
    isPending: found?.isPending === true,
  };
}

/** Reads the tags of a resource once: there may be thousands. */
function readTagSources(found: FoundField | undefined, observed: Document | undefined): TagSources {
  const { field, value, spec, tags = NO_TAGS } = found ?? {};
  return {
    desired: value === undefined ? NO_TAGS : tags,
    spec: value === undefined ? tags : (toTagMap(spec) ?? NO_TAGS),
    cloud: lazy(() => (field && toTagMap(observed?.at(toReportedPath(field.path)), MAX_REPORTED)) ?? NO_TAGS),
    like: value ?? spec ?? field?.shape,
  };
}

/** The most reported tags that are read. AWS and Azure allow 50 on a resource, Google Cloud 64. */
const MAX_REPORTED = 1000;

/** Maps a field below spec.forProvider to the field below status.atProvider in which the provider reports it. */
const toReportedPath = (fieldPath: FieldPath): FieldPath =>
  fieldPath[0] === "spec" && fieldPath[1] === "forProvider"
    ? ["status", "atProvider", ...fieldPath.slice(2)]
    : fieldPath;

/**
 * Tells whether the provider chose the external name, which `externalNames` desires because it was observed. A name from the record
 * is different: the record may be old. A resource that has been arbitrated stays arbitrated.
 */
const isOnlyPinned = (composed: Document | undefined, desired: Document, observed: Document | undefined): boolean =>
  composed !== undefined &&
  composed !== desired &&
  observed !== undefined &&
  stringAt(composed, EXTERNAL_NAME) === undefined &&
  stringAt(desired, EXTERNAL_NAME) === stringAt(observed, EXTERNAL_NAME) &&
  readLabel(observed, IDENTITY_LABEL) === undefined;
