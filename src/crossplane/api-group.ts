/** Reads the API group: `s3.aws.upbound.io` of `s3.aws.upbound.io/v1beta1`; "" for the core group's `v1`. */
export function toApiGroup(apiVersion: string | undefined): string {
  const slash = apiVersion?.indexOf("/") ?? -1;
  return slash < 0 ? "" : (apiVersion ?? "").slice(0, slash);
}

/** Removes the `.m` of namespaced managed resources (`s3.aws.m.upbound.io`): both groups manage the same cloud resources. */
export const withoutScope = (group: string): string => group.replace(".m.", ".");

/** Formats a GroupKind as Kubernetes does: `Bucket.s3.aws.upbound.io`; the kind alone in the core group. */
export const toGroupKind = (kind: string, group: string): string => (group === "" ? kind : `${kind}.${group}`);

export const groupKindOf = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string =>
  toGroupKind(kind, toApiGroup(apiVersion));
