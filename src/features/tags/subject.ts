import { toApiGroup } from "../../crossplane/api-group.ts";
import { type ManagedKind, managedKindOf } from "../../crossplane/managed-resource.ts";
import { EVERYTHING, mayWrite, policiesOf } from "../../crossplane/management-policies.ts";
import { annotationOf, EXTERNAL_NAME } from "../../crossplane/metadata.ts";
import { type Cloud, type Family, familyOf, isTaggable } from "../../crossplane/providers/families.ts";
import type { ResourceRule } from "../../input/tags.ts";
import type { Document } from "../../model/document.ts";
import type { Draft } from "../../model/draft.ts";
import type { FieldPath } from "../../model/field-path.ts";
import type { JsonValue } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import type { SchemaRequirement } from "../../model/requirement.ts";
import type { Declared } from "../../ownership/identity.ts";
import { SHARED_FROM } from "../../ownership/owner.ts";
import { desiredSoFar } from "../desired.ts";
import type { Call } from "../feature.ts";
import { fits } from "./glob.ts";
import { type FieldInSchema, findField } from "./schema.ts";
import { type TagMap, toTagMap } from "./tag-map.ts";

/** A desired managed resource that is to be tagged, and how its kind keeps tags. */
export interface Subject extends Declared {
  /** Its name in the Composition. */
  readonly resource: string;
  /** The field that holds the tags. */
  readonly fieldPath: FieldPath;
  /** The shape of the tags where none are set yet, as `fromTagMap` takes it; undefined for a map. */
  readonly shape: JsonValue | undefined;
  readonly cloud: Cloud | undefined;
  /** The tags of the cloud resource, as its provider reports them. */
  readonly reportedTags: TagMap | undefined;
  /** True if it can be told to observe only. */
  readonly hasManagementPolicies: boolean;
  /** True until Crossplane has answered whether the kind has tags. */
  readonly isPending: boolean;
}

/** Managed resources that are not tagged, by the cause. */
export interface LeftAlone {
  /** The kinds that have no tags, or of which nothing tells that they have. */
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
 * would fail the whole XR, so the input has to name it, or it is set already, or our table or the kind's schema has it. Copies of
 * Secrets are left out, and so are resources that the pipeline only observes.
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
  const selection = select(desired, call);
  if (selection === undefined) return isManagedKind(desired) ? { untagged: managedKindOf(desired).kind } : {};
  desired.toObject(); // keeps it decoded: dozens of its fields are looked up, and it is written anew
  const observed = call.request.observed.resources.get(resource)?.document;
  const { is, shape, requirement: schema } = findTagField(selection, desired, observed, call);
  if (is === "absent" || is === "unknown") return { schema, untagged: selection.kind.kind };
  const { kind, rule, family, fieldPath } = selection;
  const subject: Subject = {
    resource,
    kind,
    desired,
    observed,
    fieldPath,
    shape,
    cloud: family?.cloud,
    nameFieldPaths: findNamePaths(rule, family),
    scopeFieldPaths: [...(family?.scope ?? []), ...rule.scopeFieldPaths],
    reportedTags: toTagMap(observed?.at(toReportedPath(fieldPath))),
    // The API server fills the field in for every kind that has it.
    hasManagementPolicies: rule.managementPolicies && (observed === undefined || policiesOf(observed) !== undefined),
    isPending: is === "pending",
  };
  return { schema, subject };
}

/** A kind that the input selects, and where its tags would be. */
interface Selection {
  readonly kind: ManagedKind;
  readonly rule: ResourceRule;
  readonly family: Family | undefined;
  readonly fieldPath: FieldPath;
}

function select(desired: Document, call: Call): Selection | undefined {
  const kind = managedKindOf(desired);
  const rule = findRule(kind, call);
  if (rule === undefined) return undefined;
  const family = familyOf(kind.group, kind.kind);
  const fieldPath = rule.fieldPath ?? family?.fieldPath;
  return fieldPath && { kind, rule, family, fieldPath };
}

/** Looks for the field in the resource itself, then in our table, and only then in a schema. */
function findTagField(
  { kind, rule, family, fieldPath }: Selection,
  desired: Document,
  observed: Document | undefined,
  call: Call,
): FieldInSchema {
  const set = desired.at(fieldPath) ?? observed?.at(fieldPath);
  // A field of another shape holds no tags, although it may be called so.
  if (set !== undefined && toTagMap(set) === undefined) return { is: "absent", requirement: undefined };
  const isKnown =
    set !== undefined || rule.fieldPath !== undefined || (family && isTaggable(family, kind.group, kind.kind));
  if (isKnown === undefined) return findField(kind, fieldPath, call);
  return { is: isKnown ? "there" : "absent", requirement: undefined };
}

/** A provider sends what stands below spec.forProvider, and reports what it found at the same place below status.atProvider. */
const toReportedPath = (fieldPath: FieldPath): FieldPath =>
  fieldPath[0] === "spec" && fieldPath[1] === "forProvider"
    ? ["status", "atProvider", ...fieldPath.slice(2)]
    : fieldPath;

const findNamePaths = ({ externalNameFieldPath }: ResourceRule, family: Family | undefined): readonly FieldPath[] =>
  externalNameFieldPath === undefined ? (family?.name ?? [EXTERNAL_NAME]) : [externalNameFieldPath];

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
