/**
 * The API group of an apiVersion: `s3.aws.upbound.io` of `s3.aws.upbound.io/v1beta1`, and "" of the core group's `v1`.
 * A resource without an apiVersion has the group "" as well.
 */
export function toApiGroup(apiVersion: string | undefined): string {
  const slash = apiVersion?.indexOf("/") ?? -1;
  return slash < 0 ? "" : (apiVersion ?? "").slice(0, slash);
}

/**
 * The group without the `.m` that marks namespaced managed resources (`s3.aws.m.upbound.io`): both stand for the same kind of
 * cloud resource. Source: Crossplane v2's providers.
 */
export const withoutScope = (group: string): string => group.replace(".m.", ".");

/** Tells whether managed resources of the group are the namespaced ones of Crossplane v2. */
export const isNamespacedGroup = (group: string): boolean => group !== withoutScope(group);

/** `Bucket.s3.aws.upbound.io`, as Kubernetes writes a GroupKind; the kind alone in the core group. */
export const toGroupKind = (kind: string, group: string): string => (group === "" ? kind : `${kind}.${group}`);
