import { EVERYTHING, mayWrite, policiesOf } from "../../crossplane/management-policies.ts";
import type { ResourceRule } from "../../input/tags.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { Draft } from "../../model/draft.ts";
import type { FieldPath } from "../../model/field-path.ts";
import { IGNORE_TAGS } from "../../ownership/marks.ts";
import { SHARED_FROM } from "../../ownership/owner.ts";
import { desiredSoFar } from "../desired.ts";
import type { Call } from "../feature.ts";
import { type Family, familyOf, isTaggable } from "./families.ts";
import { fits } from "./glob.ts";
import type { Cloud } from "./limits.ts";
import { type FieldInSchema, hasField, type SchemaRequirement } from "./schema.ts";

/** A managed resource's kind; namespaced managed resources have `.m` in their group, which says nothing about the cloud. */
export interface Kind {
  readonly apiVersion: string;
  readonly group: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

/** A desired managed resource whose tags are ours to see to, and how its kind keeps them. */
export interface Subject {
  /** Its name in the Composition. */
  readonly resource: string;
  readonly kind: Kind;
  readonly desired: Document;
  readonly observed: Document | undefined;
  readonly fieldPath: FieldPath;
  readonly cloud: Cloud | undefined;
  readonly nameFieldPaths: readonly FieldPath[];
  readonly scopeFieldPaths: readonly FieldPath[];
  /** Whether it can be told to observe only. */
  readonly hasManagementPolicies: boolean;
  /** Whether it is to be seen yet that the kind has tags. */
  readonly isPending: boolean;
}

export interface Subjects {
  readonly subjects: readonly Subject[];
  /** Schemas that tell which kinds have the field. */
  readonly schemas: readonly SchemaRequirement[];
}

/** What is selected where the input selects nothing. */
const EVERY_KIND: ResourceRule = {
  apiGroup: "*",
  kind: "*",
  fieldPath: undefined,
  externalNameFieldPath: undefined,
  scopeFieldPaths: [],
  managementPolicies: true,
};

const COPIED_FROM = ["spec", "forProvider", "manifest", "metadata", "annotations", SHARED_FROM];
const EXTERNAL_NAME = ["metadata", "annotations", "crossplane.io/external-name"];

/**
 * The desired resources to tag: those that the input selects and whose kind has the field. A field that a schema lacks would
 * fail the whole XR, so it has to be said by the input, be there already, stand in our table or in the kind's schema.
 * What steps of ours copy is left alone, as is what the pipeline itself merely observes.
 */
export function subjectsOf(call: Call, draft: Draft): Subjects {
  const found = [...desiredSoFar(call, draft)]
    .filter(([resource]) => call.request.desired.resources.has(resource))
    .sort(([a], [b]) => (a < b ? -1 : 1)) // Go writes its maps in another order each time
    .map(([resource, desired]) => toFinding(resource, desired, call));
  return {
    subjects: found.flatMap(({ subject }) => subject ?? []),
    schemas: found.flatMap(({ schema }) => schema ?? []),
  };
}

interface Finding {
  readonly subject?: Subject;
  readonly schema?: SchemaRequirement | undefined;
}

function toFinding(resource: string, desired: Document, call: Call): Finding {
  const selection = isLeftAlone(desired) ? undefined : select(desired, call);
  if (selection === undefined) return {};
  desired.toObject(); // which keeps it decoded: dozens of its fields are looked up, and it is written anew
  const observed = call.request.observed.resources.get(resource)?.document;
  const { is, requirement: schema } = findTags(selection, desired, observed, call);
  if (is === "absent" || is === "unknown") return { schema };
  return { schema, subject: toSubject(resource, selection, desired, observed, is === "pending") };
}

/** A kind that the input selects, and where its tags would be. */
interface Selection {
  readonly kind: Kind;
  readonly rule: ResourceRule;
  readonly family: Family | undefined;
  readonly fieldPath: FieldPath;
}

function select(desired: Document, call: Call): Selection | undefined {
  const kind = kindOf(desired);
  const rule = kind && ruleFor(kind, call);
  if (kind === undefined || rule === undefined) return undefined;
  const family = familyOf(kind.group, kind.kind);
  const fieldPath = rule.fieldPath ?? family?.fieldPath;
  return fieldPath && { kind, rule, family, fieldPath };
}

/** Whether the kind has tags: from what is at hand, then from our table, and only then from a schema. */
function findTags(
  { kind, rule, family, fieldPath }: Selection,
  desired: Document,
  observed: Document | undefined,
  call: Call,
): FieldInSchema {
  const isThere = desired.at(fieldPath) !== undefined || observed?.at(fieldPath) !== undefined;
  const isKnown = isThere || rule.fieldPath !== undefined || (family && isTaggable(family, kind.group, kind.kind));
  if (isKnown === undefined) return hasField(kind, fieldPath, call);
  return { is: isKnown ? "there" : "absent", requirement: undefined };
}

function toSubject(
  resource: string,
  { kind, rule, family, fieldPath }: Selection,
  desired: Document,
  observed: Document | undefined,
  isPending: boolean,
): Subject {
  return {
    resource,
    kind,
    desired,
    observed,
    fieldPath,
    cloud: family?.cloud,
    nameFieldPaths: namesOf(rule, family),
    scopeFieldPaths: [...(family?.scope ?? []), ...rule.scopeFieldPaths],
    // The API server fills the field in for every kind that has it.
    hasManagementPolicies: rule.managementPolicies && (observed === undefined || policiesOf(observed) !== undefined),
    isPending,
  };
}

const namesOf = ({ externalNameFieldPath }: ResourceRule, family: Family | undefined): readonly FieldPath[] =>
  externalNameFieldPath === undefined ? (family?.name ?? [EXTERNAL_NAME]) : [externalNameFieldPath];

function isLeftAlone(desired: Document): boolean {
  if (stringAt(desired, ["metadata", "annotations", IGNORE_TAGS])?.toLowerCase() === "true") return true;
  return desired.at(COPIED_FROM) !== undefined || !mayWrite(policiesOf(desired) ?? EVERYTHING);
}

function ruleFor({ apiVersion, kind, group }: Kind, { input }: Call): ResourceRule | undefined {
  const rules = input.spec.tags?.resources ?? [EVERY_KIND];
  const raw = apiVersion.split("/")[0] ?? "";
  return rules.find((rule) => [raw, group].some((name) => fits(name, rule.apiGroup)) && fits(kind, rule.kind));
}

function kindOf(desired: Document): Kind | undefined {
  const apiVersion = stringAt(desired, ["apiVersion"]);
  const kind = stringAt(desired, ["kind"]);
  if (apiVersion === undefined || kind === undefined) return undefined;
  const raw = apiVersion.split("/")[0] ?? "";
  const group = raw.replace(/\.m\./, ".");
  return { apiVersion, kind, group, isNamespaced: group !== raw };
}
