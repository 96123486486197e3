import { toApiGroup } from "../../crossplane/api-group.ts";
import { type ManagedKind, toManagedKind } from "../../crossplane/managed-resource.ts";
import { findFacts, type IdentityFacts, type KindFacts } from "../../crossplane/providers/families.ts";
import { listReferences } from "../../crossplane/providers/reference-names.ts";
import type { TagField } from "../../crossplane/providers/table.ts";
import type { ResourceRule } from "../../input/tags.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { type FieldPath, formatFieldPath, valueAt } from "../../model/field-path.ts";
import { fits } from "../../model/glob.ts";
import { isObject, type JsonValue } from "../../model/json.ts";
import { cache, lazy } from "../../model/once.ts";
import type { SchemaAnswer } from "../../model/requirement.ts";
import type { DesiredAndObserved } from "../../ownership/fields.ts";
import type { Call } from "../feature.ts";
import { holdsTags, readShape, type TagMap, toTagMap } from "./tag-map.ts";

/** A kind, with its rule in the input and its facts in our tables. */
export interface KnownKind {
  readonly kind: ManagedKind;
  /** The entry of the input that selects the kind; undefined if none does. */
  readonly rule: ResourceRule | undefined;
  /** The facts of our tables, with the fields that the rule names. */
  readonly facts: KindFacts;
  /** Asks for the kind's schema. Undefined if the tables list the kind, or if no rule selects it, or if the rule has scopeFieldPaths. */
  readonly askFields: (() => SchemaFields) | undefined;
}

/** The fields that count to the identity even as literals, by the kind's schema; undefined where Crossplane has no schema. */
type SchemaFields = ReadonlySet<string> | "pending" | undefined;

/** Makes a function that looks up a resource's kind, each kind once. */
export function kindsFor(rules: readonly ResourceRule[], call: Call): (resource: Document) => KnownKind {
  const known = cache<KnownKind>();
  return (resource) => {
    const [apiVersion = "", name = ""] = [stringAt(resource, ["apiVersion"]), stringAt(resource, ["kind"])];
    return known(`${apiVersion} ${name}`, () => toKnownKind(toManagedKind(apiVersion, name), rules, call));
  };
}

function toKnownKind(kind: ManagedKind, rules: readonly ResourceRule[], call: Call): KnownKind {
  const groups = [toApiGroup(kind.apiVersion), kind.group];
  const rule = rules.find((each) => groups.some((group) => fits(group, each.apiGroup)) && fits(kind.kind, each.kind));
  const found = findFacts(kind.group, kind.kind);
  if (rule === undefined) return { kind, rule, facts: found, askFields: undefined };
  const facts = withRule(found, rule);
  // With scopeFieldPaths the schema is not asked, so that a user can leave out a field that changes in place.
  const isTold = !found.identity.isUnknownKind || rule.scopeFieldPaths.length > 0;
  const askFields = isTold ? undefined : lazy(() => askReferable(kind, facts.identity, call));
  return { kind, rule, facts, askFields };
}

/**
 * Applies the input's rule for a kind. A name from `externalNameFieldPath` counts as the name of an association: a reference may fill in
 * the field later, and the provider makes up the external name.
 */
function withRule(facts: KindFacts, { fieldPath, externalNameFieldPath, scopeFieldPaths }: ResourceRule): KindFacts {
  const { identity, tags } = facts;
  const name = externalNameFieldPath && ({ is: "association", paths: [externalNameFieldPath] } as const);
  const known = new Set(identity.scope.map(formatFieldPath));
  // A name that is unique in the whole cloud identifies without further fields.
  const paths = identity.isUnique ? [] : scopeFieldPaths.map(formatFieldPath);
  const added = paths.filter((path) => !known.has(path));
  return {
    ...facts,
    tags: fieldPath ? { is: "known", field: { path: fieldPath, shape: undefined } } : tags,
    identity: { ...identity, name: name ?? identity.name, ...(added.length > 0 && { added: new Set(added) }) },
  };
}

/** The tags of a resource by source, and their field. */
export interface ResourceTags {
  readonly path: FieldPath;
  /** True until Crossplane has answered whether the kind has the field. */
  readonly isPending: boolean;
  /** The tags that earlier steps desire. */
  readonly desired: TagMap;
  /** The tags in the spec of the observed managed resource. */
  readonly spec: TagMap;
  /** Reads the cloud resource's tags as the provider reports them. Lazy: few resources need them. */
  readonly cloud: () => TagMap;
  /** The field's value, or an empty value of the same shape. */
  readonly like: JsonValue | undefined;
}

