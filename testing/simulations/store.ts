import { findController } from "../../src/crossplane/metadata.ts";
import { groupBy } from "../../src/model/collections.ts";
import { documentOf } from "../../src/model/document.ts";
import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";
import type { ResourceSelector } from "../../src/model/requirement.ts";

/** The objects of a simulated API server. */

export interface Name {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

export const SECRET: Kind = { apiVersion: "v1", kind: "Secret" };
export const NAMESPACE: Kind = { apiVersion: "v1", kind: "Namespace" };

export class Store {
  readonly #objects = new Map<string, JsonObject>();
  #version = 0;

  get(kind: Kind, name: Name): JsonObject | undefined {
    return this.#objects.get(keyOf(kind, name));
  }

  /** Changes with each change of an object. */
  get version(): number {
    return this.#version;
  }

  /** Replaces the object of that kind and name. Each change has a resourceVersion, and each new spec a generation. */
  put(object: JsonObject): void {
    const key = keyOf(kindOf(object), nameOf(object));
    const before = this.#objects.get(key);
    if (before !== undefined && toText(before) === toText(object)) return;
    this.#version += 1;
    const generation = Number((before && metadataOf(before)["generation"]) ?? 0);
    const isSame = before !== undefined && JSON.stringify(before["spec"]) === JSON.stringify(object["spec"]);
    const written = { resourceVersion: String(this.#version), generation: isSame ? generation : generation + 1 };
    this.#objects.set(key, { ...object, metadata: { ...metadataOf(object), ...written } });
  }

  delete(kind: Kind, name: Name): void {
    if (this.#objects.delete(keyOf(kind, name))) this.#version += 1;
  }

  all({ apiVersion, kind }: Kind): readonly JsonObject[] {
    return [...this.#objects.values()].filter((found) => found["kind"] === kind && found["apiVersion"] === apiVersion);
  }

  get everything(): readonly JsonObject[] {
    return [...this.#objects.values()];
  }
}

function toText(object: JsonObject): string {
  const { resourceVersion: _, generation: __, ...metadata } = metadataOf(object);
  return JSON.stringify([metadata, { ...object, metadata: null }]);
}

const keyOf = ({ apiVersion, kind }: Kind, { namespace = "", name }: Name): string =>
  [apiVersion, kind, namespace, name].join(" ");

export const kindOf = ({ apiVersion, kind }: JsonObject): Kind => ({
  apiVersion: String(apiVersion),
  kind: String(kind),
});

export const metadataOf = (object: JsonObject): JsonObject => objectIn(object, "metadata");

/** The object in a field; empty where there is none. */
export function objectIn(object: JsonObject, field: string): JsonObject {
  const found = object[field];
  return isObject(found) ? found : {};
}

export function nameOf(object: JsonObject): Name & { readonly uid: string } {
  const { name, namespace, uid } = metadataOf(object);
  return {
    name: String(name),
    namespace: namespace === undefined ? namespace : String(namespace),
    uid: String(uid ?? ""),
  };
}

export function policiesOf(object: JsonObject = {}): readonly JsonValue[] {
  const policies = objectIn(object, "spec")["managementPolicies"];
  return Array.isArray(policies) ? policies : ["*"];
}

/** Tells whether a provider may do something to what a managed resource stands for. */
export const may = (object: JsonObject | undefined, action: "Create" | "Update" | "Delete"): boolean =>
  policiesOf(object).some((policy) => policy === "*" || policy === action);

/** The UID of its controller; undefined where it has none. */
export const controllerOf = (object: JsonObject): string | undefined => findController(documentOf(object))?.uid;

/**
 * Answers selectors from these objects, as Crossplane v2 does: by name or by labels, in one namespace or in all. A cluster-scoped
 * object is found by its name with any namespace.
 */
export function lookUpIn(objects: readonly JsonObject[]): (selector: ResourceSelector) => readonly JsonObject[] {
  const toKind = ({ apiVersion, kind }: JsonObject | Kind): string => `${String(apiVersion)} ${String(kind)}`;
  const byKind = groupBy(objects, toKind);
  return ({ match, namespace, ...kind }) =>
    (byKind.get(toKind(kind)) ?? []).filter((object) => {
      const { namespace: own, name } = metadataOf(object);
      const isThere = namespace === undefined || own === namespace;
      if ("name" in match) return name === match.name && (isThere || own === undefined);
      return isThere && hasLabels(objectIn(metadataOf(object), "labels"), match.labels);
    });
}

const hasLabels = (labels: JsonObject, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
