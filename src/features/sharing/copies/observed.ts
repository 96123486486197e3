import { readCopiedSecret, readSharedResource, type SecretName } from "../../../crossplane/copies.ts";
import { isObserver, readPolicies } from "../../../crossplane/management-policies.ts";
import { type Reference, resourceKey } from "../../../crossplane/references.ts";
import { compareTexts } from "../../../model/compare.ts";
import { readConditions, shownCondition } from "../../../model/condition.ts";
import { type Document, stringAt } from "../../../model/document.ts";
import { type FieldPath, parseFieldPath } from "../../../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../model/json.ts";
import type { Resource } from "../../../model/resource.ts";
import { SHARED_FROM } from "../../../ownership/owner.ts";
import { isSameSecret, readEarlierOrigins } from "../source.ts";
import type { Target } from "../verdict.ts";

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
  readonly origin: Reference | undefined;
  /** Those before it, of which something may still be in the copy. */
  readonly earlier: readonly Reference[];
}

/** The names in the Composition of all copies of all shares begin so. */
const PREFIX = "shared/";

/** Each way to deliver has a composed resource of its own: one that took the other's place would take the Secret with it. */
const SUFFIXES = {
  Object: "",
  ObjectWithValues: "",
  ConnectionSecret: "/connection-secret",
  Secret: "/secret",
  CompositeConnectionDetails: "",
} as const;

/** A copy's name in the Composition: a renamed target is another resource, so that the old one is collected. */
export const copyName = (share: string, { namespace, name, copy }: Target): string =>
  `${PREFIX}${share}/${namespace}/${name}${SUFFIXES[copy.via]}`;

/** A name as `copyName` makes it, in segments as long as Kubernetes' names: whoever may edit references gives others any name. */
const COPY_NAME = /^shared\/[^/]{1,63}\/[^/]{1,63}\/[^/]{1,253}(?:\/[a-z-]{1,20})?$/;

/** Finds the copies among composed resources, in the order of their names. */
export function findCopies(resources: ReadonlyMap<string, Resource>): readonly ObservedCopy[] {
  const copies: ObservedCopy[] = [];
  for (const [key, resource] of resources) {
    if (key.startsWith(PREFIX) && COPY_NAME.test(key)) copies.push(toCopy(key, resource));
  }
  return copies.sort((a, b) => compareTexts(a.key, b.key));
}

function toCopy(key: string, resource: Resource): ObservedCopy {
  const { document } = resource;
  const share = key.split("/", 2)[1] ?? "";
  return {
    key,
    share,
    resource,
    target: readCopiedSecret(document),
    source: readSource(document),
    origin: readSharedResource(document),
    // Of a Secret that Crossplane writes nothing earlier is left.
    earlier: isSecret(document) ? [] : readEarlierOrigins(document),
  };
}

const KIND: FieldPath = ["kind"];
const MANIFEST: FieldPath = ["spec", "forProvider", "manifest"];
const CONNECTION_DETAILS = parseFieldPath("spec.connectionDetails");
const REFERENCES = parseFieldPath("spec.references");

export const isSecret = (document: Document): boolean => document.at(KIND) === "Secret";

/** Tells whether the copy is the connection Secret of its Object, which is deleted with it. */
export const isPublisher = ({ document }: Resource): boolean => document.at(CONNECTION_DETAILS) !== undefined;

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

/**
 * Tells whether the provider has read that an Object observes only. Crossplane has written the spec that we see, and the
 * provider may not have seen it. A status from right after a creation proves nothing: the runtime reads the Object anew then,
 * and stamps a generation that may be later than the one it acted on.
 */
export function isReleased(document: Document): boolean {
  const policies = readPolicies(document);
  const isCreating = shownCondition(document, "Ready")?.reason === "Creating";
  return policies !== undefined && isObserver(policies) && isSeen(document) && !isCreating;
}

/** Tells whether an Object can be dropped without its Secret, because its provider has read that it only observes. */
export const isDroppable = ({ resource }: ObservedCopy): boolean =>
  !isPublisher(resource) && isReleased(resource.document);

/**
 * Tells whether the provider has seen the spec as it is: its Synced condition says which generation it is about, whether the
 * provider could do what that says or not. Providers from before crossplane-runtime v1.20 do not say so, and there the
 * condition alone has to do.
 */
function isSeen(document: Document): boolean {
  const synced = readConditions(document).find(({ type }) => type === "Synced");
  if (synced === undefined) return false;
  const { observedGeneration } = synced;
  const generation = document.at(["metadata", "generation"]);
  return typeof observedGeneration !== "number" || typeof generation !== "number" || observedGeneration >= generation;
}

/**
 * Finds the origins of which something may still be in a copy that is to be made from another one: all that are recorded, until
 * the provider has written what the Object says. A Secret that Crossplane writes holds nothing else as soon as it is written.
 */
export function findStale({ resource, origin, earlier }: ObservedCopy, now: Reference): readonly Reference[] {
  const { document } = resource;
  const isMoving = origin !== undefined && resourceKey(origin) !== resourceKey(now);
  const isWritten = isSecret(document) || (isReady(resource) && isSeen(document));
  const stale = [...(isMoving && !isSecret(document) ? [origin] : []), ...(isWritten ? [] : earlier)];
  const keys = new Set([resourceKey(now)]);
  return stale.filter((each) => !keys.has(resourceKey(each)) && keys.add(resourceKey(each)));
}

/** Tells whether the copy exists and is up to date. An Object that may not write stays Ready but is not Synced: both count. */
export function isReady(resource: Resource | undefined): boolean {
  if (resource === undefined) return false;
  if (isSecret(resource.document)) return true;
  return ["Ready", "Synced"].every((type) => shownCondition(resource.document, type)?.status === "True");
}

/** Tells whether the provider reports that the Secret which an Object is to publish into belongs to somebody else. */
export const isRefused = ({ document }: Resource): boolean =>
  shownCondition(document, "Synced")?.message.includes("refusing to modify uncontrolled secret") === true;

/** What the provider reports where it cannot do what an Object says, such as a missing Secret, key, ProviderConfig or permission. */
export function failureOf({ document }: Resource): string | undefined {
  const synced = shownCondition(document, "Synced");
  return synced?.status === "False" && synced.message !== "" ? synced.message : undefined;
}
