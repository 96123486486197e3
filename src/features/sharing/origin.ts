import { toApiGroup } from "../../crossplane/api-group.ts";
import { annotationOf } from "../../crossplane/metadata.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { isObject, type JsonValue } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import type { ResourceSelector } from "../../model/requirement.ts";

/** The annotation of what is composed for a copy: the shared resource that the copy was made from. */
export const SHARED_RESOURCE = `${DOMAIN}/shared-resource`;

/** The annotation that lists the ones before it, until the provider has written what comes from the new one. */
export const EARLIER_RESOURCES = `${DOMAIN}/earlier-shared-resources`;

/** The shared resource that a copy was made from. */
export interface Origin {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

export const toOrigin = (resource: Document): Origin => ({
  apiVersion: stringAt(resource, ["apiVersion"]) ?? "",
  kind: stringAt(resource, ["kind"]) ?? "",
  namespace: stringAt(resource, ["metadata", "namespace"]),
  name: stringAt(resource, ["metadata", "name"]) ?? "",
});

export const formatOrigin = (origin: Origin): string => JSON.stringify(toJson(origin));

export const formatOrigins = (origins: readonly Origin[]): string => JSON.stringify(origins.map(toJson));

const toJson = ({ apiVersion, kind, namespace, name }: Origin) => ({ apiVersion, kind, namespace, name });

/** Reads the origin that is recorded on what is composed for a copy; undefined where there is none, or no whole one. */
export const readOrigin = (composed: Document): Origin | undefined =>
  parseOrigin(parse(annotationOf(composed, SHARED_RESOURCE) ?? ""));

/** Reads the origins of what may still be in the copy. */
export function readEarlierOrigins(composed: Document): readonly Origin[] {
  const recorded = parse(annotationOf(composed, EARLIER_RESOURCES) ?? "");
  return Array.isArray(recorded) ? recorded.flatMap((item) => parseOrigin(item) ?? []) : [];
}

function parseOrigin(recorded: JsonValue | undefined): Origin | undefined {
  if (!isObject(recorded)) return undefined;
  const { apiVersion, kind, namespace, name } = recorded;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || typeof name !== "string") return undefined;
  return { apiVersion, kind, namespace: typeof namespace === "string" ? namespace : undefined, name };
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same for two origins that are one resource, in whichever version of its API. */
export const originKey = ({ apiVersion, kind, namespace = "", name }: Origin): string =>
  [toApiGroup(apiVersion), kind, namespace, name].join("/");

export const toSelector = ({ apiVersion, kind, namespace, name }: Origin): ResourceSelector => ({
  apiVersion,
  kind,
  namespace,
  match: { name },
});
