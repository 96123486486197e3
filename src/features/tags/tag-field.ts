import type { ManagedKind } from "../../crossplane/managed-resource.ts";
import type { KindFacts, TagFact } from "../../crossplane/providers/families.ts";
import type { TagField } from "../../crossplane/providers/table.ts";
import type { ResourceRule } from "../../input/tags.ts";
import type { Document } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";
import { isObject, type JsonValue } from "../../model/json.ts";
import type { Call } from "../feature.ts";
import { findField } from "./schema.ts";
import { type TagMap, toTagMap } from "./tag-map.ts";

/** A desired managed resource, the entry of the input that selects it, and what is known of its kind. */
export interface Candidate {
  readonly kind: ManagedKind;
  readonly rule: ResourceRule;
  readonly facts: KindFacts;
  readonly desired: Document;
  readonly observed: Document | undefined;
}

/** Tells whether a resource has a field for tags. */
interface FoundField {
  readonly is: "there" | "absent" | "pending" | "unknown";
  readonly field?: TagField;
  /** The value of the field as the pipeline desires it, and the tags that are in it. */
  readonly desiredField?: JsonValue | undefined;
  readonly desiredTags?: TagMap | undefined;
}

const ABSENT: FoundField = { is: "absent" };

/** Looks for the field in the input, in the resource itself, then in our table, and only then in a schema. */
export function findTagField(candidate: Candidate, call: Call): FoundField {
  const { kind, rule, facts, desired, observed } = candidate;
  const field = rule.fieldPath === undefined ? toPresentField(candidate) : { path: rule.fieldPath, shape: undefined };
  if (field === undefined) return ABSENT;
  const before = desired.at(field.path);
  const set = before ?? observed?.at(field.path);
  const is = rule.fieldPath === undefined ? facts.tags.is : "known";
  if (set !== undefined) return toSetField(field, before, set, is);
  if (is !== "unknown") return is === "known" ? { is: "there", field } : ABSENT;
  const { is: found, shape } = findField(kind, field.path, call);
  return { is: found, field: { path: field.path, shape } };
}

/** A field of another shape holds no tags, although it may be called so: where our table lists none, there may be a list. */
function toSetField(
  field: TagField,
  desiredField: JsonValue | undefined,
  set: JsonValue,
  is: TagFact["is"],
): FoundField {
  const tags = toTagMap(set);
  if (is === "none" ? !isObject(set) : tags === undefined) return ABSENT;
  return { is: "there", field, desiredField, desiredTags: desiredField === undefined ? undefined : tags };
}

/**
 * The field of our table, as this version of the kind has it: `settings` is a list of one in the first version of upjet's
 * cluster-scoped kinds, and an object in all others. Undefined where nothing tells which.
 */
function toPresentField({ kind, facts, desired, observed }: Candidate): TagField | undefined {
  const { field } = facts.tags;
  const block = field?.path.slice(0, -1) ?? [];
  if (field === undefined || block.length <= FOR_PROVIDER.length || !kind.group.endsWith(".upbound.io")) return field;
  const before = desired.at(block) ?? observed?.at(block);
  if (Array.isArray(before)) return { ...field, path: [...block, 0, ...field.path.slice(-1)] };
  const mayBeList = before === undefined && !kind.isNamespaced && kind.apiVersion.endsWith("/v1beta1");
  return mayBeList ? undefined : field;
}

const FOR_PROVIDER: FieldPath = ["spec", "forProvider"];
