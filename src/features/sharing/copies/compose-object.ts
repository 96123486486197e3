import { COPY_KINDS, formatSecret, type SecretName, SHARED_RESOURCE } from "../../../crossplane/copies.ts";
import { MANAGEMENT_POLICIES, OBSERVE, readPolicies } from "../../../crossplane/management-policies.ts";
import { annotationPath } from "../../../crossplane/metadata.ts";
import type { Reference } from "../../../crossplane/references.ts";
import { type Document, objectsAt } from "../../../model/document.ts";
import type { ResourceEdit } from "../../../model/draft.ts";
import { formatFieldPath, parseFieldPath, withValueAt } from "../../../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue, pick } from "../../../model/json.ts";
import { DOMAIN } from "../../../model/names.ts";
import { formatOwner, OWNER, SHARED_FROM } from "../../../ownership/annotations.ts";
import { pickObserved } from "../../desired.ts";
import type { Call } from "../../feature.ts";
import type { Copying, Target } from "../judgement.ts";
import type { Data } from "../source.ts";
import { markComposite, targetLabel } from "./foreign-secret.ts";
import {
  EARLIER_RESOURCES,
  isDroppable,
  isReady,
  isWritten,
  MANIFEST,
  type ObservedCopy,
  REFERENCES,
} from "./observed.ts";
import { asFormerOwner, asObserver, asOwner, isOnlyOwner, keepOwner } from "./owned.ts";

/** Annotation of an Object: the source Secret's resourceVersion. A change makes the provider read the source at once. */
const SOURCE_VERSION = `${DOMAIN}/source-version`;

export interface Composed {
  readonly resource: readonly [name: string, edit: ResourceEdit];
  /** The Secret, listed once for each shared resource whose values it may hold. */
  readonly made: readonly { readonly origin: Reference; readonly secret: SecretName }[];
  /** The bytes of a composed resource that is desired as it is observed; undefined for one that is written. */
  readonly bytes?: number;
}

/** A target Secret that a share writes. */
export interface WrittenCopy {
  /** The copy's name in the Composition. */
  readonly key: string;
  readonly target: Target;
  readonly observed: ObservedCopy | undefined;
  /** `observed`, else the former Object of the Secret. */
  readonly former: ObservedCopy | undefined;
  /** The target Secret, if it exists. */
  readonly found: Document | undefined;
  readonly data: Data;
  /** Former shared resources whose values the Secret may still hold. */
  readonly earlier: readonly Reference[];
  readonly copying: Copying;
  readonly call: Call;
}

/** Composes a copy: an Object of provider-kubernetes, or the Secret itself. With `observe` the Object only observes for now. */
export function writeCopy(copy: WrittenCopy, action: "write" | "observe"): Composed {
  const { key, observed, target: secret, copying, earlier } = copy;
  const isThere = action === "write" && observed !== undefined && isReady(observed);
  const object = action === "write" ? compose(copy) : asObserver(compose(copy), observed?.document);
  const made = [copying.origin, ...earlier].map((origin) => ({ origin, secret }));
  return { resource: [key, toEdit(object, isThere)], made };
}

export function keepCopy(copy: ObservedCopy): Composed {
  const { key, origin, target: secret } = copy;
  const made = origin && secret ? [{ origin, secret }] : [];
  return { ...toObserved(key, asDesiredBefore(copy), isReady(copy)), made };
}

/** Keeps a copy whose Object only observes, and lets the provider delete the Secret with the Object from now on. */
export function keepToDelete(copy: ObservedCopy): Composed {
  const object = withValueAt(asDesiredBefore(copy), MANAGEMENT_POLICIES, ["Observe", "Delete"]);
  return { ...keepCopy(copy), ...toObserved(copy.key, object, false) };
}

/** The next writer of a Secret: `thisShare` by another copy, or `another` share or XR. */
type NextWriter = "thisShare" | "another";

const toObserved = (key: string, object: JsonObject, isThere: boolean) =>
  ({ resource: [key, toEdit(object, isThere)], bytes: Buffer.byteLength(JSON.stringify(object)) }) as const;

