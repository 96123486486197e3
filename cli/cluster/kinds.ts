import type { ResourceKind } from "./discovery.ts";

/**
 * Finds kinds by a name in kubectl's notation: kind, singular, plural or short name in any case, optionally followed by the group
 * with or without a version: `Bucket`, `buckets`, `bucket.s3.aws.upbound.io`,
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

/** Finds an installed kind. */
export const findKind = (
  kinds: readonly ResourceKind[],
  { group, kind }: Pick<ResourceKind, "group" | "kind">,
): ResourceKind | undefined => kinds.find((one) => one.group === group && one.kind === kind);

/** Makes the name of a kind's CustomResourceDefinition: `buckets.s3.aws.upbound.io`. */
export const toFullName = ({ plural, group }: ResourceKind): string => (group === "" ? plural : `${plural}.${group}`);
