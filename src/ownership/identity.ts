import { holdsAccount } from "../crossplane/account.ts";
import { toApiGroup } from "../crossplane/api-group.ts";
import type { ManagedKind } from "../crossplane/managed-resource.ts";
import { EXTERNAL_NAME, readAnnotation } from "../crossplane/metadata.ts";
import type { IdentityFacts } from "../crossplane/providers/families.ts";
import { type Document, stringAt } from "../model/document.ts";
import { formatFieldPath } from "../model/field-path.ts";
import { hashText } from "../model/hash.ts";
import { once } from "../model/once.ts";
import { readAdded, readScope } from "./added-scope.ts";
import { ACCOUNT } from "./annotations.ts";
import type { Contender } from "./contender.ts";
import { type DeclaredResource, type DesiredAndObserved, textAt } from "./fields.ts";
import { formatByConfig, isSameConfig, type KnownAccount, readAccount, toAccount, toConfig } from "./known-account.ts";
import { type Names, readNames } from "./names.ts";
import { findReferred } from "./unknown-kind.ts";

/** Our managed resource, with what is needed to find the contenders for its cloud resource. */
export interface Candidate extends Pick<DeclaredResource, "desired" | "namespace"> {
  readonly kind: ManagedKind;
  /**
   * True if the provider chose the name when it created the cloud resource. No other managed resource can have declared that name before.
   */
  readonly isMadeUp: boolean;
  /** True if the pipeline sets a name that only the cloud can make up, so that it imports the cloud resource. */
  readonly isImported: boolean;
  /** True if the kind supports observing only. */
  readonly hasManagementPolicies: boolean;
  readonly declared: CloudResource;
  /** The value of our identity label: the present one if it stands for the same cloud resource, else the one computed now. */
  readonly identity: string;
  /**
   * The values of the identity label under which other XRs may know the cloud resource: our present one, if it stands for the same cloud
   * resource and differs, as after the account became known; then the one computed now.
   */
  readonly forms: readonly [Form, ...Form[]];
  /** The external name's hash (`hashExternalName`). */
  readonly externalName: string;
  /** Our managed resource as observed; undefined before it is created. */
  readonly own: Contender | undefined;
  /** The cloud resource that our observed resource declares. */
  readonly observed: CloudResource | "unresolved" | undefined;
  /** Reads the cloud resource's tags as the provider reports them; undefined for a kind without tags. */
  readonly reportedTags: () => ReadonlyMap<string, string> | undefined;
}

/** A value of the identity label, and the cloud resource from which it was hashed. */
interface Form {
  readonly identity: string;
  readonly declared: CloudResource;
}

/** A cloud resource, as a managed resource declares it. */
export interface CloudResource extends Omit<Names, "path">, KnownAccount {
  /** Location and parents, by field path; "" for a field that is not set. */
  readonly place: ReadonlyMap<string, string>;
  /** The texts that are hashed to the identity, after the account. */
  readonly hashed: readonly string[];
  /** The facts by which it was read. A cloud resource with which it is compared has to be read by the same facts. */
  readonly facts: IdentityFacts;
  /** True until Crossplane has answered with the kind's schema, whose fields may distinguish two cloud resources of one name. */
  readonly isProvisional?: boolean;
}

/**
 * Reads the cloud resource that a managed resource declares: account, location, parents and name. Undefined if no other XR can know its
 * name; "unresolved" while a reference that fills in one of these fields is unresolved.
 *
 * A name counts if another XR can set it, too: a name from a pipeline or the record, or one that a provider has chosen and that can be
 * imported now. Every field that may distinguish two cloud resources counts: if two were taken for one, the second would never be created.
 * If one is taken for two, only its tags are contested.
 */
export function readCloudResource(declared: DeclaredResource): CloudResource | "unresolved" | undefined {
  const { facts } = declared;
  const read = readNames(declared);
  if (read === undefined || read === "unresolved") return read;
  const found = readPlace(declared);
  if (found === undefined) return "unresolved";
  const parts = foldNames(read.parts, facts);
  const names = read.names === read.parts ? parts : foldNames(read.names, facts);
  const { place } = found;
  const field = facts.accountField && place.get(formatPath(facts.accountField));
  // A parent's name or id may tell the account of its child, too.
  const isNamed = facts.isUnique || field || holdsAccount(parts[0] ?? "") || [...place.values()].some(holdsAccount);
  const account = readAccount(declared, Boolean(isNamed));
  return { names, parts, place, ...account, hashed: [...found.hashed, ...parts], facts };
}

/** Reads the cloud resource that an observed managed resource declares. */
export const readByItself = (managed: Document, facts: IdentityFacts): CloudResource | "unresolved" | undefined =>
  readCloudResource({ desired: managed, observed: managed, facts });

/** Reads location and parents; undefined while a reference is unresolved. */
function readPlace(
  declared: DeclaredResource,
): { readonly place: CloudResource["place"]; readonly hashed: readonly string[] } | undefined {
  const { facts } = declared;
  const place = new Map<string, string>();
  // Field names are hashed only for unknown kinds: for a known kind they are always the same.
  const hashed: string[] = [];
  const known = facts.scope.map((path) => [formatPath(path), textAt(declared, path)] as const);
  const scope = facts.added === undefined ? known : [...known, ...readAdded(declared, facts.added)];
  const referred = facts.isUnknownKind
    ? findReferred(declared, facts.added).filter(([field]) => !isNameField(field, facts))
    : [];
  for (const [field, text] of [...scope, ...referred]) {
    if (text === undefined) return undefined;
    const folded = fold(text, facts);
    place.set(field, folded);
    if (facts.isUnknownKind) hashed.push(field);
    hashed.push(folded);
  }
  return { place, hashed };
}

