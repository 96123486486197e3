import type { ResourceKind } from "../cluster/discovery.ts";
import { findKindsByName, toFullName } from "../cluster/discovery.ts";
import { invalidFlags } from "../command.ts";
import type { CloudResource } from "../lookup/ownership.ts";

/** Finds managed kinds by their names, or all. @throws {FunctionError} naming all that are not installed. */
export function findManagedKinds(names: readonly string[], kinds: readonly ResourceKind[]): readonly ResourceKind[] {
  const managed = kinds.filter(({ categories, verbs }) => categories.includes("managed") && verbs.includes("list"));
  const found = names.map((name) => ({ name, found: findKindsByName(name, managed) }));
  const missing = found.filter((one) => one.found.length === 0).map(({ name }) => explainMissing(name, kinds));
  if (missing.length > 0) throw invalidFlags(missing.join("\n"));
  return names.length === 0 ? managed : [...new Set(found.flatMap((one) => one.found))];
}

function explainMissing(name: string, kinds: readonly ResourceKind[]): string {
  const [other] = findKindsByName(name, kinds);
  if (other === undefined) return `cannot find the kind ${JSON.stringify(name)}: no such CRD is installed`;
  return `cannot ask for ${toFullName(other)}: it is no managed resource (it lacks the category "managed")`;
}

/** Tells whether an owner or contender is in the namespace; true without a namespace. */
export const hasHolderIn = ({ holdings }: CloudResource, namespace: string | undefined): boolean =>
  namespace === undefined || holdings.some((holding) => holding.namespace === namespace);
