import type { Composite } from "../../../crossplane/composite.ts";
import { COPY_KINDS, formatSecret, type SecretName, SHARED_RESOURCE } from "../../../crossplane/copies.ts";
import { OBSERVE, readPolicies } from "../../../crossplane/management-policies.ts";
import { annotationPath, readAnnotation } from "../../../crossplane/metadata.ts";
import type { Reference } from "../../../crossplane/references.ts";
import { type Document, documentOf, objectsAt } from "../../../model/document.ts";
import { type FieldPath, formatFieldPath, parseFieldPath, valueAt, withValueAt } from "../../../model/field-path.ts";
import { hashText } from "../../../model/hash.ts";
import { isObject, type JsonObject, type JsonValue, pick } from "../../../model/json.ts";
import { DOMAIN } from "../../../model/names.ts";
import { formatOwner, OWNER, SHARED_FROM } from "../../../ownership/annotations.ts";
import { pickObserved } from "../../feature.ts";
import { type Data, EARLIER_RESOURCES, formatOrigin, formatOrigins } from "../source.ts";
import type { Copying, NamedCopy, Original, Target } from "../verdict.ts";
import { isSecret, REFERENCES } from "./observed.ts";

/** Annotation of an Object: the source Secret's resourceVersion. A change makes the provider read at once, not at its next poll. */
const SOURCE_VERSION = `${DOMAIN}/source-version`;

/** The label of a copy with a hash of its name, for Crossplane v1, which looks up namespaced resources by labels only. */
const TARGET_LABEL = `${DOMAIN}/target`;

export const targetLabel = (secret: SecretName) => ({
  [TARGET_LABEL]: hashText(formatSecret(secret), 40),
});

/** Composes the resource that makes a copy: one of two forms of provider-kubernetes' Object, or the Secret itself. */
export function composeCopy(target: Target, copying: Copying, data: Data, composite: Composite): JsonObject {
  const { copy } = target;
  const manifest = composeManifest(copying, target, composite);
  switch (copy.via) {
    case "Secret": {
      const metadata = withOrigin(manifest.metadata, copying.origin);
      return { ...manifest, metadata, data: Object.fromEntries(data) };
    }
    case "ConnectionSecret":
      return publishingObject(copying, target, data, composite);
    // The provider reads the source and writes the copy. What it cannot read, the manifest holds: no other secret byte is read here.
    default: {
      const references = composeReferences(copying.source, copy);
      return composeObject(copying, composite, copy, {
        forProvider: { manifest: data.size === 0 ? manifest : { ...manifest, data: Object.fromEntries(data) } },
        ...(references.length > 0 && { references, ...watchOf(composite) }),
      });
    }
  }
}

/**
 * Lets a provider with --enable-watches read the source at once when it changes. Not for a namespaced Object: for those the provider
 * (v1.3.0, namespaced/object/indexes.go) keeps all of the cluster's Secrets in memory once more for each namespace.
 */
const watchOf = (composite: Composite): JsonObject => (composite.namespace === undefined ? { watch: true } : {});

/**
 * Composes an Object that only observes the copy's Namespace, and publishes the source's keys as its own connection Secret. The
 * provider refuses to write a Secret that this Object does not control.
 */
function publishingObject(
  { origin, source, secret }: Copying,
  { namespace, name, copy }: Target,
  data: Data,
  composite: Composite,
): JsonObject {
  const listed = copy.keys?.flatMap(({ from, to }) => (from === undefined ? [] : [{ from, to }]));
  const keys = listed ?? [...data.keys()].map((key) => ({ from: key, to: key }));
  const version = secret.is === "read" ? secret.version : undefined;
  const spec = {
    managementPolicies: OBSERVE,
    forProvider: { manifest: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } } },
    connectionDetails: keys.map(({ from, to }) => ({
      apiVersion: "v1",
      kind: "Secret",
      namespace: source.namespace,
      name: source.name,
      fieldPath: formatFieldPath(["data", from]),
      toConnectionSecretKey: to,
    })),
    writeConnectionSecretToRef: composite.namespace === undefined ? { namespace, name } : { name },
  };
  return composeObject({ origin }, composite, copy, spec, version === undefined ? {} : { [SOURCE_VERSION]: version });
}

/** Composes the copy without its data. */
const composeManifest = ({ source }: Original, target: Target, composite: Composite) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: target.name,
    namespace: target.namespace,
    labels: { ...target.copy.labels, ...targetLabel(target) },
    annotations: {
      ...target.copy.annotations,
      [OWNER]: formatOwner(composite),
      [SHARED_FROM]: formatSecret(source),
    },
  },
  type: target.copy.type,
});

interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const withOrigin = (metadata: Metadata, origin: Reference) => ({
  ...metadata,
  annotations: { ...metadata.annotations, [SHARED_RESOURCE]: formatOrigin(origin) },
});

