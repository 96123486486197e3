import type { Request } from "../model/request.ts";
import type { Composite } from "./composite.ts";

/**
 * Tells whether this Crossplane takes a selector's namespace. v1 ignores it and then fails the whole XR, because it cannot get a
 * namespaced resource without one. v2.0 and v2.1 advertise no capabilities, but their XRs have `spec.crossplane`.
 */
export const canSelectNamespaces = (
  { capabilities }: Pick<Request, "capabilities">,
  { isModern }: Pick<Composite, "isModern">,
): boolean => capabilities.size > 0 || isModern;
