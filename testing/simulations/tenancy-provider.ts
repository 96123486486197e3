import { parseFieldPath, valueAt } from "../../src/model/field-path.ts";
import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";
import { withMetadata } from "../builders/composed.ts";
import { controllerOf, type Kind, may, metadataOf, type Name, nameOf, objectIn, SECRET } from "./store.ts";

/** The part of provider-kubernetes that decides what becomes of Secrets. */

export const OBJECTS: readonly Kind[] = [
  { apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object" },
  { apiVersion: "kubernetes.m.crossplane.io/v1alpha1", kind: "Object" },
];

/** The provider's operations on Secrets, which the simulated world carries out. */
export interface Secrets {
  find(name: Name): JsonObject | undefined;
  write(secret: JsonObject): void;
  remove(name: Name): void;
}

const MESSAGE_OF_REFUSAL = "cannot publish: refusing to modify uncontrolled secret";

export const isDeleting = (object: JsonObject): boolean => metadataOf(object)["deletionTimestamp"] !== undefined;

/** The Secret that an Object stands for. */
export function targetOf(object: JsonObject): Name | undefined {
  const published = valueAt(object, ["spec", "writeConnectionSecretToRef"]);
  if (isObject(published)) {
    const own = nameOf(object).namespace;
    return { name: String(published["name"]), namespace: own ?? String(published["namespace"]) };
  }
  const manifest = manifestOf(object);
  return manifest["kind"] === "Secret" ? nameOf(manifest) : undefined;
}

const manifestOf = (object: JsonObject): JsonObject =>
  objectIn(objectIn(objectIn(object, "spec"), "forProvider"), "manifest");
const isPublisher = (object: JsonObject): boolean =>
  objectIn(object, "spec")["writeConnectionSecretToRef"] !== undefined;

/** One reconcile of an Object, and Kubernetes' part in its end. @returns it with its new status; undefined where it is gone */
export function provide(object: JsonObject, secrets: Secrets): JsonObject | undefined {
  const target = targetOf(object);
  if (isDeleting(object)) {
    if (target !== undefined) release(object, target, secrets);
    return undefined;
  }
  const fault = isPublisher(object) ? publish(object, secrets) : write(object, secrets);
  const status = fault === undefined ? "True" : "False";
  const observedGeneration = metadataOf(object)["generation"] ?? 0;
  const conditions = ["Ready", "Synced"].map((type) => ({ type, status, message: fault ?? "", observedGeneration }));
  const found = target && secrets.find(target);
  const atProvider = found && { manifest: { metadata: { uid: nameOf(found).uid } } };
  return { ...object, status: { conditions, observedGeneration, ...(atProvider && { atProvider }) } };
}

/** Its provider deletes the Secret if it may, else Kubernetes does if the Object alone owns it and is not to leave it. */
function release(object: JsonObject, target: Name, secrets: Secrets): void {
  const [{ uid }, found, { finalizers }] = [nameOf(object), secrets.find(target), metadataOf(object)];
  const owners = found === undefined ? [] : ownersOf(found);
  const isLeft = Array.isArray(finalizers) && finalizers.includes("orphan");
  const isOwned = !isLeft && owners.length > 0 && owners.every((owner) => owner["uid"] === uid);
  if (isPublisher(object) ? isOwn(object, target, secrets) : may(object, "Delete") || isOwned) secrets.remove(target);
}

export function ownersOf(secret: JsonObject): readonly JsonObject[] {
  const owners = metadataOf(secret)["ownerReferences"];
  return Array.isArray(owners) ? owners.filter(isObject) : [];
}

/** Copies what the references name into the manifest, and writes that; it asks nobody whose the Secret is. */
function write(object: JsonObject, secrets: Secrets): string | undefined {
  const manifest = manifestOf(object);
  const copied = copiedBy(object, secrets);
  if (copied === undefined) return "cannot resolve references";
  if (!may(object, "Update")) return secrets.find(nameOf(manifest)) === undefined ? "does not exist" : undefined;
  const others = ownersOf(secrets.find(nameOf(manifest)) ?? {}).filter((owner) => owner["uid"] !== nameOf(object).uid);
  const written = withMetadata(manifest, { ownerReferences: [...others, ...ownersOf(manifest)] });
  secrets.write({ ...written, data: { ...objectIn(manifest, "data"), ...copied } });
  return undefined;
}

function copiedBy(object: JsonObject, secrets: Secrets): JsonObject | undefined {
  const references = objectIn(object, "spec")["references"];
  let data: JsonObject = {};
  for (const reference of Array.isArray(references) ? references.filter(isObject) : []) {
    const from = objectIn(reference, "patchesFrom");
    const value = valueFrom(from, String(from["fieldPath"]), secrets);
    if (value === undefined) return undefined;
    const to = String(reference["toFieldPath"]);
    data = to === "data" ? { ...data, ...(isObject(value) ? value : {}) } : { ...data, [keyIn(to)]: value };
  }
  return data;
}

const keyIn = (path: string): string => String(parseFieldPath(path).at(-1));

function valueFrom(from: JsonObject, path: string, secrets: Secrets): JsonValue | undefined {
  const source = secrets.find({ namespace: String(from["namespace"]), name: String(from["name"]) });
  return source && valueAt(source, parseFieldPath(path));
}

/** Publishes connection details; a Secret that the Object does not control is left alone. */
function publish(object: JsonObject, secrets: Secrets): string | undefined {
  const target = targetOf(object);
  const details = objectIn(object, "spec")["connectionDetails"];
  let data: JsonObject = {};
  for (const detail of Array.isArray(details) ? details.filter(isObject) : []) {
    const value = valueFrom(detail, String(detail["fieldPath"]), secrets);
    if (value === undefined) return "cannot get connection details";
    data = { ...data, [String(detail["toConnectionSecretKey"])]: value };
  }
  if (target === undefined) return "no target";
  if (secrets.find(target) !== undefined && !isOwn(object, target, secrets)) return MESSAGE_OF_REFUSAL;
  const ownerReferences = [{ uid: nameOf(object).uid, controller: true }];
  const metadata = { name: target.name, namespace: target.namespace ?? "", ownerReferences };
  secrets.write({ ...SECRET, metadata, type: "connection.crossplane.io/v1alpha1", data });
  return undefined;
}

function isOwn(object: JsonObject, target: Name, secrets: Secrets): boolean {
  const secret = secrets.find(target);
  return secret !== undefined && controllerOf(secret) === nameOf(object).uid;
}
