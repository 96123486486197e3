import { toApiGroup } from "../../crossplane/api-group.ts";
import { type ManagedKind, managedKindOf } from "../../crossplane/managed-resource.ts";
import { EVERYTHING, mayWrite, policiesOf } from "../../crossplane/management-policies.ts";
import { annotationOf } from "../../crossplane/metadata.ts";
import { type Cloud, factsOf, type IdentityFacts } from "../../crossplane/providers/families.ts";
import type { TagField } from "../../crossplane/providers/table.ts";
import type { ResourceRule } from "../../input/tags.ts";
import type { Document } from "../../model/document.ts";
import type { Draft } from "../../model/draft.ts";
import type { FieldPath } from "../../model/field-path.ts";
import { DOMAIN } from "../../model/names.ts";
import type { SchemaRequirement } from "../../model/requirement.ts";
import { type Declared, identify } from "../../ownership/identity.ts";
import { SHARED_FROM } from "../../ownership/owner.ts";
import { desiredSoFar } from "../desired.ts";
import type { Call } from "../feature.ts";
import { fits } from "./glob.ts";
import { type Candidate, findTagField } from "./tag-field.ts";
import { type TagMap, toTagMap } from "./tag-map.ts";

/** A desired managed resource whose ownership is to be settled, and how its kind keeps tags. */
export interface Subject extends Declared {
  /** Its name in the Composition. */
  readonly resource: string;
  /** The field that holds the tags; undefined for a kind that has none. */
  readonly tagField: TagField | undefined;
  readonly cloud: Cloud | undefined;
  /** The tags of the cloud resource, as its provider reports them. */
  readonly reportedTags: TagMap | undefined;
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
  readonly schemas: readonly SchemaRequirement[];
}

/** The rule of an input that has none. */
const EVERY_KIND: ResourceRule = {
  apiGroup: "*",
  kind: "*",
  fieldPath: undefined,
  externalNameFieldPath: undefined,
  scopeFieldPaths: [],
  managementPolicies: true,
};

/** The annotation of a desired resource that is not to be tagged. */
const IGNORE_TAGS = `${DOMAIN}/ignore-tags`;

const COPIED_FROM = ["spec", "forProvider", "manifest", "metadata", "annotations", SHARED_FROM];

/**
 * Finds the desired resources to tag: those that the input selects and whose kind has the field. A field that a schema lacks
 * would fail the whole XR, so the input has to name it, or it is set already, or our table or the kind's schema has it. A kind without
 * the field is found too where other XRs can declare its cloud resource. Copies of Secrets are left out, and so are resources that
 * the pipeline only observes.
 */
export function findSubjects(call: Call, draft: Draft): Subjects {
  const selected = [...desiredSoFar(call, draft)]
    .filter(([resource]) => call.request.desired.resources.has(resource))
    .sort(([a], [b]) => (a < b ? -1 : 1)) // Go writes its maps in another order each time
    .map(([resource, desired]) => toSubject(resource, desired, call));
  return {
    subjects: selected.flatMap(({ subject }) => subject ?? []),
    schemas: selected.flatMap(({ schema }) => schema ?? []),
    leftAlone: {
      untagged: selected.flatMap(({ untagged }) => untagged ?? []),
      excluded: selected.flatMap(({ excluded }) => excluded ?? []),
    },
  };
}

interface Selected {
  readonly subject?: Subject;
  readonly schema?: SchemaRequirement | undefined;
  readonly untagged?: string;
  readonly excluded?: string;
}

function toSubject(resource: string, desired: Document, call: Call): Selected {
  if (desired.at(COPIED_FROM) !== undefined) return {};
  if (isExcluded(desired)) return { excluded: resource };
  const candidate = toCandidate(resource, desired, call);
  const leftAlone = isManagedKind(desired) ? { untagged: managedKindOf(desired).kind } : {};
  if (candidate === undefined) return leftAlone;
  const { kind, rule, facts, observed } = candidate;
  const { is, field, requirement: schema } = findTagField(candidate, call);
  const tagField = is === "there" || is === "pending" ? field : undefined;
  const declared = { kind, desired, observed, facts: toIdentityFacts(rule, facts.identity) };
  if (tagField === undefined && !isKnownElsewhere(declared)) return { schema, ...leftAlone };
  const subject: Subject = {
    ...declared,
    resource,
    tagField,
    cloud: facts.cloud,
    reportedTags: tagField && toTagMap(observed?.at(toReportedPath(tagField.path))),
    hasManagementPolicies: rule.managementPolicies && mayHavePolicies(observed),
    isPending: is === "pending",
  };
  return { schema, subject };
}

/** The API server fills managementPolicies in for every kind that has them. */
const mayHavePolicies = (observed: Document | undefined): boolean =>
  observed === undefined || policiesOf(observed) !== undefined;

/** Selects a resource by the input; undefined also for a kind of which neither the input nor our tables know anything. */
function toCandidate(resource: string, desired: Document, call: Call): Candidate | undefined {
  const kind = managedKindOf(desired);
  const rule = findRule(kind, call);
  const facts = factsOf(kind.group, kind.kind);
  if (rule === undefined || (rule.fieldPath === undefined && facts.cloud === undefined)) return undefined;
  desired.toObject(); // keeps it decoded: dozens of its fields are looked up, and it is written anew
  return { kind, rule, facts, desired, observed: call.request.observed.resources.get(resource)?.document };
}

/** Tells whether other XRs can declare a cloud resource without tags; of a kind that is not in our tables nobody knows. */
const isKnownElsewhere = (declared: Declared): boolean =>
  !declared.facts.countsReferences && identify(declared) !== undefined;

/** The input may name fields that tell apart what the provider's facts do not. */
const toIdentityFacts = (
  { externalNameFieldPath, scopeFieldPaths }: ResourceRule,
  facts: IdentityFacts,
): IdentityFacts => ({
  ...facts,
  name: externalNameFieldPath === undefined ? facts.name : { is: "fields", paths: [externalNameFieldPath] },
  scope: [...facts.scope, ...scopeFieldPaths],
});

/** A provider sends what stands below spec.forProvider, and reports what it found at the same place below status.atProvider. */
const toReportedPath = (fieldPath: FieldPath): FieldPath =>
  fieldPath[0] === "spec" && fieldPath[1] === "forProvider"
    ? ["status", "atProvider", ...fieldPath.slice(2)]
    : fieldPath;

function isExcluded(desired: Document): boolean {
  if (annotationOf(desired, IGNORE_TAGS)?.toLowerCase() === "true") return true;
  return !mayWrite(policiesOf(desired) ?? EVERYTHING);
}

/** Tells a managed resource from a nested XR or a native kind by the field that all providers have. */
const isManagedKind = (desired: Document): boolean => desired.at(["spec", "forProvider"]) !== undefined;

function findRule({ apiVersion, kind, group }: ManagedKind, { input }: Call): ResourceRule | undefined {
  const rules = input.spec.tags?.resources ?? [EVERY_KIND];
  const groups = [toApiGroup(apiVersion), group];
  return rules.find((rule) => groups.some((name) => fits(name, rule.apiGroup)) && fits(kind, rule.kind));
}
