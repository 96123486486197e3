import type { JsonObject } from "../model/json.ts";
import type { Request } from "../model/request.ts";
import { type Composite, canSelectNamespaces } from "./composite.ts";

/**
 * Composes a Usage that protects an XR from deletion: Crossplane's webhook refuses it with this reason. Crossplane v2 has a kind for
 * namespaced and one for cluster-scoped resources; v1 (since v1.19) has one kind, which v2 still serves.
 */
export function composeUsage(composite: Composite, reason: string, request: Pick<Request, "capabilities">): JsonObject {
  const { apiVersion, kind, name, namespace } = composite;
  const spec = { of: { apiVersion, kind, resourceRef: { name } }, reason };
  return canSelectNamespaces(request, composite)
    ? { apiVersion: "protection.crossplane.io/v1beta1", kind: namespace === undefined ? "ClusterUsage" : "Usage", spec }
    : { apiVersion: "apiextensions.crossplane.io/v1beta1", kind: "Usage", spec };
}