const NO_TAGS: TagMap = new Map();

/** Reads a resource's tags; undefined unless the input, the resource, our tables, or last the kind's schema show that the field exists. */
export function findTags(known: KnownKind, pair: DesiredAndObserved, call: Call): ResourceTags | undefined {
  const { is } = known.facts.tags;
  const { path, shape } = toPresentField(known, pair) ?? {};
  if (path === undefined) return undefined;
  const [wanted, spec] = [pair.desired.at(path), pair.observed?.at(path)];
  const set = wanted ?? spec ?? undefined; // null is not set
  // A field called `tags` may hold something else, such as a list in a kind without tags.
  if (!holdsTags(set ?? [], is !== "none")) return undefined;
  const tags: ResourceTags = {
    path,
    isPending: false,
    desired: toTagMap(wanted) ?? NO_TAGS,
    spec: toTagMap(spec) ?? NO_TAGS,
    cloud: lazy(() => toTagMap(pair.observed?.at(toReportedPath(path))) ?? NO_TAGS),
    like: set ?? shape,
  };
  return set === undefined && is === "unknown" ? findInSchema(known, tags, call) : tags;
}

/** Maps a field of spec.forProvider to the field of status.atProvider that reports its value. Other fields map to themselves. */
const toReportedPath = (path: FieldPath): FieldPath =>
  path[0] === "spec" && path[1] === "forProvider" ? ["status", "atProvider", ...path.slice(2)] : path;

/**
 * Adapts our table's field to this version of the kind; undefined if nothing shows the field's path. A block such as `settings` is a list
 * of one item in the first version of upjet's cluster-scoped kinds, and an object in all other kinds and versions.
 */
function toPresentField(
  { kind, rule, facts }: KnownKind,
  { desired, observed }: DesiredAndObserved,
): TagField | undefined {
  const { field } = facts.tags;
  const block = field?.path.slice(0, -1) ?? [];
  const isFixed = rule?.fieldPath !== undefined || block.length <= FOR_PROVIDER.length;
  if (field === undefined || isFixed || !kind.group.endsWith(".upbound.io")) return field;
  const before = desired.at(block) ?? observed?.at(block);
  if (Array.isArray(before)) return { ...field, path: [...block, 0, ...field.path.slice(-1)] };
  const mayBeList = before === undefined && !kind.isNamespaced && kind.apiVersion.endsWith("/v1beta1");
  return mayBeList ? undefined : field;
}

export const FOR_PROVIDER: FieldPath = ["spec", "forProvider"];

/** Asks for the schema of a kind; undefined before Crossplane v2.2, which cannot look it up. */
const askSchema = ({ apiVersion, kind }: ManagedKind, { request, requirements }: Call): SchemaAnswer | undefined =>
  request.capabilities.has("RequiredSchemas")
    ? requirements.askSchema({ name: `tags/${apiVersion}/${kind}`, apiVersion, kind })
    : undefined;

const toSchemaPath = (path: FieldPath): FieldPath => path.flatMap((step) => ["properties", step]);

/** Looks for the tag field in the kind's schema; undefined if the schema has none, or is not known. */
function findInSchema({ kind }: KnownKind, tags: ResourceTags, call: Call): ResourceTags | undefined {
  const answer = askSchema(kind, call);
  if (answer?.is === "pending") return { ...tags, isPending: true };
  const like = answer?.is === "resolved" ? readShape(answer.schema.at(toSchemaPath(tags.path))) : undefined;
  return like === undefined ? undefined : { ...tags, like };
}

/**
 * Asks for the kind's schema, and finds the outermost fields that a reference can fill in. Most name a parent, and two parents may have
 * resources of one name. Lists do not count: a resource belongs to one parent, and uses several subnets or security groups, which change
 * in place.
 */
function askReferable(kind: ManagedKind, { name, scope }: IdentityFacts, call: Call): SchemaFields {
  const answer = askSchema(kind, call);
  if (answer?.is !== "resolved") return answer?.is === "pending" ? answer.is : undefined;
  const fields = answer.schema.at([...toSchemaPath(FOR_PROVIDER), "properties"]);
  if (!isObject(fields)) return new Set();
  const counted = [...scope, ...("paths" in name ? name.paths : [])].map((path) => path.at(-1));
  const isReferable = (field: string): boolean =>
    ["string", "integer", "number"].includes(String(valueAt(fields, [field, "type"]))) &&
    !counted.includes(field) &&
    listReferences(field).some((reference) => Object.hasOwn(fields, reference));
  return new Set(Object.keys(fields).filter(isReferable).sort());
}
