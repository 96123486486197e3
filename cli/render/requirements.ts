import { compareTexts } from "../../src/model/collections.ts";
import { isObject, type JsonObject, type JsonValue, ownValue } from "../../src/model/json.ts";
import { metadataMap, metadataString } from "./objects.ts";
import { type ResourceSelector, type Resources, type Schema, type SchemaSelector, toStruct } from "./protocol.ts";

/**
 * Finds the resources in the files that a selector would find in a cluster, in its namespace, sorted by name. Without a namespace, a
 * name finds cluster-scoped resources only, and labels find resources in all namespaces.
 */
export function findResources(selector: ResourceSelector, resources: readonly JsonObject[]): Resources {
  const { apiVersion, kind, matchName = "", matchLabels, namespace = "" } = selector;
  const isMatch = (object: JsonObject): boolean => {
    if (object["apiVersion"] !== apiVersion || object["kind"] !== kind) return false;
    const isThere = metadataString(object, "namespace") === namespace;
    if (matchLabels === undefined) return isThere && readName(object) === matchName;
    return (isThere || namespace === "") && hasLabels(object, matchLabels.labels);
  };
  const found = resources.filter(isMatch).sort((a, b) => compareTexts(readName(a), readName(b)));
  return {
    items: (matchLabels === undefined ? found.slice(0, 1) : found).map((object) => ({ resource: toStruct(object) })),
  };
}

/** Finds kinds that the files have in another version only: a cluster that serves both converts between them. */
export function findOtherVersions(selectors: readonly ResourceSelector[], resources: readonly JsonObject[]) {
  const groupOf = (apiVersion: JsonValue | undefined): string => String(apiVersion).replace(/[^/]*$/, "");
  const found = selectors.flatMap(({ apiVersion, kind }) => {
    const alike = resources.filter(
      (each) => each["kind"] === kind && groupOf(each["apiVersion"]) === groupOf(apiVersion),
    );
    const versions = new Set(alike.map((each) => String(each["apiVersion"])));
    if (versions.size === 0 || versions.has(apiVersion)) return [];
    return [`${kind} is required in ${apiVersion}, and the files have it in ${[...versions].join(", ")}`];
  });
  return [...new Set(found)];
}

const readName = (object: JsonObject): string => metadataString(object, "name");

function hasLabels(object: JsonObject, wanted: Readonly<Record<string, string>>): boolean {
  const labels = metadataMap(object, "labels");
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

/** Finds the schema of a kind, references in it unresolved; the answer is empty if there is none. */
export function findSchema(selector: SchemaSelector, schemas: readonly JsonValue[]): Schema {
  const found = schemas.find((schema) => isSchemaOf(schema, selector));
  return isObject(found) ? { openapiV3: toStruct(found) } : {};
}

/** Tells whether a schema is that of the kind alone: those of several kinds, such as DeleteOptions, do not count. */
function isSchemaOf(schema: JsonValue, { apiVersion, kind }: SchemaSelector): boolean {
  const kinds = isObject(schema) ? schema["x-kubernetes-group-version-kind"] : undefined;
  const [only] = Array.isArray(kinds) && kinds.length === 1 ? kinds : [];
  if (!isObject(only)) return false;
  const group = String(ownValue(only, "group") ?? "");
  const version = String(ownValue(only, "version") ?? "");
  return (group === "" ? version : `${group}/${version}`) === apiVersion && only["kind"] === kind;
}
