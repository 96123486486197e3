import {
  COPY_KINDS,
  COPY_PREFIX,
  readCopiedSecret,
  readSharedResource,
  type SecretName,
} from "../../../crossplane/copies.ts";
import { isObserver, readPolicies } from "../../../crossplane/management-policies.ts";
import { isSameResource, type Reference, resourceKey } from "../../../crossplane/references.ts";
import { compareTexts } from "../../../model/collections.ts";
import { readConditions, shownCondition } from "../../../model/condition.ts";
import { type Document, objectsAt, stringAt } from "../../../model/document.ts";
import { type FieldPath, parseFieldPath } from "../../../model/field-path.ts";
import { isObject, type JsonValue } from "../../../model/json.ts";
import { DNS_LABEL, isName } from "../../../model/names.ts";
import type { Resource } from "../../../model/request.ts";
import { SHARED_FROM } from "../../../ownership/annotations.ts";
import { isSameSecret, readEarlierOrigins } from "../source.ts";
import type { Target } from "../verdict.ts";

/** An observed composed resource that makes a copy: an Object of provider-kubernetes, or the Secret itself. */
export interface ObservedCopy {
  /** Its name in the Composition. */
  readonly key: string;
  readonly share: string;
  readonly resource: Resource;
  /** The name of the copy. */
  readonly target: SecretName | undefined;
  /** The source Secret; undefined if it reads none, or several. */
  readonly source: SecretName | undefined;
  /** The recorded shared resource; undefined where a team has removed the record. */
  readonly origin: Reference | undefined;
  /** Former shared resources, whose values may still be in the copy. */
  readonly earlier: readonly Reference[];
}

/** Each way to deliver has a composed resource of its own: one that took the other's place would take the Secret with it. */
const SUFFIXES = {
  Object: "",
  ConnectionSecret: "/connection-secret",
  Secret: "/secret",
  CompositeConnectionDetails: "",
} as const;

/** A copy's name in the Composition: a renamed target is another resource, so that the old one is collected. */
export const copyName = (share: string, { namespace, name, copy }: Target): string =>
  `${COPY_PREFIX}${share}/${namespace}/${name}${SUFFIXES[copy.via]}`;

/** Matches names of `copyName`, in segments as long as Kubernetes' names: a user who may edit the XR's references can give any name. */
const COPY_NAME = /^shared\/[^/]{1,63}\/[^/]{1,63}\/[^/]{1,253}(?:\/[a-z-]{1,20})?$/;

/**
 * Finds the copies among composed resources, in the order of their names. A team may have its XR refer to a ConfigMap that it has named
 * like a copy, and whose marks would have Crossplane look up whatever they name.
 */
export function findCopies(resources: ReadonlyMap<string, Resource>): readonly ObservedCopy[] {
  const copies: ObservedCopy[] = [];
  for (const [key, resource] of resources) {
    const isNamedLikeOne = key.startsWith(COPY_PREFIX) && COPY_NAME.test(key);
    if (isNamedLikeOne && COPYING.has(resource.document.at(KIND_PATH))) copies.push(toCopy(key, resource));
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
    source: readSourceSecret(document),
    origin: readSharedResource(document),
    // A Secret that Crossplane writes contains no former values.
    earlier: isSecret(document) ? [] : readEarlierOrigins(document),
  };
}

const KIND_PATH: FieldPath = ["kind"];
const COPYING: ReadonlySet<unknown> = new Set(Object.values(COPY_KINDS).map(({ kind }) => kind));
const MANIFEST: FieldPath = ["spec", "forProvider", "manifest"];
const CONNECTION_DETAILS = parseFieldPath("spec.connectionDetails");
/** The field in which an Object names the resources that its manifest takes values from. */
export const REFERENCES = parseFieldPath("spec.references");

export const isSecret = (document: Document): boolean => document.at(KIND_PATH) === "Secret";

/** Tells whether the copy is its Object's connection Secret, which is deleted with the Object. */
export const isPublisher = ({ document }: Resource): boolean => document.at(CONNECTION_DETAILS) !== undefined;

