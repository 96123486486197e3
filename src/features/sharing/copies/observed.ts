import { isObserver, OBSERVE, policiesOf } from "../../../crossplane/management-policies.ts";
import { annotationOf } from "../../../crossplane/metadata.ts";
import { conditionsOf, shownCondition } from "../../../model/condition.ts";
import { type Document, stringAt } from "../../../model/document.ts";
import type { ResourceEdit } from "../../../model/draft.ts";
import { type FieldPath, parseFieldPath } from "../../../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../model/json.ts";
import type { Resource } from "../../../model/resource.ts";
import { SHARED_FROM } from "../../../ownership/owner.ts";
import { pick } from "../../observed.ts";
import {
  EARLIER_RESOURCES,
  type Origin,
  originKey,
  readEarlierOrigins,
  readOrigin,
  SHARED_RESOURCE,
} from "../origin.ts";
import { isSameSecret, type SecretName } from "../source.ts";
import { SOURCE_VERSION } from "./composed.ts";

/** What was composed for a copy, as it is observed: an Object of provider-kubernetes, or the Secret itself. */
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

const isSecret = (document: Document): boolean => document.at(KIND) === "Secret";

/** Whether the copy is the connection Secret of its Object, and so goes with it. */
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

/** What the provider reads counts; where it reads nothing, what the copy says of itself. */
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

const DESIRED_OF_OBJECT = [
  "apiVersion",
  "kind",
  "spec.forProvider.manifest.apiVersion",
  "spec.forProvider.manifest.kind",
  "spec.forProvider.manifest.metadata",
  "spec.forProvider.manifest.type",
  "spec.providerConfigRef",
  "spec.references",
  "spec.connectionDetails",
  "spec.writeConnectionSecretToRef",
].map(parseFieldPath);

const POLICIES = parseFieldPath("spec.managementPolicies");

const DESIRED_OF_SECRET = [
  "apiVersion",
  "kind",
  "metadata.name",
  "metadata.namespace",
  "metadata.labels",
  "metadata.annotations",
  "type",
  "data",
].map(parseFieldPath);

const MANIFEST_DATA = parseFieldPath("spec.forProvider.manifest.data");
const OUR_ANNOTATIONS = [SHARED_RESOURCE, EARLIER_RESOURCES, SOURCE_VERSION];

/**
 * Desires a copy exactly as we desired it before, its management policies and its recorded origin included. Nothing else of it
 * may come back: what we desired once would be ours, and go as soon as we no longer desired it. A Secret's data that the
 * provider filled in is not even read.
 */
export function asDesired(observed: Document): JsonObject {
  if (isSecret(observed)) return pick(observed, DESIRED_OF_SECRET);
  const paths = [...DESIRED_OF_OBJECT];
  // All is the default: of an Object that is not limited we never said so.
  if (policiesOf(observed)?.includes("*") === false) paths.push(POLICIES);
  // Where the provider fills in the data, it does so by references.
  if (observed.at(REFERENCES) === undefined) paths.push(MANIFEST_DATA);
  const object = pick(observed, paths);
  const annotations = OUR_ANNOTATIONS.flatMap((name) => {
    const text = annotationOf(observed, name);
    return text === undefined ? [] : [[name, text] as const];
  });
  return annotations.length === 0 ? object : { ...object, metadata: { annotations: Object.fromEntries(annotations) } };
}

/** Keeps a copy as it is. */
export const keep = ({ resource }: ObservedCopy): ResourceEdit => ({
  is: "set",
  object: asDesired(resource.document),
  ready: isReady(resource) ? "True" : "False",
});

/**
 * Gives a Secret up without deleting it: the Object first learns to observe only, and goes when the provider has read that.
 * Dropped at once, it would take the Secret with it. Undefined for what can be dropped at once, or cannot be released.
 */
export function release({ resource }: ObservedCopy): ResourceEdit | undefined {
  const { document } = resource;
  if (isSecret(document) || isPublisher(resource) || isReleased(document)) return undefined;
  const object = asDesired(document);
  const spec = { ...(isObject(object["spec"]) ? object["spec"] : {}), managementPolicies: OBSERVE };
  return { is: "set", object: { ...object, spec }, ready: "False" };
}

/**
 * Tells whether the provider has read that an Object observes only. Crossplane has written the spec that we see, and the
 * provider may not have seen it.
 */
export function isReleased(document: Document): boolean {
  const policies = policiesOf(document);
  return policies !== undefined && isObserver(policies) && isSeen(document);
}

/**
 * Tells whether the provider has seen the spec as it is: its Synced condition says which generation it is about, whether the
 * provider could do what that says or not. Providers from before crossplane-runtime v1.20 do not say so, and there the
 * condition alone has to do.
 */
function isSeen(document: Document): boolean {
  const synced = conditionsOf(document).find(({ type }) => type === "Synced");
  if (synced === undefined) return false;
  const { observedGeneration } = synced;
  const generation = document.at(["metadata", "generation"]);
  return typeof observedGeneration !== "number" || typeof generation !== "number" || observedGeneration >= generation;
}

/**
 * Finds the origins of which something may still be in a copy that is to be made from another one: all that are recorded, until
 * the provider has written what the Object says. A Secret that Crossplane writes holds nothing else as soon as it is written.
 */
export function findStale({ resource, origin, earlier }: ObservedCopy, now: Origin): readonly Origin[] {
  const { document } = resource;
  const isMoving = origin !== undefined && originKey(origin) !== originKey(now);
  const isWritten = isSecret(document) || (isReady(resource) && isSeen(document));
  const stale = [...(isMoving && !isSecret(document) ? [origin] : []), ...(isWritten ? [] : earlier)];
  const keys = new Set([originKey(now)]);
  return stale.filter((each) => !keys.has(originKey(each)) && keys.add(originKey(each)));
}

/** Whether the copy is there and up to date. An Object that may not write stays Ready but is not Synced: both count. */
export function isReady(resource: Resource | undefined): boolean {
  if (resource === undefined) return false;
  if (isSecret(resource.document)) return true;
  return ["Ready", "Synced"].every((type) => shownCondition(resource.document, type)?.status === "True");
}

/** Whether the provider says that the Secret which an Object is to publish into belongs to somebody else. */
export const isRefused = ({ document }: Resource): boolean =>
  shownCondition(document, "Synced")?.message.includes("refusing to modify uncontrolled secret") === true;
