import type { Document } from "../model/document.ts";
import { hashText } from "../model/hash.ts";
import { isObject, type JsonObject, toPlainText } from "../model/json.ts";
import { toApiGroup, toGroupKind } from "./api-group.ts";
import type { Composite } from "./composite.ts";

/** The prefix of the hash that names a resource's composer: `ComposedFieldOwnerName` in Crossplane's composition_functions.go. */
const COMPOSED = "apiextensions.crossplane.io/composed/";

/** The field manager by which Crossplane writes an XR's references: `FieldOwnerXR` in the same file. */
export const REFERENCES_MANAGER = "apiextensions.crossplane.io/composite";

/** The entries of `metadata.managedFields`; none where a restore dropped them. */
export function readManagedFields(resource: Document): readonly JsonObject[] {
  const entries = resource.at(["metadata", "managedFields"]);
  return Array.isArray(entries) ? entries.filter(isObject) : [];
}

/** Reads the field managers by which XRs have composed the resource. */
export const readComposers = (resource: Document): readonly string[] =>
  readManagedFields(resource)
    .map(({ manager }) => toPlainText(manager))
    .filter((manager) => manager.startsWith(COMPOSED));

/** The field manager by which Crossplane applies what this XR composes. */
export function composerName({ apiVersion, kind, name }: Pick<Composite, "apiVersion" | "kind" | "name">): string {
  const groupKind = toGroupKind(kind, toApiGroup(apiVersion));
  return `${COMPOSED}${hashText(`${name}${groupKind}`)}`;
}
