import type { ResourceKind } from "./discovery.ts";

/**
 * The kinds that a person means, as kubectl reads it: kind, singular, plural or short name, in any case, and if need be the
 * group behind a dot, with or without a version: `Bucket`, `buckets`, `bucket.s3.aws.upbound.io`,
 * `buckets.v1beta1.s3.aws.upbound.io`.
 */
export function findKindsByName(text: string, kinds: readonly ResourceKind[]): readonly ResourceKind[] {
  const [name = "", ...rest] = text.toLowerCase().split(".");
  const group = rest.join(".");
  return kinds.filter(
    (kind) =>
      [kind.kind.toLowerCase(), kind.singular, kind.plural, ...kind.shortNames].includes(name) &&
      (group === "" || [kind.group, `${kind.version}.${kind.group}`].includes(group)),
  );
}

/** `buckets.s3.aws.upbound.io`, as a CustomResourceDefinition is named. */
export const toFullName = ({ plural, group }: ResourceKind): string => (group === "" ? plural : `${plural}.${group}`);
