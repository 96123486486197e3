import { type ManagedKind, toManagedKind } from "./managed-resource.ts";
import { findFacts } from "./providers/families.ts";

/** The groups of the classic provider-aws, whose kinds are cluster-scoped only. */
const CLASSIC = /(?:^|\.)aws\.crossplane\.io$/;

/** The groups whose kinds' versions are known. */
const LISTED = /\.upbound\.io$|^kubernetes\.crossplane\.io$/;

/**
 * Finds the twin of a kind, by which the same provider manages the same cloud resources: the namespaced kind of a cluster-scoped one, or
 * the other way round. A kind that is not listed is taken to have the version of its twin. The twin may not be served.
 */
export function findTwin({ apiVersion, group, kind, isNamespaced }: ManagedKind): ManagedKind | undefined {
  const scoped = group.replace(/(?=\.[^.]+\.[^.]+$)/, ".m");
  if (scoped === group || CLASSIC.test(group)) return undefined;
  const { cluster, namespaced } = findFacts(group, kind).versions;
  const listed = isNamespaced ? cluster : namespaced;
  const version = LISTED.test(group) ? listed : apiVersion.slice(apiVersion.indexOf("/") + 1);
  return toManagedKind(`${isNamespaced ? group : scoped}/${version}`, kind);
}
