import { COPY_KINDS, MANIFEST_METADATA } from "../../../crossplane/copies.ts";
import { MANAGEMENT_POLICIES, OBSERVE } from "../../../crossplane/management-policies.ts";
import { isBeingDeleted, NAME, OWNER_REFERENCES } from "../../../crossplane/metadata.ts";
import { type Document, objectsAt, stringAt } from "../../../model/document.ts";
import { type FieldPath, valueAt, withValueAt } from "../../../model/field-path.ts";
import type { JsonObject, JsonValue } from "../../../model/json.ts";

const UID: FieldPath = ["metadata", "uid"];
const FINALIZERS: FieldPath = ["metadata", "finalizers"];
const OWNERS: FieldPath = [...MANIFEST_METADATA, "ownerReferences"];
const WITHOUT_DELETE = ["Observe", "Create", "Update"];

/** The finalizer for which Kubernetes keeps an Object's Secret when it deletes the Object with its XR. */
const ORPHAN = "orphan";

/**
 * Makes the Object of a namespaced XR the owner of its Secret, so that Kubernetes deletes the Secret: its manifest gets
 * an owner reference. In a namespace that is being deleted a provider cannot delete it, because it may not create the
 * ProviderConfigUsage that it needs.
 *
 * The Secret's UID has to be the one in the Object's status. Otherwise the provider may write into another cluster, where no
 * such Object exists, and Kubernetes would delete the Secret at once. A restored Object replaces the owner that it had.
 */
export function asOwner(object: JsonObject, observed: Document | undefined, found: Document | undefined): JsonObject {
  if (observed === undefined) return object;
  const written = stringAt(observed, ["status", "atProvider", "manifest", ...UID]);
  const isWritten = found !== undefined && written !== undefined && written === stringAt(found, UID);
  const isRestored = ownersOf(observed, OWNERS).some((uid) => uid !== stringAt(observed, UID));
  // A namespace that is being deleted may have deleted the Secret first.
  const isGone = found === undefined && isOwner(observed) && isForSameCluster(object, observed);
  if (!isWritten && !isRestored && !isGone) return object;
  const owning = withOwner(object, observed);
  // Kubernetes deletes the Secret of a sole owner. A provider with Delete would block the namespace's deletion.
  return isGone || isOnlyOwner(observed, found) ? withValueAt(owning, MANAGEMENT_POLICIES, WITHOUT_DELETE) : owning;
}

const isForSameCluster = (object: JsonObject, observed: Document): boolean =>
  ["name", "kind"]
    .map((field) => ["spec", "providerConfigRef", field])
    .every((path) => valueAt(object, path) === observed.at(path));

function withOwner(object: JsonObject, observed: Document): JsonObject {
  const [name = "", uid = ""] = [NAME, UID].map((path) => stringAt(observed, path));
  return withValueAt(object, OWNERS, [{ ...COPY_KINDS.NamespacedObject, name, uid }]);
}

/** Keeps an Object's finalizer, and its owner reference with its present UID. */
export function keepOwner(object: JsonObject, observed: Document): JsonObject {
  const kept = isOrphaning(observed) ? withValueAt(object, FINALIZERS, [ORPHAN]) : object;
  return isOwner(observed) ? withOwner(kept, observed) : kept;
}

/** Makes an Object observe only, so that neither its provider nor Kubernetes deletes its Secret with it. */
export function asObserver(object: JsonObject, observed: Document | undefined): JsonObject {
  const limited = withValueAt(object, MANAGEMENT_POLICIES, OBSERVE);
  // Kubernetes adds no finalizer to an object that is being deleted.
  const isOrphan = observed && (isOrphaning(observed) || (isOwner(observed) && !isBeingDeleted(observed)));
  return isOrphan === true ? withValueAt(limited, FINALIZERS, [ORPHAN]) : limited;
}

/** Makes the provider remove the Object's owner reference from its Secret. */
export const asFormerOwner = (object: JsonObject): JsonObject =>
  withValueAt(withValueAt(object, OWNERS, []), MANAGEMENT_POLICIES, ["Observe", "Update"]);

/** Tells whether this Object, now or before a restore, is a Secret's only owner. Kubernetes deletes both together. */
export function isOnlyOwner(observed: Document, found: Document | undefined): boolean {
  const owners = found === undefined ? [] : ownersOf(found, OWNER_REFERENCES);
  const own = stringAt(observed, UID);
  return owners.includes(own) && owners.every((uid) => uid === own || ownersOf(observed, OWNERS).includes(uid));
}

const ownersOf = (document: Document, path: FieldPath): readonly (JsonValue | undefined)[] =>
  objectsAt(document, path).map(({ uid }) => uid);

export const isOwner = (observed: Document): boolean => ownersOf(observed, OWNERS).length > 0;

const isOrphaning = (observed: Document): boolean => [observed.at(FINALIZERS)].flat().includes(ORPHAN);
