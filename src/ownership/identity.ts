import { toApiGroup } from "../crossplane/api-group.ts";
import { type ManagedKind, readManagedKind, readProviderConfig } from "../crossplane/managed-resource.ts";
import { EXTERNAL_NAME, readLabel } from "../crossplane/metadata.ts";
import type { IdentityFacts } from "../crossplane/providers/families.ts";
import { type Document, stringAt } from "../model/document.ts";
import { type FieldPath, formatFieldPath } from "../model/field-path.ts";
import { hashText } from "../model/hash.ts";
import { once } from "../model/once.ts";
import { IDENTITY_LABEL } from "./annotations.ts";
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

/** A cloud resource, as a managed resource declares it. */
export interface CloudResource extends Omit<Names, "path"> {
  /** ProviderConfig, location and parents by field; "" for one that is not set. */
  readonly place: ReadonlyMap<string, string>;
  /** All texts of which the identity is the hash. */
  readonly hashed: readonly string[];
}

/**
 * Reads the cloud resource that a managed resource declares: ProviderConfig, location, parents and name. Undefined if no other XR can
 * know its name; "unresolved" while a reference to one of these fields is.
 *
 * Only names from a pipeline or the record count: another XR can set these, too. Mistaking two cloud resources
 * for one would stop the second; mistaking one for two only leaves its tags contested. So every field that might distinguish two
 * counts.
 */
export function readCloudResource(declared: DeclaredResource): CloudResource | "unresolved" | undefined {
  const { facts } = declared;
  const read = readNames(declared);
  if (read === undefined || read === "unresolved") return read;
  const place = readPlace(declared);
  if (place === undefined) return "unresolved";
  const parts = foldNames(read.parts, facts);
  const names = read.names === read.parts ? parts : foldNames(read.names, facts);
  // Of a known kind each resource has the same fields, and the texts tell them apart.
  const texts = facts.countsReferences ? place.flat() : place.map(([, text]) => text);
  return { names, parts, place: new Map(place), hashed: [...texts, ...parts] };
}

/** Reads the cloud resource that a managed resource declares by itself, without what is desired of it. */
export const readByItself = (managed: Document, facts: IdentityFacts): CloudResource | "unresolved" | undefined =>
  readCloudResource({ kind: readManagedKind(managed), desired: managed, observed: managed, facts });

/** Reads ProviderConfig, location and parents; undefined while a reference is unresolved. */
function readPlace(declared: DeclaredResource): readonly (readonly [field: string, text: string])[] | undefined {
  const { kind, desired, observed, facts } = declared;
  const scope = facts.scope.map((path) => [formatPath(path), textAt(declared, path)] as const);
  const place: [string, string][] = [[PROVIDER_CONFIG, readProviderConfig(desired, observed, kind).join("/")]];
  for (const [field, text] of facts.countsReferences ? [...scope, ...findReferred(declared)] : scope) {
    if (text === undefined) return undefined;
    place.push([field, fold(text, facts)]);
  }
  return place;
}

/** An XR composes many resources of few kinds. */
const formatPath = once(formatFieldPath);

const PROVIDER_CONFIG = "providerConfig";

/** Hashes a cloud resource of a kind. */
export const identify = ({ group, kind }: ManagedKind, { names, hashed }: CloudResource): Identity => ({
  identity: hash([group, kind, ...hashed]),
  externalName: hashExternalName(group, kind, names),
});

/** Folds what a cloud does not distinguish: case, and the dot at the end of a DNS name. */
export const fold = (text: string, { isCaseless = false }: IdentityFacts): string =>
  isCaseless ? text.toLowerCase().replace(/\.$/, "") : text;

/** Folds names, and of an Object's manifest the API version: the server has one object for all versions of an API. */
export const foldNames = (names: readonly string[], facts: IdentityFacts): readonly string[] =>
  names.map((name, index) => (facts.name.is === "fields" && index === 0 ? toApiGroup(name) : fold(name, facts)));

/**
 * Tells whether the observed managed resource declares another cloud resource than the desired one: its name or a desired location
 * differs. The provider may have filled in fields that are not desired, or lost the name of one that has the identity already.
 *
 * @param read the cloud resource that the observed one declares by itself.
 */
