import type { Request } from "../model/request.ts";
import type { Composite } from "./composite.ts";

/**
 * Tells Crossplane v2 from v1: whether it supports a namespace in a selector. v1 ignores it, and fails the XR if the kind is namespaced. v2.0 and
 * v2.1 advertise no capabilities: an XR with `spec.crossplane` or a namespace proves them, and for a legacy XR the answer is false.
 */
export const canSelectNamespaces = (
  { capabilities }: Pick<Request, "capabilities">,
  { isModern }: Pick<Composite, "isModern">,
): boolean => capabilities.size > 0 || isModern;
