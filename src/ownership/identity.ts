import { toApiGroup } from "../crossplane/api-group.ts";
import { type ManagedKind, readProviderConfig } from "../crossplane/managed-resource.ts";
import { EXTERNAL_NAME, NAME, readLabel } from "../crossplane/metadata.ts";
import type { IdentityFacts } from "../crossplane/providers/families.ts";
import { type Document, stringAt } from "../model/document.ts";
import { type FieldPath, formatFieldPath } from "../model/field-path.ts";
import { hashText } from "../model/hash.ts";
import { once } from "../model/once.ts";
import { IDENTITY_LABEL } from "./annotations.ts";
import type { Contender } from "./contender.ts";
import { type DesiredAndObserved, findReferred, textAt } from "./fields.ts";

/** A managed resource, and the facts that identify its cloud resource. */
export interface DeclaredResource extends DesiredAndObserved {
  readonly facts: IdentityFacts;
  /** The external name that its provider chose; "" where that does not count, undefined where the pipeline or the record names it. */
  readonly chosen?: string | undefined;
}

/** A managed resource, with the facts for the search for its contenders. */
export interface Candidate {
  readonly kind: ManagedKind;
  readonly facts: IdentityFacts;
  readonly declared: CloudResource;
  /** The value of the identity labels. */
  readonly identity: string;
  /** Undefined before it is created. */
  readonly own: Contender | undefined;
  /** True if its provider chose the name when it created the cloud resource: no other one can have declared it before. */
  readonly isMadeUp: boolean;
  /** The cloud resource that ours declares by itself, as it is observed. */
  readonly observed: CloudResource | "unresolved" | undefined;
  /** True if the kind supports observing only. */
  readonly hasManagementPolicies: boolean;
  /** Reads the tags of the cloud resource that its provider reports. */
  readonly reportedTags: () => ReadonlyMap<string, string> | undefined;
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
 * A name from a pipeline or the record counts, since another XR can set it, too; so does one that a provider chose, once another XR can
 * import it: when the cloud resource is created. Mistaking two cloud resources for one would stop the second; mistaking one for two only
 * leaves its tags contested. So every field that might distinguish two counts.
 */
export function readCloudResource(declared: DeclaredResource): CloudResource | "unresolved" | undefined {
  const { facts } = declared;
  const read = readNames(declared);
  if (read === undefined || read === "unresolved") return read;
  const found = readPlace(declared);
  if (found === undefined) return "unresolved";
  const parts = foldNames(read.parts, facts);
  const names = read.names === read.parts ? parts : foldNames(read.names, facts);
  return { names, parts, place: found.place, hashed: [...found.hashed, ...parts] };
}

/** Reads the cloud resource that a managed resource declares by itself, without what is desired of it. */
export const readByItself = (managed: Document, facts: IdentityFacts): CloudResource | "unresolved" | undefined =>
  readCloudResource({ desired: managed, observed: managed, facts });

/** Reads ProviderConfig, location and parents; undefined while a reference is unresolved. */
function readPlace(declared: DeclaredResource): Pick<CloudResource, "place" | "hashed"> | undefined {
  const { desired, observed, facts } = declared;
  const config = readProviderConfig(desired, observed).join("/");
  const place = new Map([[PROVIDER_CONFIG, config]]);
  // Of a known kind each resource has the same fields, and the texts tell them apart.
  const hashed = facts.countsReferences ? [PROVIDER_CONFIG, config] : [config];
  const scope = facts.scope.map((path) => [formatPath(path), textAt(declared, path)] as const);
  for (const [field, text] of facts.countsReferences ? [...scope, ...findReferred(declared)] : scope) {
    if (text === undefined) return undefined;
    const folded = fold(text, facts);
    place.set(field, folded);
    if (facts.countsReferences) hashed.push(field);
    hashed.push(folded);
  }
  return { place, hashed };
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
 * Tells whether ours, as it is observed, declares another cloud resource than the desired one: its name or a desired location differs.
 * The provider may have filled in fields that are not desired, or lost the name of one that has the identity already.
 */
export function isElsewhere({ own, facts, declared, identity, observed: read }: Candidate): boolean {
  if (own === undefined) return false;
  if (own.identity !== undefined) return own.identity !== identity || (isKnown(read) && !isSame(declared, read));
  const { document } = own;
  const parts = findLostName(document, facts) ?? (isKnown(read) ? read.parts : []);
  const { place } = (isKnown(read) ? read : readPlace({ desired: document, observed: document, facts })) ?? {};
  return (
    declared.parts.some((part, index) => part !== "" && part !== parts[index]) ||
    [...declared.place].some(([field, text]) => text !== "" && text !== place?.get(field))
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
  for (const [field, text] of a.place) {
    const other = b.place.get(field) ?? "";
    if (text !== other && (field === PROVIDER_CONFIG || (text !== "" && other !== ""))) return false;
  }
  return hasSameName(a, b);
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
export function readNames(declared: DeclaredResource): Names | "unresolved" | undefined {
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
function readExternalName(declared: DeclaredResource, defaultsToName: boolean): Names | undefined {
  const { desired, observed, chosen } = declared;
  const annotated = (chosen ?? stringAt(desired, EXTERNAL_NAME)) || undefined;
  const own =
    annotated === undefined && defaultsToName ? (stringAt(desired, NAME) ?? arbitratedName(observed)) : undefined;
  const name = own === undefined ? annotated : ((observed && stringAt(observed, EXTERNAL_NAME)) ?? own);
  if (name === undefined) return undefined;
  const names = [name];
  return { names, parts: names, path: own === undefined ? EXTERNAL_NAME : NAME };
}

/** A resource that has been arbitrated keeps its name, whether a step desires that or not. */
const arbitratedName = (observed: Document | undefined): string | undefined =>
  observed && readLabel(observed, IDENTITY_LABEL) !== undefined ? stringAt(observed, NAME) : undefined;

/**
 * Hashes API group, kind and name alone, for people who look for the owner and do not know the region or the ProviderConfig.
 *
 * @param group without the `.m` of namespaced managed resources.
 * @param names the values of the name fields; "" for a field that is not set.
 */
export const hashExternalName = (group: string, kind: string, names: readonly string[]): string =>
  hash([group, kind, ...names]);

const hash = (parts: readonly (string | undefined)[]): string => hashText(JSON.stringify(parts), 40);
