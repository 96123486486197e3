import { compareTexts } from "../../src/model/collections.ts";
import { valueAt } from "../../src/model/field-path.ts";
import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";
import type { Inputs } from "./inputs.ts";
import { metadataMap, metadataString, objectAt } from "./objects.ts";
import {
  type Requirements,
  type ResourceSelector,
  type Resources,
  type Schema,
  type SchemaSelector,
  toStruct,
} from "./protocol.ts";

/**
 * Finds the resources in the files that a selector would find in a cluster, sorted by name. Without a
 * namespace, a name finds cluster-scoped resources only, and labels find resources in all namespaces.
 */
export function findResources(selector: ResourceSelector, resources: readonly JsonObject[]): Resources {
  const { apiVersion, kind, matchName = "", matchLabels, namespace = "" } = selector;
  const isMatch = (object: JsonObject): boolean => {
    if (object["apiVersion"] !== apiVersion || object["kind"] !== kind) return false;
    const isThere = metadataString(object, "namespace") === namespace;
    if (matchLabels === undefined) return isThere && readName(object) === matchName;
    const labels = metadataMap(object, "labels");
    const hasLabels = Object.entries(matchLabels.labels).every(([key, value]) => labels[key] === value);
    return (isThere || namespace === "") && hasLabels;
  };
  const found = resources.filter(isMatch).sort((a, b) => compareTexts(readName(a), readName(b)));
  const chosen = matchLabels === undefined ? found.slice(0, 1) : found;
  return { items: chosen.map((object) => ({ resource: toStruct(object) })) };
}

/** Matches this function's requirements of shared resources. Other requirements may go without a resource in the files. */
const SHARED = /^shared-resource\/[^/#]+#/;

/**
 * Finds required kinds that the files have in another version only; a cluster that serves both would convert them. Of
 * shared resources, finds kinds in another API group and missing kinds, too.
 */
export function findUnmatchedKinds(requirements: Requirements["resources"], resources: readonly JsonObject[]) {
  const groupOf = (apiVersion: JsonValue | undefined): string => String(apiVersion).replace(/[^/]*$/, "");
  const found = Object.entries(requirements).flatMap(([name, { apiVersion, kind }]) => {
    const isShared = SHARED.test(name);
    const ofAnyGroup = resources.filter((each) => each["kind"] === kind).map((each) => String(each["apiVersion"]));
    const ofGroup = ofAnyGroup.filter((each) => groupOf(each) === groupOf(apiVersion));
    const versions = new Set(ofGroup.length === 0 && isShared ? ofAnyGroup : ofGroup);
    if (versions.has(apiVersion) || (versions.size === 0 && !isShared)) return [];
    const there = versions.size === 0 ? "no file has this kind" : `the files have it in ${[...versions].join(", ")}`;
    return [`${kind} is required in ${apiVersion}, and ${there}`];
  });
  return [...new Set(found)];
}

const readName = (object: JsonObject): string => metadataString(object, "name");

/** The prefix of requirements that ask whether a kind is served. */
const SERVED = "served/";

/** Finds schemas. A kind with a resource in the files counts as served, even if no file has its schema. */
export function findSchemas(selectors: Readonly<Record<string, SchemaSelector>>, { schemas, required }: Inputs) {
  const isThere = ({ apiVersion, kind }: SchemaSelector): boolean =>
    required.some((each) => each["apiVersion"] === apiVersion && each["kind"] === kind);
  const find = (name: string, selector: SchemaSelector): Schema => {
    const found = findSchema(selector, schemas);
    const isServed = found.openapiV3 === undefined && name.startsWith(SERVED) && isThere(selector);
    return isServed ? { openapiV3: toStruct({}) } : found;
  };
  return Object.fromEntries(Object.entries(selectors).map(([name, selector]) => [name, find(name, selector)]));
}

/** Finds the schema of a kind, with references unresolved; empty if there is none. */
export function findSchema(selector: SchemaSelector, schemas: readonly JsonValue[]): Schema {
  const found = schemas.find((schema) => isSchemaOf(schema, selector));
  return isObject(found) ? { openapiV3: toStruct(found) } : {};
}

/** Tells whether a schema is that of the kind alone. Schemas of several kinds, such as DeleteOptions, do not count. */
function isSchemaOf(schema: JsonValue, { apiVersion, kind }: SchemaSelector): boolean {
  const kinds = valueAt(schema, ["x-kubernetes-group-version-kind"]);
  const [only = null] = Array.isArray(kinds) && kinds.length === 1 ? kinds : [];
  const { group = "", version = "", kind: own } = objectAt(only);
  return (group === "" ? version : `${group}/${version}`) === apiVersion && own === kind;
}
