import { readManagedKind, readProviderConfig } from "../../src/crossplane/managed-resource.ts";
import {
  CLAIM_NAME_LABEL,
  CLAIM_NAMESPACE_LABEL,
  COMPOSITE_LABEL_PATH,
  EXTERNAL_NAME,
  readAnnotation,
  readLabel,
} from "../../src/crossplane/metadata.ts";
import { findFacts } from "../../src/crossplane/providers/families.ts";
import { formatReference, toReference } from "../../src/crossplane/references.ts";
import { type Document, stringAt } from "../../src/model/document.ts";
import { type FieldPath, parseFieldPath } from "../../src/model/field-path.ts";
import { CLUSTER } from "../../src/ownership/annotations.ts";
import { toContender } from "../../src/ownership/contender.ts";
import { textAt } from "../../src/ownership/fields.ts";
import { fold, foldNames, hashExternalName, isKnown, readByItself } from "../../src/ownership/identity.ts";
import { readNames } from "../../src/ownership/names.ts";
import { type ResourceKind, toFullName } from "../cluster/discovery.ts";

/** A cloud resource to look up, by the fields that are known of it. */
export interface ResourceQuery {
  /** Without the `.m` of namespaced managed resources, which says nothing about the cloud. */
  readonly group: string;
  readonly kind: string;
  /** Name parts: the external name, or for an Object [apiVersion, kind, namespace, name], the namespace "" for none. */
  readonly names: readonly string[];
  /** Undefined matches any: it is not known, or the name contains the account. */
  readonly providerConfig?: string | undefined;
  /** The location by field of spec.forProvider, such as region. A missing field matches any value. */
  readonly scope: ReadonlyMap<string, string>;
}

/** Makes the value of the label by which the function finds managed resources of one external name. */
export const toLabel = ({ group, kind, names }: ResourceQuery): string =>
  hashExternalName(group, kind, foldNames(names, findFacts(group, kind).identity));

/** Compares location and ProviderConfig as far as both sides have them. */
export function isInPlace({ group, kind, providerConfig, scope }: ResourceQuery, other: ResourceQuery): boolean {
  const { identity } = findFacts(group, kind);
  return (
    (providerConfig ?? other.providerConfig) === (other.providerConfig ?? providerConfig) &&
    [...scope].every(([field, value]) => fold(other.scope.get(field) ?? value, identity) === fold(value, identity))
  );
}

/** Formats name parts: `v1/ConfigMap/cloud/orders`, or an external name as it is. */
export const toName = (names: readonly string[]): string => names.filter(Boolean).join("/");

/** Matches `apiVersion/kind/namespace/name`, or without the namespace. */
const MANIFEST = /^((?:[^/]+\/)??v\d+(?:(?:alpha|beta)\d+)?)\/([^/]+)\/(?:([^/]*)\/)?([^/]*)$/;

/**
 * Reverses `toName`: returns an external name as it is, and for an Object apiVersion, kind, namespace and name of
 * `v1/ConfigMap/cloud/orders` or `apps/v1/Deployment/cloud/orders`; undefined if the name has another form.
 *
 * @param parts the number of names of the kind: 1, or 4 for an Object.
 */
export function toNames(name: string, parts: number): readonly string[] | undefined {
  if (parts === 1) return [name];
  const [, apiVersion, kind = "", namespace = "", own = ""] = MANIFEST.exec(name) ?? [];
  return apiVersion === undefined ? undefined : [apiVersion, kind, namespace, own];
}

/** A managed resource that the function has registered (labelled), and the cloud resource that it represents. */
export type Holding = ReturnType<typeof toHolding>;

const IDS = ["status.atProvider.arn", "status.atProvider.id"].map(parseFieldPath);

export function toHolding(document: Document, kind: ResourceKind) {
  const contender = toContender(document);
  const claim = [CLAIM_NAMESPACE_LABEL, CLAIM_NAME_LABEL].flatMap((key) => readLabel(document, key) ?? []);
  const declared = readQuery(document).query;
  const query = { ...declared, providerConfig: toProviderConfig(document) };
  const [, ...path] = contender.owner.split("/");
  return {
    kind,
    contender,
    /** The cloud resource: `names` is [""] if its provider chooses the name. */
    query,
    /** The managed resource as kubectl takes it: `buckets.s3.aws.upbound.io/orders-x7k2p`, without its namespace. */
    resource: `${toFullName(kind)}/${contender.name}`,
    /** The managed resource in the format of an owner: `Bucket.s3.aws.upbound.io/orders-x7k2p`. */
    self: formatReference(toReference(document)),
    externalName: toName(query.names),
    /** The cloud's identifier, as far as the provider tells: the ARN, else the id. */
    id: IDS.map((path) => stringAt(document, path)).find((id) => id !== undefined),
    cluster: readAnnotation(document, CLUSTER),
    composite: stringAt(document, COMPOSITE_LABEL_PATH),
    claim: claim.length === 2 ? claim.join("/") : undefined,
    /** The namespace of the owner (`Kind.group/namespace/name`); without one, that of the managed resource. */
    namespace: path.length === 2 ? path[0] : stringAt(document, ["metadata", "namespace"]),
  };
}

/** Reads a cloud resource's name and location from a managed resource or manifest, and the field that names it. */
export function readQuery(document: Document): { readonly query: ResourceQuery; readonly path: FieldPath } {
  const { group, kind } = readManagedKind(document);
  const { identity: facts } = findFacts(group, kind);
  const resource = { desired: document, observed: document, facts };
  const read = readNames(resource);
  const found = read === "unresolved" ? undefined : read;
  const isGenerated = found?.path[0] === "metadata" && found.names.every((name) => name.endsWith("*")); // `toNamed` made the * from generateName
  const scope = facts.scope.flatMap((path) => {
    const value = textAt(resource, path);
    return value ? [[String(path.at(-1)), value] as const] : [];
  });
  const names = isGenerated ? [""] : (found?.names ?? [""]);
  const declared = readByItself(document, facts);
  // A name that contains the account needs no ProviderConfig to identify the cloud resource.
  const tellsAccount = isKnown(declared) && declared.account === "";
  const providerConfig = tellsAccount ? undefined : toProviderConfig(document);
  return { query: { group, kind, names, providerConfig, scope: new Map(scope) }, path: found?.path ?? EXTERNAL_NAME };
}

function toProviderConfig(document: Document): string {
  const { name, namespace } = readProviderConfig(document);
  return [namespace, name].filter(Boolean).join("/");
}
