import { type ManagedKind, readProviderConfig } from "../crossplane/managed-resource.ts";
import { EXTERNAL_NAME } from "../crossplane/metadata.ts";
import type { IdentityFacts } from "../crossplane/providers/families.ts";
import { type Document, stringAt } from "../model/document.ts";
import type { FieldPath } from "../model/field-path.ts";
import { hashText } from "../model/hash.ts";
import { DOMAIN } from "../model/names.ts";
import { findReferred, textAt } from "./fields.ts";

/** A managed resource, and the facts that identify its cloud resource. */
export interface DeclaredResource {
  readonly kind: ManagedKind;
  readonly desired: Document;
  readonly observed: Document | undefined;
  readonly facts: IdentityFacts;
  /** True if the external name is desired only because it was observed. */
  readonly isPinned?: boolean;
}

/** The two hashes that identify a cloud resource, as labels. */
export interface Identity {
  /** Equal for all managed resources that declare the same cloud resource, and different for all others. */
  readonly identity: string;
  /** Equal for cloud resources of the same kind and name, in any location. */
  readonly externalName: string;
}

/**
 * Identifies a cloud resource by API group, kind, ProviderConfig, scope and name; undefined if no other XR can know its name.
 *
 * Only names from a pipeline or the ledger of external names count: another XR can set these, too. Mistaking two cloud resources
 * for one would stop the second; mistaking one for two only leaves its tags contested. So every field that might distinguish two
 * counts, and a resource has no identity until the reference to its parent is resolved.
 */
export function identify(declared: DeclaredResource): Identity | undefined {
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

/** Finds the name of a managed resource that lost its external name: the id that the provider reported. */
function findLostName(observed: Document, { name }: IdentityFacts): readonly string[] | undefined {
  if (name.is !== "externalName" || stringAt(observed, EXTERNAL_NAME) !== undefined) return undefined;
  const id = stringAt(observed, ["status", "atProvider", "id"]);
  return id === undefined ? undefined : [id];
}

/**
 * Tells whether the observed managed resource declares another cloud resource than the desired one: its name or a desired location
 * differs. The provider may have filled in fields that are not desired.
 */
export function isElsewhere(declared: DeclaredResource): boolean {
  const { kind, desired, observed, facts } = declared;
  if (observed === undefined) return false;
  const shown: DeclaredResource = { kind, desired: observed, observed, facts };
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
  /** The names for people; "" for one that is not set. */
  readonly names: readonly string[];
  /** The values of the name fields. */
  readonly parts: readonly string[];
  /** The field to edit to change the name. */
  readonly path: FieldPath;
}

/** The name of a cloud resource that exists once per region, such as an account's settings. */
const ONLY_ONE = "default";

/** Reads a cloud resource's names; undefined while they are not set. */
export function readNames(declared: Omit<DeclaredResource, "kind">): Names | undefined {
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
 * Reads the desired external name: the annotation, or metadata.name if the provider defaults to it. In the latter case an observed
 * annotation wins, because providers write it only once.
 */
function readExternalName(
  { desired, observed, isPinned = false }: Omit<DeclaredResource, "kind">,
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
 * Hashes API group, kind and name alone, for people who look for the owner and do not know the region or the ProviderConfig.
 *
 * @param group without the `.m` of namespaced managed resources.
 * @param names the values of the name fields; "" for a field that is not set.
 */
export const hashExternalName = (group: string, kind: string, names: readonly string[]): string =>
  hash([group, kind, ...names]);

const hash = (parts: readonly (string | undefined)[]): string => hashText(JSON.stringify(parts), 40);

/** The identity label: the hash of the cloud resource, equal on all managed resources that declare it. */
export const IDENTITY_LABEL = `${DOMAIN}/identity`;

/** The label by which `registry who-owns` finds a cloud resource: the hash of its API group, kind and name. */
export const EXTERNAL_NAME_LABEL = `${DOMAIN}/external-name`;
