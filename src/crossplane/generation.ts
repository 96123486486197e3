import type { Request } from "../model/request.ts";
import type { Composite } from "./composite.ts";

/**
 * Tells whether Crossplane supports a namespace in a selector, as v2 does. v1 ignores it, and fails the XR if the kind
 * is namespaced. v2.0 and v2.1 advertise no capabilities: they are recognized by an XR with `spec.crossplane` or a
 * namespace, and taken for v1 otherwise.
 *
 * The XR's own schema is told by `Composite.isModern`, and the fields of the response by `wire/response.ts`.
 */
export const canSelectNamespaces = (
  { capabilities }: Pick<Request, "capabilities">,
  { isModern }: Pick<Composite, "isModern">,
): boolean => capabilities.size > 0 || isModern;
