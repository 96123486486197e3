import { type Document, stringAt } from "../../../model/document.ts";
import { type FieldPath, parseFieldPath } from "../../../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../model/json.ts";
import type { Resource } from "../../../model/resource.ts";
import { SHARED_FROM } from "../../../ownership/owner.ts";
import { type Origin, readEarlierOrigins, readOrigin } from "../origin.ts";
import { isSameSecret, type SecretName } from "../source.ts";

/** The observed resource that makes a copy: an Object of provider-kubernetes, or the Secret itself. */
export interface ObservedCopy {
  /** Its name in the Composition. */
  readonly key: string;
  /** The name of the share that it was composed for. */
  readonly share: string;
  readonly resource: Resource;
  /** The Secret that is the copy. */
  readonly target: SecretName | undefined;
  /** The Secret that it was made from; undefined where it reads none, or several. */
  readonly source: SecretName | undefined;
  /** The shared resource that it was made from; undefined of copies from before this was recorded. */
  readonly origin: Origin | undefined;
  /** Those before it, of which something may still be in the copy. */
  readonly earlier: readonly Origin[];
}

/** The names in the Composition of all copies of all shares begin so. */
const PREFIX = "shared/";

/** All copies of a share have this before their names. */
export const prefixFor = (share: string): string => `${PREFIX}${share}/`;

/** Finds the copies among composed resources, in the order of their names. */
export function findCopies(resources: ReadonlyMap<string, Resource>): readonly ObservedCopy[] {
  const copies: ObservedCopy[] = [];
  for (const [key, resource] of resources) if (key.startsWith(PREFIX)) copies.push(toCopy(key, resource));
  return copies.sort((a, b) => (a.key < b.key ? -1 : 1));
}

function toCopy(key: string, resource: Resource): ObservedCopy {
  const { document } = resource;
  const share = key.split("/", 2)[1] ?? "";
  return {
    key,
    share,
    resource,
    target: findTarget(document),
    source: readSource(document),
    origin: readOrigin(document),
    earlier: readEarlierOrigins(document),
  };
}

const KIND: FieldPath = ["kind"];
const MANIFEST: FieldPath = ["spec", "forProvider", "manifest"];
const CONNECTION_DETAILS = parseFieldPath("spec.connectionDetails");
const REFERENCES = parseFieldPath("spec.references");
const PUBLISHED = parseFieldPath("spec.writeConnectionSecretToRef");

export const isSecret = (document: Document): boolean => document.at(KIND) === "Secret";

/** Tells whether the copy is the connection Secret of its Object, which is deleted with it. */
export const isPublisher = ({ document }: Resource): boolean => document.at(CONNECTION_DETAILS) !== undefined;

function findTarget(document: Document): SecretName | undefined {
  if (isSecret(document)) return secretAt(document, ["metadata"]);
  if (document.at(PUBLISHED) === undefined) return secretAt(document, [...MANIFEST, "metadata"]);
  const name = stringAt(document, [...PUBLISHED, "name"]);
  const namespace =
    stringAt(document, [...PUBLISHED, "namespace"]) ?? stringAt(document, [...MANIFEST, "metadata", "name"]);
  return name === undefined || namespace === undefined ? undefined : { namespace, name };
}

function secretAt(document: Document, path: FieldPath): SecretName | undefined {
  const namespace = stringAt(document, [...path, "namespace"]);
  const name = stringAt(document, [...path, "name"]);
  return name === undefined || namespace === undefined ? undefined : { namespace, name };
}

/** The Secret that the provider reads; where it reads none, the one that the copy's annotation names. */
function readSource(document: Document): SecretName | undefined {
  const references = [
    ...itemsAt(document, REFERENCES).map(({ patchesFrom }) => patchesFrom),
    ...itemsAt(document, CONNECTION_DETAILS),
  ];
  if (references.length > 0) {
    const [first, ...others] = references.map(toSecretName);
    return first !== undefined && others.every((other) => other !== undefined && isSameSecret(first, other))
      ? first
      : undefined;
  }
  const annotations = isSecret(document) ? ["metadata", "annotations"] : [...MANIFEST, "metadata", "annotations"];
  const [namespace, name, ...rest] = stringAt(document, [...annotations, SHARED_FROM])?.split("/") ?? [];
  return namespace === undefined || name === undefined || rest.length > 0 ? undefined : { namespace, name };
}

function itemsAt(document: Document, path: FieldPath): readonly JsonObject[] {
  const list = document.at(path);
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function toSecretName(reference: JsonValue | undefined): SecretName | undefined {
  if (!isObject(reference)) return undefined;
  const { namespace, name } = reference;
  return typeof namespace === "string" && typeof name === "string" ? { namespace, name } : undefined;
}