/** Tells whether a field of spec.forProvider is the name: it does not count once more, be it a literal or filled in by a reference. */
const isNameField = (field: string, { name }: IdentityFacts): boolean =>
  name.is !== "externalName" && name.paths.some((path) => path.slice(2).join(".") === field);

/** Formats each path of our tables once. */
const formatPath = once(formatFieldPath);

/** Makes the identity label: equal for all managed resources that declare the same cloud resource, and different for all others. */
export const identify = ({ group, kind }: ManagedKind, { facts, account, hashed }: CloudResource): string =>
  hash([group, kind, ...(facts.isUnknownKind ? ["providerConfig"] : []), account, ...hashed]);

/**
 * Describes our cloud resource as it was when it was hashed to the identity label of a contender: ours as observed, or the owner. At that
 * time the account may not have been known, or the input may have named another account or other `scopeFieldPaths`. Undefined if the label
 * belongs to another cloud resource.
 */
export function describeAs(
  { document, identity }: Contender,
  kind: ManagedKind,
  resource: CloudResource,
  pair: DesiredAndObserved,
): CloudResource | undefined {
  const { config, facts, parts } = resource;
  const [text = config, isToSame] = [readAnnotation(document, ACCOUNT), toConfig(document) === config];
  const accounts = [
    toAccount(config, formatByConfig(config)), // before the account was known
    toAccount(config, isToSame ? text : config), // as it is noted
    toAccount(config, ""), // when the name told the account
  ];
  // No field is added to a name that is unique in the whole cloud: an annotation that says so is forged.
  const noted: IdentityFacts = { ...facts, added: facts.isUnique ? undefined : readScope(document) };
  const place = readPlace({ ...pair, facts: noted });
  return [resource, ...accounts.map((account) => ({ ...resource, ...account }))]
    .flatMap((each) => (place ? [each, { ...each, facts: noted, hashed: [...place.hashed, ...parts] }] : [each]))
    .find((each) => identify(kind, each) === identity);
}

/** Removes differences that the cloud ignores: case, and the dot at the end of a DNS name. */
export const fold = (text: string, { isCaseless = false }: IdentityFacts): string =>
  isCaseless ? text.toLowerCase().replace(/\.$/, "") : text;

/** Folds names. Of the apiVersion in an Object's manifest only the API group counts: an object is the same in all versions of an API. */
export const foldNames = (names: readonly string[], facts: IdentityFacts): readonly string[] =>
  names.map((name, index) => (facts.name.is === "fields" && index === 0 ? toApiGroup(name) : fold(name, facts)));

/**
 * Tells whether our observed managed resource declares another cloud resource than the desired one: its identity, name or place differs.
 * Before it is labelled, its ProviderConfig counts as the account. Fields that are not desired are ignored: the provider may have set them.
 */
export function isElsewhere({ own, declared, identity, observed: read }: Candidate): boolean {
  if (own === undefined) return false;
  if (own.identity !== undefined)
    return own.identity !== identity || (isKnown(read) && !isSameInAnyAccount(declared, read));
  const { document } = own;
  const { facts } = declared;
  const parts = findLostName(document, facts) ?? (isKnown(read) ? read.parts : []);
  const { place } = (isKnown(read) ? read : readPlace({ desired: document, observed: document, facts })) ?? {};
  return (
    (declared.account !== "" && toConfig(document) !== declared.config) ||
    declared.parts.some((part, index) => part !== "" && part !== parts[index]) ||
    !isAt(declared, place)
  );
}

/** Finds the name of a managed resource that has lost its external name: the id that the provider reported; undefined if there is none. */
function findLostName(observed: Document, facts: IdentityFacts): readonly string[] | undefined {
  if (facts.name.is !== "externalName" || stringAt(observed, EXTERNAL_NAME) !== undefined) return undefined;
  const id = stringAt(observed, ["status", "atProvider", "id"]);
  return id === undefined ? undefined : foldNames([id], facts);
}

/**
 * Tells whether `place` agrees with each location and parent that the cloud resource sets. A field that has only begun to count has to
 * agree, too: it may distinguish two cloud resources.
 */
export const isAt = (declared: CloudResource, place: CloudResource["place"] | undefined): boolean =>
  [...declared.place].every(([field, text]) => text === "" || text === place?.get(field));

export const isKnown = (read: CloudResource | "unresolved" | undefined): read is CloudResource =>
  typeof read === "object";

/** Tells whether two cloud resources are the same: the same account or ProviderConfig, place and name. */
export const isSame = (a: CloudResource, b: CloudResource): boolean =>
  (a.account === b.account || isSameConfig(a, b)) && isSameInAnyAccount(a, b);

/**
 * Tells whether two cloud resources have the same name and place, in any account. A location or parent that one of them leaves unset
 * counts as the same: a provider fills in more for the owner than for an observer.
 */
export function isSameInAnyAccount(a: CloudResource, b: CloudResource): boolean {
  for (const [field, text] of a.place) {
    const other = b.place.get(field) ?? "";
    if (text !== other && text !== "" && other !== "") return false;
  }
  return hasSameName(a, b);
}

/** Tells whether two cloud resources of one kind have the same name, in any place and account. */
export const hasSameName = (a: CloudResource, b: CloudResource): boolean =>
  a.parts.length === b.parts.length && a.parts.every((part, index) => part === b.parts[index]);

/**
 * Hashes API group, kind and name alone, so that contenders are found in any place and account.
 *
 * @param group without the `.m` of namespaced managed resources.
 * @param names the values of the name fields; "" for a field that is not set.
 */
export const hashExternalName = (group: string, kind: string, names: readonly string[]): string =>
  hash([group, kind, ...names]);

const hash = (parts: readonly (string | undefined)[]): string => hashText(JSON.stringify(parts), 40);
