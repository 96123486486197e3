import { toApiGroup } from "../../crossplane/api-group.ts";
import { type ManagedKind, toManagedKind } from "../../crossplane/managed-resource.ts";
import { findFacts, type IdentityFacts, type KindFacts } from "../../crossplane/providers/families.ts";
import type { TagField } from "../../crossplane/providers/table.ts";
import type { ResourceRule } from "../../input/tags.ts";
import { type Document, documentOf, stringAt } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";
import { isObject, type JsonValue } from "../../model/json.ts";
import type { Call } from "../feature.ts";
import { fits } from "./glob.ts";
import { readShape, type TagMap, toTagMap } from "./tag-map.ts";

/** A kind, with its rule in the input and its facts in our tables. */
export interface KnownKind {
  readonly kind: ManagedKind;
  /** The entry of the input that selects the kind; undefined if none does. */
  readonly rule: ResourceRule | undefined;
  /** The identifying fields include those of the input. */
  readonly facts: KindFacts;
}

/** The rule of an input without `resources`. */
const EVERY_KIND: ResourceRule = {
  apiGroup: "*",
  kind: "*",
  fieldPath: undefined,
  externalNameFieldPath: undefined,
  scopeFieldPaths: [],
  managementPolicies: true,
};

/** Makes a function that looks up each kind once: an XR composes many resources of few kinds. */
export function kindsFor({ input }: Call): (resource: Document) => KnownKind {
  const rules = input.spec.tags?.resources ?? [EVERY_KIND];
  const known = new Map<string, KnownKind>();
  return (resource) => {
    const [apiVersion = "", name = ""] = [stringAt(resource, ["apiVersion"]), stringAt(resource, ["kind"])];
    const key = `${apiVersion} ${name}`;
    const kind = known.get(key) ?? toKnownKind(toManagedKind(apiVersion, name), rules);
    known.set(key, kind);
    return kind;
  };
}

function toKnownKind(kind: ManagedKind, rules: readonly ResourceRule[]): KnownKind {
  const groups = [toApiGroup(kind.apiVersion), kind.group];
  const rule = rules.find((each) => groups.some((group) => fits(group, each.apiGroup)) && fits(kind.kind, each.kind));
  const facts = findFacts(kind.group, kind.kind);
  return { kind, rule, facts: { ...facts, identity: withNamedFields(facts.identity, rule) } };
}

/** Adds the identifying fields that the input names. */
function withNamedFields(facts: IdentityFacts, rule: ResourceRule | undefined): IdentityFacts {
  if (rule === undefined) return facts;
  const { externalNameFieldPath, scopeFieldPaths } = rule;
  return {
    ...facts,
    name: externalNameFieldPath === undefined ? facts.name : { is: "association", paths: [externalNameFieldPath] },
    scope: [...facts.scope, ...scopeFieldPaths],
  };
}

/** A desired managed resource, the entry of the input that selects it, and the facts about its kind. */
interface SelectedResource extends Omit<KnownKind, "rule"> {
  readonly rule: ResourceRule;
  readonly desired: Document;
  readonly observed: Document | undefined;
}

/** The tag field of a resource. */
export interface FoundField {
  readonly field: TagField;
  /** True until Crossplane has answered whether the kind has it. */
  readonly isPending?: boolean;
  /** The desired and the observed value. */
  readonly value?: JsonValue | undefined;
  readonly spec?: JsonValue | undefined;
  /** The tags in the desired value, or without one in the observed value. */
  readonly tags?: TagMap | undefined;
}

/** Finds the tag field by the input, the resource, our table, and last the kind's schema; undefined where none is known. */
export function findTagField(selected: SelectedResource, call: Call): FoundField | undefined {
  const { rule, facts, desired, observed } = selected;
  const { is, field } =
    rule.fieldPath === undefined
      ? { is: facts.tags.is, field: toPresentField(selected) }
      : { is: "known" as const, field: { path: rule.fieldPath, shape: undefined } };
  if (field === undefined) return undefined;
  const [value, spec] = [desired.at(field.path), observed?.at(field.path)];
  const set = value ?? spec;
  if (set === undefined && is === "unknown") return findInSchema(selected, field.path, call);
  if (set === undefined) return is === "known" ? { field } : undefined;
  // A field called `tags` may hold something else, such as a list in a kind without tags.
  const tags = toTagMap(set);
  const holdsTags = is === "none" ? isObject(set) : tags !== undefined;
  return holdsTags ? { field, value, spec, tags } : undefined;
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

/** Looks for a field in the kind's schema, which Crossplane v2.2 and later can look up. */
function findInSchema({ kind: of }: KnownKind, path: FieldPath, call: Call): FoundField | undefined {
  const { apiVersion, kind } = of;
  if (!call.request.capabilities.has("RequiredSchemas")) return undefined;
  const answer = call.requirements.askSchema({ name: `tags/${apiVersion}/${kind}`, apiVersion, kind });
  if (answer.is === "pending") return { field: { path, shape: undefined }, isPending: true };
  const schema = answer.is === "resolved" ? answer.schema.at(path.flatMap((step) => ["properties", step])) : undefined;
  const shape = isObject(schema) ? readShape(documentOf(schema)) : undefined;
  return shape === undefined ? undefined : { field: { path, shape } };
}
