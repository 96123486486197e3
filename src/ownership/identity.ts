import { createHash } from "node:crypto";
import { type ManagedKind, providerConfigOf } from "../crossplane/managed-resource.ts";
import { type Document, stringAt } from "../model/document.ts";
import type { FieldPath } from "../model/field-path.ts";

/** A managed resource, and the fields that tell which cloud resource it stands for. */
export interface Declared {
  readonly kind: ManagedKind;
  readonly desired: Document;
  readonly observed: Document | undefined;
  /** The fields that name the cloud resource; the last one has to be set. */
  readonly nameFieldPaths: readonly FieldPath[];
  /** The fields that say where the cloud resource is: region, parent. */
  readonly scopeFieldPaths: readonly FieldPath[];
}

/** The two hashes by which a cloud resource is found. */
export interface Identity {
  /** The same for all managed resources that stand for one cloud resource, and for no others. */
  readonly identity: string;
  /** Also the same for cloud resources of the same kind and name in other places. */
  readonly externalName: string;
}

/**
 * Identifies the cloud resource by API group, kind, ProviderConfig, scope and name; undefined where only one XR can know its
 * name.
 *
 * Only a name that the pipeline sets can be set by another XR as well. Taking two cloud resources for one would stop the
 * second; taking one for two leaves the tag war as it is. So every field that might tell two apart counts, and a resource whose
 * parent reference is not resolved yet has no identity.
 */
export function identify({ kind, desired, observed, ...paths }: Declared): Identity | undefined {
  const names = paths.nameFieldPaths.map((path) => stringAt(desired, path) ?? "");
  if ((names.at(-1) ?? "") === "") return undefined;

  const scope: string[] = [];
  for (const path of paths.scopeFieldPaths) {
    const value = stringAt(desired, path) ?? (isReference(desired, path) ? observed && stringAt(observed, path) : "");
    if (value === undefined) return undefined;
    scope.push(value);
  }
  const place = [...providerConfigOf(desired, observed, kind), ...scope];
  return {
    identity: hash([kind.group, kind.kind, ...place, ...names]),
    externalName: hashExternalName(kind.group, kind.kind, names),
  };
}

/**
 * Hashes API group, kind and name alone: a person who looks for the owner knows these, and rarely the region or the
 * ProviderConfig.
 *
 * @param group without the `.m` of namespaced managed resources.
 * @param names the values of the fields that name the cloud resource; "" for a field that is not set.
 */
export const hashExternalName = (group: string, kind: string, names: readonly string[]): string =>
  hash([group, kind, ...names]);

const hash = (parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 40);

/** Tells whether the field is filled in by the provider from a reference or a selector. */
function isReference(desired: Document, path: FieldPath): boolean {
  const field = String(path.at(-1));
  return ["Ref", "Selector"].some((suffix) => desired.at([...path.slice(0, -1), `${field}${suffix}`]) !== undefined);
}
