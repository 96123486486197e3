import { groupBy } from "../../src/model/collections.ts";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import type { ResourceSelector } from "../../src/model/requirement.ts";

/**
 * Answers selectors from these objects, as Crossplane v2 does: by name or by labels, in one namespace or in all. A cluster-scoped
 * object is found by its name with any namespace.
 */
export function lookUpIn(objects: readonly JsonObject[]): (selector: ResourceSelector) => readonly JsonObject[] {
  const byKind = groupBy(objects, kindOf);
  const byName = groupBy(objects, (object) => `${kindOf(object)} ${String(metadataOf(object)["name"])}`);
  return ({ match, namespace, ...kind }) => {
    const isNamed = "name" in match;
    const found = isNamed ? byName.get(`${kindOf(kind)} ${match.name}`) : byKind.get(kindOf(kind));
    return (found ?? []).filter((object) => {
      const { namespace: own, labels } = metadataOf(object);
      const isThere = namespace === undefined || own === namespace || (isNamed && own === undefined);
      return isThere && (isNamed || hasLabels(labels, match.labels));
    });
  };
}

const kindOf = ({ apiVersion, kind }: { readonly apiVersion?: unknown; readonly kind?: unknown }): string =>
  `${String(apiVersion)} ${String(kind)}`;

const metadataOf = ({ metadata = {} }: JsonObject): JsonObject => (isObject(metadata) ? metadata : {});

const hasLabels = (labels: unknown, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(
    ([key, value]) => isObject(labels) && Object.hasOwn(labels, key) && labels[key] === value,
  );
