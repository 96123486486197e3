import type { ManagedKind } from "../../crossplane/managed-resource.ts";
import type { KindFacts, TagFact } from "../../crossplane/providers/families.ts";
import type { TagField } from "../../crossplane/providers/table.ts";
import type { ResourceRule } from "../../input/tags.ts";
import { type Document, documentOf } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";
import { isObject, type JsonValue } from "../../model/json.ts";
import type { SchemaSelector } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";
import { readShape, type TagMap, toTagMap } from "./tag-map.ts";

/** A desired managed resource, the entry of the input that selects it, and the facts about its kind. */
export interface SelectedResource {
  readonly kind: ManagedKind;
  readonly rule: ResourceRule;
  readonly facts: KindFacts;
  readonly desired: Document;
  readonly observed: Document | undefined;
}

/** The answer to whether a resource has a tag field. */
export interface FoundField {
  readonly is: "there" | "absent" | "pending" | "unknown";
  readonly field?: TagField;
  /** The desired value of the field, and the tags in it. */
  readonly desiredField?: JsonValue | undefined;
  readonly desiredTags?: TagMap | undefined;
}

const NO_FIELD: FoundField = { is: "absent" };

/** Looks for the tag field in the input, in the resource, in our table, and last in the kind's schema. */
export function findTagField(candidate: SelectedResource, call: Call): FoundField {
  const { kind, rule, facts, desired, observed } = candidate;
  const field = rule.fieldPath === undefined ? toPresentField(candidate) : { path: rule.fieldPath, shape: undefined };
  if (field === undefined) return NO_FIELD;
  const before = desired.at(field.path);
  const set = before ?? observed?.at(field.path);
  const is = rule.fieldPath === undefined ? facts.tags.is : "known";
  if (set !== undefined) return toSetField(field, before, set, is);
  if (is !== "unknown") return is === "known" ? { is: "there", field } : NO_FIELD;
  const { is: found, shape } = findSchemaField(kind, field.path, call);
  return { is: found, field: { path: field.path, shape } };
}

/** Checks the shape of a field that is set: a field called `tags` may hold something else, such as a list in a kind without tags. */
function toSetField(
  field: TagField,
  desiredField: JsonValue | undefined,
  set: JsonValue,
  is: TagFact["is"],
): FoundField {
  const tags = toTagMap(set);
  if (is === "none" ? !isObject(set) : tags === undefined) return NO_FIELD;
  return { is: "there", field, desiredField, desiredTags: desiredField === undefined ? undefined : tags };
}

/**
 * Adapts our table's field to this version of the kind: `settings` is a list of one item in the first version of upjet's
 * cluster-scoped kinds, and an object in all others. Undefined if it is not known which.
 */
function toPresentField({ kind, facts, desired, observed }: SelectedResource): TagField | undefined {
  const { field } = facts.tags;
  const block = field?.path.slice(0, -1) ?? [];
  if (field === undefined || block.length <= FOR_PROVIDER.length || !kind.group.endsWith(".upbound.io")) return field;
  const before = desired.at(block) ?? observed?.at(block);
  if (Array.isArray(before)) return { ...field, path: [...block, 0, ...field.path.slice(-1)] };
  const mayBeList = before === undefined && !kind.isNamespaced && kind.apiVersion.endsWith("/v1beta1");
  return mayBeList ? undefined : field;
}

const FOR_PROVIDER: FieldPath = ["spec", "forProvider"];

/** The answer to whether a kind's OpenAPI schema has a field. */
interface FieldInSchema {
  readonly is: "there" | "absent" | "pending" | "unknown";
  /** The field's shape in the schema. */
  readonly shape?: JsonValue | undefined;
}

/** Looks for a field in the kind's schema, which Crossplane v2.2 and later can look up. */
function findSchemaField({ apiVersion, kind }: SchemaSelector, fieldPath: FieldPath, call: Call): FieldInSchema {
  if (!call.request.capabilities.has("RequiredSchemas")) return { is: "unknown" };
  const answer = call.requirements.askSchema({ name: `tags/${apiVersion}/${kind}`, apiVersion, kind });
  if (answer.is !== "resolved") return { is: answer.is };
  const path = fieldPath.flatMap((step) => ["properties", step]);
  const schema = answer.schema.at(path);
  const shape = isObject(schema) ? readShape(documentOf(schema)) : undefined;
  return { is: shape === undefined ? "absent" : "there", shape };
}
