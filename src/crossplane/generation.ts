import type { Request } from "../model/request.ts";
import type { Composite } from "./composite.ts";

/**
 * Tells whether Crossplane surely looks up resources in a selector's namespace, as v2 does. v1 ignores the namespace, and
 * fails the XR if the kind is namespaced.
 *
 * v2.2 and later are recognized by their capabilities. v2.0 and v2.1 advertise none, like v1, so only an XR of v2
 * (`isModern`) proves them: for an XR of v1, which Crossplane v2 runs too, the answer is false.
 */
export const canSelectNamespaces = (
  { capabilities }: Pick<Request, "capabilities">,
  { isModern }: Pick<Composite, "isModern">,
): boolean => capabilities.size > 0 || isModern;

/** The end of a message where `canSelectNamespaces` is false. */
export const NEEDS_V2 = "needs Crossplane v2.2 or later, or v2.0 or v2.1 with an XRD of scope Namespaced or Cluster";