/**
 * Gives up a copy. An Object whose manifest has the Secret leaves that Secret to the next writer: the Object only observes from
 * now on, and is deleted once its provider has read that. Other copies are deleted at once, with their Secrets.
 *
 * Kubernetes deletes a Secret with its only owner. An Object that is the only owner stays: for `thisShare` until the provider
 * has removed the owner reference, for `another` writer until that writer's Object is an owner, too.
 */
export function giveUpCopy(copy: ObservedCopy, found: Document | undefined, writer: NextWriter): readonly Composed[] {
  const { key, document } = copy;
  const wouldDelete = isOnlyOwner(document, found);
  if (isDroppable(copy) && !wouldDelete) return [];
  const object = asDesiredBefore(copy);
  const edited = wouldDelete && writer === "thisShare" ? asFormerOwner(object) : asObserver(object, document);
  return [{ ...toObserved(key, edited, false), made: [] }];
}

const toEdit = (object: JsonObject, isThere: boolean): ResourceEdit => ({
  is: "set",
  object,
  ready: isThere ? "True" : "False",
});

function compose(copy: WrittenCopy): JsonObject {
  const { target, observed, former, found, copying, data, earlier } = copy;
  const { via, providerConfigRef } = target.copy;
  const { origin, secret } = copying;
  const { composite } = copy.call;
  const version = via === "ConnectionSecret" && secret.is === "read" ? secret.version : undefined;
  const annotations = {
    [OWNER]: formatOwner(composite),
    [SHARED_RESOURCE]: JSON.stringify(origin),
    ...(earlier.length > 0 && { [EARLIER_RESOURCES]: JSON.stringify(earlier) }),
    ...(version !== undefined && { [SOURCE_VERSION]: version }),
  };
  if (via === "Secret")
    return { ...composeSecret(copy, annotations), data: withStaleEmptied(Object.fromEntries(data), [], former) };
  const spec = via === "ConnectionSecret" ? toPublishing(copy) : toCopying(copy);
  const metadata = { annotations };
  // The Object of a namespaced XR is of the namespaced kind (provider-kubernetes v1, kubernetes.m.crossplane.io).
  if (composite.namespace === undefined)
    return { ...COPY_KINDS.Object, metadata, spec: { ...spec, providerConfigRef: { name: providerConfigRef.name } } };
  const object = { ...COPY_KINDS.NamespacedObject, metadata, spec: { ...spec, providerConfigRef } };
  const canOwn = via === "Object" && target.namespace === composite.namespace;
  return canOwn ? asOwner(object, observed?.document, found) : object;
}

/** Composes the copy as a Secret without data. @param records more annotations, which later calls read */
const composeSecret = ({ target, copying, call }: WrittenCopy, records: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: target.name,
    namespace: target.namespace,
    labels: { ...target.copy.labels, ...targetLabel(target) },
    annotations: {
      ...target.copy.annotations,
      [OWNER]: formatOwner(call.composite),
      [SHARED_FROM]: formatSecret(copying.source),
      ...markComposite(call.composite),
      ...records,
    },
  },
  type: target.copy.type,
});

/**
 * Makes the spec of an Object whose provider reads the source and writes the copy. The manifest contains only the values of
 * templates, which this function fills in, and emptied keys (`withStaleEmptied`).
 *
 * `watch`: a provider with --enable-watches reads the source when it changes. Not set on a namespaced Object: there the
 * provider (v1.3.1, namespaced/object/indexes.go) caches all Secrets of the cluster again for each namespace.
 */
function toCopying(copy: WrittenCopy) {
  const { target, former, copying, data, call } = copy;
  const patch = (from: string, to: string) => ({
    patchesFrom: toFieldReference(copying.source, from),
    toFieldPath: to,
  });
  const keys = target.copy.keys?.flatMap(({ from, to }) => (from ? [patch(formatKey(from), formatKey(to))] : []));
  const references = keys ?? [patch("data", "data")];
  const own = withStaleEmptied(Object.fromEntries(data), references, former);
  const manifest = { ...composeSecret(copy), ...(Object.keys(own).length > 0 && { data: own }) };
  const watch = call.composite.namespace === undefined && { watch: true };
  return { forProvider: { manifest }, ...(references.length > 0 && { references, ...watch }) };
}

