import { type ManagedKind, readProviderConfig } from "../crossplane/managed-resource.ts";
import { EXTERNAL_NAME } from "../crossplane/metadata.ts";
import type { IdentityFacts } from "../crossplane/providers/families.ts";
import { type Document, stringAt } from "../model/document.ts";
import type { FieldPath } from "../model/field-path.ts";
import { hashText } from "../model/hash.ts";
import { findReferred, textAt } from "./fields.ts";

/** A managed resource, and the facts that identify its cloud resource. */
export interface Declared {
  readonly kind: ManagedKind;
  readonly desired: Document;
  readonly observed: Document | undefined;
  readonly facts: IdentityFacts;
  /** True if its external name is desired only because it was observed. */
  readonly isPinned?: boolean;
}

/** The two hashes by which a cloud resource is found. */
export interface Identity {
  /** The same for all managed resources that stand for one cloud resource, and for no others. */
  readonly identity: string;
  /** Also the same for cloud resources of the same kind and name in other places. */
  readonly externalName: string;
}

/**
 * Identifies the cloud resource by API group, kind, ProviderConfig, scope and name; undefined if no other XR
 * can know its name.
 *
 * Only a name that a pipeline sets counts, or the ledger of external names: another XR can set those, too. Mistaking two cloud
 * resources for one would stop the second; mistaking one for two only leaves the tag war as it is. So every field that might
 * distinguish two counts, and a resource has no identity until its parent reference is resolved.
 */
export function identify(declared: Declared): Identity | undefined {
  const { kind, desired, observed, facts } = declared;
  const names = readNames(declared);
  if (names === undefined) return undefined;
  const scope = facts.scope.map((path) => textAt(declared, path));
  const fields = facts.countsReferences ? [...scope, ...findReferred(declared)] : scope;
  if (fields.includes(undefined)) return undefined;
  const told = [...fields, ...names.parts].map((text) => foldCase(text ?? "", facts));
  return {
    identity: hash([kind.group, kind.kind, ...readProviderConfig(desired, observed, kind), ...told]),
    externalName: hashExternalName(kind.group, kind.kind, names.names),
  };
}

const foldCase = (text: string, { isCaseless = false }: IdentityFacts): string =>
  isCaseless ? text.toLowerCase() : text;

/** A managed resource that has lost its external name still reports what it stands for. */
function findLostName(observed: Document, { name }: IdentityFacts): readonly string[] | undefined {
  if (name.is !== "externalName" || stringAt(observed, EXTERNAL_NAME) !== undefined) return undefined;
  const id = stringAt(observed, ["status", "atProvider", "id"]);
  return id === undefined ? undefined : [id];
}

/**
 * Tells whether a managed resource stands for another cloud resource than the one that is desired: it has another name, or
 * another place where one is desired. What is not desired may have been filled in by its provider.
 */
export function isElsewhere(declared: Declared): boolean {
  const { kind, desired, observed, facts } = declared;
  if (observed === undefined) return false;
  const shown: Declared = { kind, desired: observed, observed, facts };
  const place = readProviderConfig(desired, observed, kind);
  if (place.join("/") !== readProviderConfig(observed, observed, kind).join("/")) return true;
  const wanted = readNames(declared)?.parts ?? [];
  const found = findLostName(observed, facts) ?? readNames(shown)?.parts ?? [];
  const isOther = (text = "", before = ""): boolean => text !== "" && foldCase(text, facts) !== foldCase(before, facts);
  return (
    wanted.some((part, index) => isOther(part, found[index])) ||
    facts.scope.some((path) => isOther(textAt(declared, path), textAt(shown, path)))
  );
}

/** The names of a cloud resource. */
export interface Names {
  /** As a person writes them; "" for one that is not set. */
  readonly names: readonly string[];
  /** The values that the names are made of. */
  readonly parts: readonly string[];
  /** The field in which a person would change the name. */
  readonly path: FieldPath;
}

/** The name of a cloud resource that exists once per region, such as an account's settings. */
const ONLY_ONE = "default";

/** Reads a cloud resource's names; undefined if nobody sets them, or not yet. */
export function readNames(declared: Omit<Declared, "kind">): Names | undefined {
  const { desired, facts } = declared;
  const { name } = facts;
  if (name.is === "externalName") return readExternalName(declared, name.defaultsToName);
  if (name.is === "fields") {
    const names = name.paths.map((path) => stringAt(desired, path) ?? "");
    return (names.at(-1) ?? "") === "" ? undefined : { names, parts: names, path: name.paths.at(-1) ?? EXTERNAL_NAME };
  }
  const parts = name.paths.map((path) => textAt(declared, path));
  const path = name.paths[0] ?? ["kind"];
  if (name.paths.length === 0) return { names: [ONLY_ONE], parts: [], path };
  const texts = parts.filter((part) => part !== undefined);
  if (texts.length < parts.length || texts.every((text) => text === "")) return undefined;
  return { names: [texts.filter(Boolean).join(",")], parts: texts, path };
}

/**
 * Reads the external name that is desired: by the annotation, or by metadata.name if the provider defaults to that. In the
 * latter case an observed annotation comes first, since providers write it only once.
 */
function readExternalName(
  { desired, observed, isPinned = false }: Omit<Declared, "kind">,
  defaultsToName: boolean,
): Names | undefined {
  const annotated = isPinned ? undefined : stringAt(desired, EXTERNAL_NAME);
  if (annotated !== undefined) return { names: [annotated], parts: [annotated], path: EXTERNAL_NAME };
  const own = defaultsToName ? stringAt(desired, ["metadata", "name"]) : undefined;
  if (own === undefined) return undefined;
  const name = (observed && stringAt(observed, EXTERNAL_NAME)) ?? own;
  return { names: [name], parts: [name], path: ["metadata", "name"] };
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

const hash = (parts: readonly (string | undefined)[]): string => hashText(JSON.stringify(parts), 40);
