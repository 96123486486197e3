import { type Document, stringAt } from "../../model/document.ts";
import { DOMAIN } from "../../model/names.ts";

/** Namespaces, separated by commas, that the shared resource's owner lets its connection Secret be copied to; `*` for all. */
export const ALLOWED_NAMESPACES = `${DOMAIN}/allowed-namespaces`;

/**
 * Tells whether the owner of a shared resource grants a namespace its connection details. The annotation lies on the shared
 * resource, so whoever wants access cannot grant it to himself.
 */
export function grants(resource: Document, namespace: string): boolean {
  const allowed = stringAt(resource, ["metadata", "annotations", ALLOWED_NAMESPACES]) ?? "";
  const namespaces = allowed.split(",").map((name) => name.trim());
  return namespaces.includes("*") || namespaces.includes(namespace);
}