/** Composes an Object; for a namespaced XR the namespaced kind (provider-kubernetes v1, kubernetes.m.crossplane.io). */
function composeObject(
  { origin }: Pick<Original, "origin">,
  composite: Composite,
  { providerConfigRef: { kind, name } }: NamedCopy,
  spec: JsonObject,
  annotations: Metadata["annotations"] = {},
): JsonObject {
  const isNamespaced = composite.namespace !== undefined;
  return {
    ...COPY_KINDS[isNamespaced ? "NamespacedObject" : "Object"],
    metadata: withOrigin({ annotations: { [OWNER]: formatOwner(composite), ...annotations } }, origin),
    spec: { ...spec, providerConfigRef: isNamespaced ? { kind, name } : { name } },
  };
}

function composeReferences({ namespace, name }: SecretName, { keys }: NamedCopy): readonly JsonValue[] {
  const patch = (from: string, to: string) => ({
    patchesFrom: { apiVersion: "v1", kind: "Secret", namespace, name, fieldPath: from },
    toFieldPath: to,
  });
  if (keys === undefined) return [patch("data", "data")];
  return keys.flatMap(({ from, to }) =>
    from === undefined ? [] : [patch(formatFieldPath(["data", from]), formatFieldPath(["data", to]))],
  );
}

/** Records on an Object the former shared resources whose values may still be in its Secret. */
export const withEarlierOrigins = (object: JsonObject, origins: readonly Reference[]): JsonObject =>
  origins.length === 0 ? object : withValueAt(object, annotationPath(EARLIER_RESOURCES), formatOrigins(origins));

/** Makes an Object observe only: it neither writes nor deletes its Secret. */
export const asObserver = (object: JsonObject): JsonObject => ({
  ...object,
  spec: { ...(isObject(object["spec"]) ? object["spec"] : {}), managementPolicies: OBSERVE },
});

const POLICIES = parseFieldPath("spec.managementPolicies");
const MANIFEST = parseFieldPath("spec.forProvider.manifest");
const ALL: FieldPath = ["data"];
const DATA: FieldPath = [...MANIFEST, ...ALL];

const DESIRED_OF_OBJECT = [
  ...["apiVersion", "kind"].map((field) => [field]),
  ...["apiVersion", "kind", "metadata", "type"].map((field) => [...MANIFEST, field]),
  ...["providerConfigRef", "references", "connectionDetails", "writeConnectionSecretToRef"].map((field) => [
    "spec",
    field,
  ]),
];

const DESIRED_OF_SECRET = [
  ...["apiVersion", "kind", "type", "data"].map((field) => [field]),
  ...["name", "namespace", "labels", "annotations"].map((field) => ["metadata", field]),
];

const OUR_ANNOTATIONS = [OWNER, SHARED_RESOURCE, EARLIER_RESOURCES, SOURCE_VERSION];

/**
 * Desires a copy exactly as we desired it before, with its management policies and its recorded origin. Fields that others set
 * are left out: with server-side apply they would become ours, and be removed once we no longer desire them.
 */
export function asDesiredBefore(observed: Document): JsonObject {
  if (isSecret(observed)) return pickObserved(observed, DESIRED_OF_SECRET);
  const paths: FieldPath[] = [...DESIRED_OF_OBJECT];
  // All is the default: of an Object that is not limited we never said so.
  if (readPolicies(observed)?.includes("*") === false) paths.push(POLICIES);
  const annotations = OUR_ANNOTATIONS.flatMap((name) => {
    const text = readAnnotation(observed, name);
    return text === undefined ? [] : [[name, text] as const];
  });
  const data = readOwnData(observed);
  const picked = pickObserved(observed, paths);
  const object = data === undefined ? picked : withValueAt(picked, DATA, data);
  return annotations.length === 0 ? object : { ...object, metadata: { annotations: Object.fromEntries(annotations) } };
}

/** Reads the data that the manifest of an Object has from us: the provider fills in, and writes back, what the references name. */
function readOwnData(observed: Document): JsonObject | undefined {
  const own = pickUnfilled(observed.at(DATA), observed);
  const isByProvider = observed.at(REFERENCES) !== undefined;
  return own === undefined || (isByProvider && Object.keys(own).length === 0) ? undefined : own;
}

/** Picks the data that no reference of an Object fills in; undefined where they fill in all. */
function pickUnfilled(data: JsonValue | undefined, object: Document): JsonObject | undefined {
  const filled = new Set(objectsAt(object, REFERENCES).map(({ toFieldPath }) => toFieldPath));
  if (!isObject(data) || filled.has(formatFieldPath(ALL))) return undefined;
  return pick(data, (key) => !filled.has(formatFieldPath([...ALL, key])));
}

/**
 * Empties keys that an Object's manifest still holds and that are listed no longer. The provider has written them back, so that left
 * out they would stay there, and in the Secret. Emptied by us they are ours, and go when they are left out in the next reconcile.
 */
export function withStaleEmptied(object: JsonObject, observed: Document | undefined): JsonObject {
  const left = pickUnfilled(observed?.at(DATA), documentOf(object));
  const own = valueAt(object, DATA);
  const wanted = isObject(own) ? own : {};
  const stale = pick(left ?? {}, (key, value) => value !== "" && !Object.hasOwn(wanted, key));
  const emptied = Object.fromEntries(Object.keys(stale).map((key) => [key, ""]));
  return Object.keys(stale).length === 0 ? object : withValueAt(object, DATA, { ...wanted, ...emptied });
}
