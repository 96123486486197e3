import { groupBy } from "../../src/model/collections.ts";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import type { ResourceSelector } from "../../src/model/requirement.ts";

/**
 * Answers selectors from these objects, as Crossplane v2 does: by name or by labels, in one namespace or in all. A cluster-scoped
 * object is found by its name with any namespace.
 */
export function lookUpIn(objects: readonly JsonObject[]): (selector: ResourceSelector) => readonly JsonObject[] {
  const byKind = groupBy(objects, kindOf);
  const byName = groupBy(objects, (object) => `${kindOf(object)} ${metadataOf(object).name}`);
  return ({ match, namespace, ...kind }) => {
    const found = "name" in match ? byName.get(`${kindOf(kind)} ${match.name}`) : byKind.get(kindOf(kind));
    return (found ?? []).filter((object) => {
      const metadata = metadataOf(object);
      const isLabelled = "name" in match || hasLabels(metadata.labels, match.labels);
      const isClusterScoped = "name" in match && metadata.namespace === undefined;
      return isLabelled && (namespace === undefined || metadata.namespace === namespace || isClusterScoped);
    });
  };
}

const kindOf = ({ apiVersion, kind }: { readonly apiVersion?: unknown; readonly kind?: unknown }): string =>
  `${String(apiVersion)} ${String(kind)}`;

interface Metadata {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly labels: JsonObject;
}

function metadataOf(object: JsonObject): Metadata {
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  const { name, namespace, labels } = metadata;
  return {
    name: String(name),
    namespace: typeof namespace === "string" ? namespace : undefined,
    labels: isObject(labels) ? labels : {},
  };
}

const hasLabels = (labels: JsonObject, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
