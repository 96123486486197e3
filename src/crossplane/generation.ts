import type { Request } from "../model/request.ts";
import type { Composite } from "./composite.ts";

/**
 * Tells Crossplane v2 from v1: only v2 looks up resources in a selector's namespace. v1 ignores the namespace, and fails
 * the XR if the kind is namespaced. v2.0 and v2.1 advertise no capabilities, so only an XR of v2 tells them from v1.
 *
 * Crossplane v2 also runs XRs of v1, for which `isModern` is false.
 */
export const canSelectNamespaces = (
  { capabilities }: Pick<Request, "capabilities">,
  { isModern }: Pick<Composite, "isModern">,
): boolean => capabilities.size > 0 || isModern;
