import { createHash } from "node:crypto";
import type { Kind, Subject } from "../features/tags/subject.ts";
import { type Document, stringAt } from "../model/document.ts";
import type { FieldPath } from "../model/field-path.ts";

/**
 * Which cloud resource a managed resource stands for: API group and kind, ProviderConfig, where it is, and its name.
 *
 * Only one that the pipeline names can be somebody else's as well. To take two cloud resources for one would stop the
 * second, to take one for two leaves the war as it is: so whatever might tell them apart counts, and while a parent that is
 * referred to is not resolved there is no identity at all.
 */
export function identityOf({ desired, observed, kind, nameFieldPaths, scopeFieldPaths }: Subject): string | undefined {
  const last = nameFieldPaths.at(-1);
  if (last === undefined || stringAt(desired, last) === undefined) return undefined;
  const name = nameFieldPaths.map((path) => stringAt(desired, path) ?? "");

  const scope: string[] = [];
  for (const path of scopeFieldPaths) {
    const value = stringAt(desired, path) ?? (isReferred(desired, path) ? observed && stringAt(observed, path) : "");
    if (value === undefined) return undefined;
    scope.push(value);
  }
  return hash([kind.group, kind.kind, ...providerConfigOf(desired, observed, kind), ...scope, ...name]);
}

/**
 * API group, kind and name alone, hashed: a person who asks for an owner knows them, and rarely where the cloud resource is or
 * which ProviderConfig it has. Cloud resources of one name in two places share it.
 *
 * @param group without the `.m` of namespaced managed resources.
 * @param names what names the cloud resource, as `Family.name` has it; "" for what is not set.
 */
export const externalNameHash = (group: string, kind: string, names: readonly string[]): string =>
  hash([group, kind, ...names]);

export const externalNameHashOf = ({ desired, kind, nameFieldPaths }: Subject): string =>
  externalNameHash(
    kind.group,
    kind.kind,
    nameFieldPaths.map((path) => stringAt(desired, path) ?? ""),
  );

const hash = (parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 40);

function isReferred(desired: Document, path: FieldPath): boolean {
  const field = String(path.at(-1));
  return ["Ref", "Selector"].some((suffix) => desired.at([...path.slice(0, -1), `${field}${suffix}`]) !== undefined);
}

/** A ClusterProviderConfig is what cluster-scoped managed resources call ProviderConfig; the namespaced kind is another one. */
export function providerConfigOf(
  desired: Document,
  observed: Document | undefined,
  { isNamespaced }: Pick<Kind, "isNamespaced">,
): readonly string[] {
  const name = stringAt(desired, ["spec", "providerConfigRef", "name"]) ?? "default";
  if (!isNamespaced || stringAt(desired, ["spec", "providerConfigRef", "kind"]) !== "ProviderConfig") return [name];
  const namespace = observed && stringAt(observed, ["metadata", "namespace"]);
  return [name, namespace ?? ""];
}
