import type { Composite } from "../../model/composite.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { ResourceSelector } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";

/** A resource that the XR says it has composed. */
export interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  /** Undefined for a cluster-scoped resource. */
  readonly namespace: string | undefined;
  readonly name: string;
}

const MODERN = ["spec", "crossplane", "resourceRefs"];
const LEGACY = ["spec", "resourceRefs"];

/** Where Crossplane keeps them: its own fields have moved in v2. */
export const referencesPath = ({ isModern }: Composite): readonly string[] => (isModern ? MODERN : LEGACY);

/** Whether a composed resource is itself an XR that has composed something. */
export const hasReferences = (resource: Document): boolean =>
  [MODERN, LEGACY].some((path) => {
    const references = resource.at(path);
    return Array.isArray(references) && references.length > 0;
  });

/**
 * The references whose resources are not observed: what Crossplane did not find, and what somebody else controls. It
 * observes nothing but what is referenced, so where there are as many of one as of the other there are none, and nothing
 * has to be read.
 */
export function unobserved({ composite, request }: Call): readonly Reference[] {
  const references = new Map(toReferences(composite).map((reference) => [keyOf(reference), reference]));
  const { resources } = request.observed;
  if (references.size === resources.size) return [];
  for (const { document } of resources.values()) references.delete(keyOf(toReference(document)));
  return [...references.keys()].sort().flatMap((key) => references.get(key) ?? []);
}

/** Those without a name are placeholders of Crossplane v1's own composition engine; Crossplane skips them too. */
export function toReferences(composite: Composite): readonly Reference[] {
  const references = composite.document.at(referencesPath(composite));
  if (!Array.isArray(references)) return [];
  const text = (reference: JsonObject, key: string): string => String(reference[key] ?? "");
  return references
    .filter(isObject)
    .filter((reference) => text(reference, "name") !== "")
    .map((reference) => ({
      apiVersion: text(reference, "apiVersion"),
      kind: text(reference, "kind"),
      // A namespaced XR composes into its own namespace only, and does not say so in each reference.
      namespace: composite.namespace ?? (text(reference, "namespace") || undefined),
      name: text(reference, "name"),
    }));
}

export const toReference = (resource: Document): Reference => ({
  apiVersion: stringAt(resource, ["apiVersion"]) ?? "",
  kind: stringAt(resource, ["kind"]) ?? "",
  namespace: stringAt(resource, ["metadata", "namespace"]),
  name: stringAt(resource, ["metadata", "name"]) ?? "",
});

const keyOf = ({ apiVersion, kind, namespace = "", name }: Reference): string =>
  [apiVersion, kind, namespace, name].join("/");

/** The kind and the name as kubectl takes them: `Bucket.s3.aws.upbound.io/orders`, with the namespace before the name. */
export function nameOf({ apiVersion, kind, namespace, name }: Reference): string {
  return [`${kind}${suffixOf(apiVersion)}`, namespace, name].filter((part) => part !== undefined).join("/");
}

/** The group of an API version, with a dot before it; nothing for the core group. */
const suffixOf = (apiVersion: string): string => (apiVersion.includes("/") ? `.${apiVersion.split("/")[0]}` : "");

/** The name of the requirement that looks a reference up. */
export const requirementOf = (reference: Reference): string => `adoption/${nameOf(reference)}`;

export const selectorOf = ({ apiVersion, kind, namespace, name }: Reference): ResourceSelector => ({
  apiVersion,
  kind,
  ...(namespace !== undefined && { namespace }),
  match: { name },
});

/**
 * Whether Crossplane can look a reference up. Its kind is installed: Crossplane itself gets every reference before it calls
 * a function, and fails the XR where a kind is missing, as while a provider is not back yet. But v1 knows no namespaces.
 */
export const canBeRequired = ({ namespace }: Reference, { request, composite }: Call): boolean =>
  namespace === undefined || request.capabilities.size > 0 || composite.isModern;