/** Reads the source Secret: the one that the provider reads, else the one in the copy's annotation. */
function readSourceSecret(document: Document): SecretName | undefined {
  const references = [
    ...objectsAt(document, REFERENCES).map(({ patchesFrom }) => patchesFrom),
    ...objectsAt(document, CONNECTION_DETAILS),
  ];
  if (references.length > 0) {
    const [first, ...others] = references.map(toPatchedSecret);
    return first !== undefined && others.every((other) => other !== undefined && isSameSecret(first, other))
      ? first
      : undefined;
  }
  const annotations = isSecret(document) ? ["metadata", "annotations"] : [...MANIFEST, "metadata", "annotations"];
  const [namespace, name, ...rest] = stringAt(document, [...annotations, SHARED_FROM])?.split("/") ?? [];
  // A team may edit a Secret in its namespace: what cannot be looked up is no source.
  const isSecretName = namespace !== undefined && name !== undefined && DNS_LABEL.test(namespace) && isName(name);
  return isSecretName && rest.length === 0 ? { namespace, name } : undefined;
}

function toPatchedSecret(reference: JsonValue | undefined): SecretName | undefined {
  if (!isObject(reference)) return undefined;
  const { namespace, name } = reference;
  return typeof namespace === "string" && typeof name === "string" ? { namespace, name } : undefined;
}

/**
 * Tells whether the provider has noticed that an Object only observes: it may not have read the observed spec yet. A status right
 * after a creation proves nothing: the runtime reads the Object again and reports a generation later than the one it acted on.
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
 * Tells whether the provider has read the present spec: its Synced condition names the generation, whatever its status. Providers
 * before crossplane-runtime v1.20 do not report a generation; for them the condition suffices.
 */
function isSeen(document: Document): boolean {
  const synced = readConditions(document).find(({ type }) => type === "Synced");
  if (synced === undefined) return false;
  const { observedGeneration } = synced;
  const generation = document.at(["metadata", "generation"]);
  return typeof observedGeneration !== "number" || typeof generation !== "number" || observedGeneration >= generation;
}

/**
 * Finds the former origins whose values may still be in a copy: all that are recorded, until the provider has written the present
 * spec. A Secret that Crossplane writes contains only new values once it is written.
 */
export function findStale({ resource, origin, earlier }: ObservedCopy, now: Reference): readonly Reference[] {
  const { document } = resource;
  const isMoving = origin !== undefined && resourceKey(origin) !== resourceKey(now);
  const isWritten = isCopyWritten(resource);
  const stale = [...(isMoving && !isSecret(document) ? [origin] : []), ...(isWritten ? [] : earlier)];
  const keys = new Set([resourceKey(now)]);
  return stale.filter((each) => !keys.has(resourceKey(each)) && keys.add(resourceKey(each)));
}

/** Tells whether a copy holds what its composed resource says now. */
const isCopyWritten = (resource: Resource): boolean =>
  isSecret(resource.document) || (isCopyReady(resource) && isSeen(resource.document));

/** Finds the Secret whose values all copies of a shared resource hold; undefined while one is moving to another. */
export function findCopied(copies: readonly ObservedCopy[], shared: Reference): SecretName | undefined {
  const own = copies.filter(({ origin }) => origin !== undefined && isSameResource(origin, shared));
  const [first, ...others] = own.map(({ resource, source }) => (isCopyWritten(resource) ? source : undefined));
  return first !== undefined && others.every((other) => other && isSameSecret(first, other)) ? first : undefined;
}

/** Tells whether the copy exists and is up to date. Checks Ready and Synced: an Object that fails to write stays Ready. */
export function isCopyReady(resource: Resource | undefined): boolean {
  if (resource === undefined) return false;
  if (isSecret(resource.document)) return true;
  return ["Ready", "Synced"].every((type) => shownCondition(resource.document, type)?.status === "True");
}

/** Tells whether the provider refuses to publish into a Secret that its Object does not control. */
export const isRefused = ({ document }: Resource): boolean =>
  shownCondition(document, "Synced")?.message.includes("refusing to modify uncontrolled secret") === true;

/** Reads the error that the provider reports where it cannot do what an Object says, such as a missing Secret, key, ProviderConfig or permission. */
export function failureOf({ document }: Resource): string | undefined {
  const synced = shownCondition(document, "Synced");
  return synced?.status === "False" && synced.message !== "" ? synced.message : undefined;
}
