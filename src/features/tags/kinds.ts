import { toApiGroup } from "../../crossplane/api-group.ts";
import { type ManagedKind, toManagedKind } from "../../crossplane/managed-resource.ts";
import { findFacts, type KindFacts } from "../../crossplane/providers/families.ts";
import type { TagField } from "../../crossplane/providers/table.ts";
import type { ResourceRule } from "../../input/tags.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";
import { fits } from "../../model/glob.ts";
import type { JsonValue } from "../../model/json.ts";
import { lazy } from "../../model/once.ts";
import type { DesiredAndObserved } from "../../ownership/fields.ts";
import type { Call } from "../feature.ts";
import { holdsTags, readShape, type TagMap, toTagMap } from "./tag-map.ts";

/** A kind, with its rule in the input and its facts in our tables. */
export interface KnownKind {
  readonly kind: ManagedKind;
  /** The entry of the input that selects the kind; undefined if none does. */
  readonly rule: ResourceRule | undefined;
  /** The facts include what the rule says. */
  readonly facts: KindFacts;
}

/** Makes a function that looks up a resource's kind, each kind once. */
export function kindsFor(rules: readonly ResourceRule[]): (resource: Document) => KnownKind {
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
  return { kind, rule, facts: rule === undefined ? facts : withRule(facts, rule) };
}

function withRule(facts: KindFacts, { fieldPath, externalNameFieldPath, scopeFieldPaths }: ResourceRule): KindFacts {
  const { identity, tags } = facts;
  const name = externalNameFieldPath && ({ is: "association", paths: [externalNameFieldPath] } as const);
  return {
    ...facts,
    tags: fieldPath ? { is: "known", field: { path: fieldPath, shape: undefined } } : tags,
    identity: { ...identity, name: name ?? identity.name, scope: [...identity.scope, ...scopeFieldPaths] },
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
  /** Reads the tags of the cloud resource that its provider reports. Lazy: few resources need them. */
  readonly cloud: () => TagMap;
  /** The field's value, or an empty one of its shape. */
  readonly like: JsonValue | undefined;
}

const NO_TAGS: TagMap = new Map();

/** Finds the tag field by the input, the resource, our table, and last the kind's schema; undefined where none is known. */
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

/** Maps a field of spec.forProvider to the field of status.atProvider that reports it. */
const toReportedPath = (path: FieldPath): FieldPath =>
  path[0] === "spec" && path[1] === "forProvider" ? ["status", "atProvider", ...path.slice(2)] : path;

/**
 * Adapts our table's field to this version of the kind. A block such as `settings` is a list of one item in the first version of
 * upjet's cluster-scoped kinds, and an object in all others. Undefined if nothing shows which of the two it is.
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

/** Looks for a field in the kind's schema, which Crossplane v2.2 and later can look up. */
function findInSchema({ kind: of }: KnownKind, tags: ResourceTags, call: Call): ResourceTags | undefined {
  const { apiVersion, kind } = of;
  if (!call.request.capabilities.has("RequiredSchemas")) return undefined;
  const answer = call.requirements.askSchema({ name: `tags/${apiVersion}/${kind}`, apiVersion, kind });
  if (answer.is === "pending") return { ...tags, isPending: true };
  const path = tags.path.flatMap((step) => ["properties", step]);
  const like = answer.is === "resolved" ? readShape(answer.schema.at(path)) : undefined;
  return like === undefined ? undefined : { ...tags, like };
}