export function isElsewhere(
  { kind, observed, facts }: DeclaredResource,
  desired: CloudResource,
  identity: string,
  read: CloudResource | "unresolved" | undefined,
): boolean {
  if (observed === undefined) return false;
  const label = readLabel(observed, IDENTITY_LABEL);
  if (label !== undefined) return label !== identity || (isKnown(read) && !isSame(desired, read));
  const parts = findLostName(observed, facts) ?? (isKnown(read) ? read.parts : []);
  const place = isKnown(read) ? read.place : new Map(readPlace({ kind, desired: observed, observed, facts }));
  return (
    desired.parts.some((part, index) => part !== "" && part !== parts[index]) ||
    [...desired.place].some(([field, text]) => text !== "" && text !== place.get(field))
  );
}

/** Finds the name of a managed resource that lost its external name: the id that the provider reported. */
function findLostName(observed: Document, facts: IdentityFacts): readonly string[] | undefined {
  if (facts.name.is !== "externalName" || stringAt(observed, EXTERNAL_NAME) !== undefined) return undefined;
  const id = stringAt(observed, ["status", "atProvider", "id"]);
  return id === undefined ? undefined : foldNames([id], facts);
}

export const isKnown = (read: CloudResource | "unresolved" | undefined): read is CloudResource =>
  typeof read === "object";

/**
 * Tells whether two managed resources declare the same cloud resource: the same name, and nowhere another place. A provider fills in
 * places for the owner that an observer leaves unset.
 */
export function isSame(a: CloudResource, b: CloudResource): boolean {
  const isOther = ([field, text]: readonly [string, string]): boolean => {
    const other = b.place.get(field) ?? "";
    return text !== other && (field === PROVIDER_CONFIG || (text !== "" && other !== ""));
  };
  return hasSameName(a, b) && ![...a.place].some(isOther);
}

/** Tells whether two cloud resources of one kind have the same name, in whatever place. */
export const hasSameName = (a: CloudResource, b: CloudResource): boolean =>
  a.parts.length === b.parts.length && a.parts.every((part, index) => part === b.parts[index]);

/** The names of a cloud resource. */
export interface Names {
  /** The names by which people look for it; "" for one that is not set. */
  readonly names: readonly string[];
  /** The values of the name fields. */
  readonly parts: readonly string[];
  /** The field to edit to change the name. */
  readonly path: FieldPath;
}

/** The name of a cloud resource that exists once per region, such as an account's settings. */
const ONLY_ONE = "default";

/** Reads a cloud resource's names; undefined while they are not set, "unresolved" while a reference to one of them is. */
export function readNames(declared: Omit<DeclaredResource, "kind">): Names | "unresolved" | undefined {
  const { desired, facts } = declared;
  const { name } = facts;
  if (name.is === "externalName") return readExternalName(declared, name.defaultsToName);
  if (name.is === "fields") {
    const names = name.paths.map((path) => stringAt(desired, path) ?? "");
    return (names.at(-1) ?? "") === "" ? undefined : { names, parts: names, path: name.paths.at(-1) ?? EXTERNAL_NAME };
  }
  const path = name.paths[0] ?? ["kind"];
  if (name.paths.length === 0) return { names: [ONLY_ONE], parts: [], path };
  const parts = name.paths.flatMap((field) => textAt(declared, field) ?? []);
  if (parts.length < name.paths.length) return "unresolved";
  const texts = parts.filter(Boolean);
  return texts.length === 0 ? undefined : { names: [texts.join(",")], parts, path };
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
  const own = annotated === undefined && defaultsToName ? stringAt(desired, NAME) : undefined;
  const name = own === undefined ? annotated : ((observed && stringAt(observed, EXTERNAL_NAME)) ?? own);
  if (name === undefined) return undefined;
  const names = [name];
  return { names, parts: names, path: own === undefined ? EXTERNAL_NAME : NAME };
}

const NAME: FieldPath = ["metadata", "name"];

/**
 * Hashes API group, kind and name alone, for people who look for the owner and do not know the region or the ProviderConfig.
 *
 * @param group without the `.m` of namespaced managed resources.
 * @param names the values of the name fields; "" for a field that is not set.
 */
export const hashExternalName = (group: string, kind: string, names: readonly string[]): string =>
  hash([group, kind, ...names]);

const hash = (parts: readonly (string | undefined)[]): string => hashText(JSON.stringify(parts), 40);