const toFieldReference = ({ namespace, name }: SecretName, fieldPath: string) => {
  return { apiVersion: "v1", kind: "Secret", namespace, name, fieldPath };
};

const formatKey = (key: string): string => formatFieldPath(["data", key]);

/**
 * Makes the spec of an Object that observes the copy's Namespace and writes the source's keys as its own connection
 * Secret. The provider refuses to write a Secret that this Object does not control.
 */
function toPublishing({ target, copying: { source, secret }, call }: WrittenCopy) {
  const { namespace, name, copy } = target;
  const all = secret.is === "read" ? Object.keys(secret.data).sort() : [];
  const keys = copy.keys ?? all.map((key) => ({ from: key, to: key }));
  const detail = (from: string, to: string) => ({
    ...toFieldReference(source, formatKey(from)),
    toConnectionSecretKey: to,
  });
  return {
    managementPolicies: OBSERVE,
    forProvider: { manifest: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } } },
    connectionDetails: keys.flatMap(({ from, to }) => (from ? [detail(from, to)] : [])),
    writeConnectionSecretToRef: call.composite.namespace === undefined ? { namespace, name } : { name },
  };
}

const DATA = [...MANIFEST, "data"];

const DESIRED_OF_OBJECT = [
  ...["apiVersion", "kind"].map(parseFieldPath),
  ...[OWNER, SHARED_RESOURCE, EARLIER_RESOURCES, SOURCE_VERSION].map(annotationPath),
  ...["apiVersion", "kind", "metadata", "type"].map((field) => [...MANIFEST, field]),
  ...["providerConfigRef", "references", "watch", "connectionDetails", "writeConnectionSecretToRef"].map((field) => [
    "spec",
    field,
  ]),
];

const DESIRED_OF_SECRET = [
  ...["apiVersion", "kind", "type", "data"].map(parseFieldPath),
  ...["name", "namespace", "labels", "annotations"].map((field) => ["metadata", field]),
];

/**
 * Desires an observed copy exactly as this function desired it before. Leaves out fields of other managers: server-side
 * apply would give them to Crossplane, and remove them once they are no longer desired.
 */
function asDesiredBefore({ document, isSecret }: ObservedCopy): JsonObject {
  if (isSecret) return pickObserved(document, DESIRED_OF_SECRET);
  // Policies with "*" are the default, which this function never desired.
  const isLimited = readPolicies(document)?.includes("*") === false;
  const picked = pickObserved(document, isLimited ? [...DESIRED_OF_OBJECT, MANAGEMENT_POLICIES] : DESIRED_OF_OBJECT);
  const object = keepOwner(picked, document);
  // The provider writes the values of references into the manifest.
  const data = pickUnfilled(document.at(DATA), objectsAt(document, REFERENCES));
  return Object.keys(data).length === 0 ? object : withValueAt(object, DATA, data);
}

/** Picks those keys of a manifest's data that no entry of spec.references fills in. */
function pickUnfilled(data: JsonValue | undefined, references: readonly JsonObject[]): JsonObject {
  const filled = new Set(references.map(({ toFieldPath }) => toFieldPath));
  return isObject(data) && !filled.has("data") ? pick(data, (key) => !filled.has(formatKey(key))) : {};
}

/**
 * Adds each key of the former manifest that the copy no longer lists, with the value "". The provider wrote these keys, and
 * Crossplane removes only fields that it has set itself: without this they would stay, in the Secret as well. Once the provider
 * has written the empty keys, they are left out, and Crossplane removes them.
 */
function withStaleEmptied(own: JsonObject, references: readonly JsonObject[], former: ObservedCopy | undefined) {
  const left = pickUnfilled(former?.document.at(DATA), references);
  const isDone = former !== undefined && isWritten(former);
  const stale = pick(left, (key, value) => !(value === "" && isDone) && !Object.hasOwn(own, key));
  return { ...own, ...Object.fromEntries(Object.keys(stale).map((key) => [key, ""])) };
}
