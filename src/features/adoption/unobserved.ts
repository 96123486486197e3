import { canSelectNamespaces } from "../../crossplane/namespaces.ts";
import {
  formatReference,
  type Reference,
  referenceKey,
  toReference,
  toReferences,
} from "../../crossplane/references.ts";
import { toRequirement } from "../../crossplane/requirement.ts";
import type { Requirement } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";

/**
 * The references whose resources are not observed: Crossplane did not find them, or somebody else controls them. It
 * observes nothing but what is referenced, and each of it once, so where there are as many of one as of the other there are none,
 * and nothing has to be read.
 */
export function findUnobserved({ composite, request }: Call): readonly Reference[] {
  const listed = toReferences(composite);
  const { resources } = request.observed;
  if (listed.length === resources.size) return [];
  const references = new Map(listed.map((reference) => [referenceKey(reference), reference]));
  for (const { document } of resources.values()) references.delete(referenceKey(toReference(document)));
  return [...references.keys()].sort().flatMap((key) => references.get(key) ?? []);
}

/** The requirement that looks a reference up. */
export function requireReference(reference: Reference): Requirement {
  const { apiVersion, kind, namespace, name } = reference;
  return toRequirement(`adoption/${formatReference(reference)}`, {
    apiVersion,
    kind,
    ...(namespace !== undefined && { namespace }),
    match: { name },
  });
}

/**
 * Tells whether Crossplane can look a reference up. Its kind is installed: Crossplane itself gets every reference before it calls
 * a function, and fails the XR where a kind is missing, as while a provider is not back yet.
 */
export const canBeRequired = ({ namespace }: Reference, { request, composite }: Call): boolean =>
  namespace === undefined || canSelectNamespaces(request, composite);
