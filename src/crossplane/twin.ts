import { isNamespacedGroup, toApiGroup, withoutScope } from "./api-group.ts";
import { findFacts } from "./providers/families.ts";

/** The providers whose cluster-scoped kinds have namespaced twins. */
const PROVIDERS = /\.upbound\.io$|(?<=^kubernetes)\.crossplane\.io$/;

/**
 * Finds the apiVersion of a kind's twin, which manages the same cloud resources: `s3.aws.m.upbound.io/v1beta1` of
 * `s3.aws.upbound.io/v1beta2`, and the other way round. Undefined for a kind that cannot have one; whether it is served, a required
 * schema tells.
 */
export function findTwin(apiVersion: string, kind: string): string | undefined {
  const group = toApiGroup(apiVersion);
  const legacy = withoutScope(group);
  if (!PROVIDERS.test(legacy)) return undefined;
  const { cluster, namespaced } = findFacts(legacy, kind).versions;
  return isNamespacedGroup(group) ? `${legacy}/${cluster}` : `${legacy.replace(PROVIDERS, ".m$&")}/${namespaced}`;
}
