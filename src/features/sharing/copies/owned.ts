import { COPY_KINDS, MANIFEST_METADATA } from "../../../crossplane/copies.ts";
import { MANAGEMENT_POLICIES, OBSERVE } from "../../../crossplane/management-policies.ts";
import {
  isBeingDeleted,
  NAME,
  OWNER_REFERENCES,
  readComposers,
  readManagedFields,
} from "../../../crossplane/metadata.ts";
import { type Document, objectsAt, stringAt } from "../../../model/document.ts";
import { type FieldPath, valueAt, withValueAt } from "../../../model/field-path.ts";
import { type JsonObject, type JsonValue, toPlainText } from "../../../model/json.ts";

const UID: FieldPath = ["metadata", "uid"];
const FINALIZERS: FieldPath = ["metadata", "finalizers"];
const OWNERS: FieldPath = [...MANIFEST_METADATA, "ownerReferences"];
const WITHOUT_DELETE = ["Observe", "Create", "Update"];

/** Finalizer of an Object: Kubernetes deletes the Object without the Secret that it owns. */
const ORPHAN = "orphan";

/**
 * Makes the Object of a namespaced XR the owner of its Secret, by an owner reference in the manifest. Kubernetes then deletes
 * the Secret with the Object. The provider cannot delete a Secret in a namespace that is being deleted, where it may not
 * create its ProviderConfigUsage.
 *
 * The Object becomes the owner only if the Secret is in this cluster: in another one, Kubernetes deletes objects whose
 * owner does not exist. One of these facts proves that the Secret is in this cluster:
 *
 * - the provider reports the UID of the Secret that was found;
 * - the Object was an owner before a restore, under another UID;
 * - the Object is the owner, its ProviderConfig is the same, and its Secret is gone: a namespace that is being deleted may
 *   delete the Secret first.
 */
export function asOwner(object: JsonObject, observed: Document | undefined, found: Document | undefined): JsonObject {
  if (observed === undefined) return object;
  const written = stringAt(observed, ["status", "atProvider", "manifest", ...UID]);
  const isWritten = found !== undefined && written !== undefined && written === stringAt(found, UID);
  const isRestored = ownersOf(observed, OWNERS).some((uid) => uid !== stringAt(observed, UID));
  const isGone = found === undefined && isOwner(observed) && isForSameCluster(object, observed);
  if (!isWritten && !isRestored && !isGone) return object;
  const owning = withOwner(object, observed);
  // Kubernetes deletes the Secret. If the provider had to delete it, too, that would block the deletion of the namespace.
  return isGone || isOnlyOwner(observed, found) ? withValueAt(owning, MANAGEMENT_POLICIES, WITHOUT_DELETE) : owning;
}

const isForSameCluster = (object: JsonObject, observed: Document): boolean =>
  ["name", "kind"]
    .map((field) => ["spec", "providerConfigRef", field])
    .every((path) => valueAt(object, path) === observed.at(path));

function withOwner(object: JsonObject, observed: Document): JsonObject {
  const [name = "", uid = ""] = [NAME, UID].map((path) => stringAt(observed, path));
  return withValueAt(object, OWNERS, [...findLeftOwners(observed), { ...COPY_KINDS.NamespacedObject, name, uid }]);
}

const MANAGED_OWNERS = OWNERS.map((field) => `f:${String(field)}`);

/**
 * Finds the owner references under former UIDs of the Object that Crossplane has not applied, as after a restore without managed fields.
 * Server-side apply takes away only what it has applied, so they are desired once more. Otherwise Kubernetes would take them off the Secret
 * and the provider put them back, for ever.
 */
function findLeftOwners(observed: Document): readonly JsonObject[] {
  const composers = readComposers(observed);
  const applied = readManagedFields(observed).filter(({ manager }) => composers.includes(toPlainText(manager)));
  const isLeft = ({ uid = "" }: JsonObject): boolean =>
    uid !== stringAt(observed, UID) &&
    !applied.some(
      (entry) => valueAt(entry, ["fieldsV1", ...MANAGED_OWNERS, `k:${JSON.stringify({ uid })}`]) !== undefined,
    );
  const isWithoutFields = readManagedFields(observed).length === 0; // `crossplane render`
  return isWithoutFields ? [] : objectsAt(observed, OWNERS).filter(isLeft);
}

/** Keeps an Object's finalizer and its owner reference, which gets the Object's present UID. */
export function keepOwner(object: JsonObject, observed: Document): JsonObject {
  const kept = isOrphaning(observed) ? withValueAt(object, FINALIZERS, [ORPHAN]) : object;
  return isOwner(observed) ? withOwner(kept, observed) : kept;
}

/** Limits an Object to observing: neither its provider nor Kubernetes deletes the Secret with it. */
export function asObserver(object: JsonObject, observed: Document | undefined): JsonObject {
  const limited = withValueAt(object, MANAGEMENT_POLICIES, OBSERVE);
  // Kubernetes adds no finalizer to an object that is being deleted.
  const isOrphan = observed && (isOrphaning(observed) || (isOwner(observed) && !isBeingDeleted(observed)));
  return isOrphan === true ? withValueAt(limited, FINALIZERS, [ORPHAN]) : limited;
}

/** Makes the provider remove the Object's owner reference from its Secret. */
export const asFormerOwner = (object: JsonObject): JsonObject =>
  withValueAt(withValueAt(object, OWNERS, []), MANAGEMENT_POLICIES, ["Observe", "Update"]);

/**
 * Tells whether this Object is the only owner of the Secret: Kubernetes would delete the Secret with the Object. Former UIDs
 * of this Object do not count as other owners.
 */
export function isOnlyOwner(observed: Document, found: Document | undefined): boolean {
  const owners = found === undefined ? [] : ownersOf(found, OWNER_REFERENCES);
  const own = stringAt(observed, UID);
  return owners.includes(own) && owners.every((uid) => uid === own || ownersOf(observed, OWNERS).includes(uid));
}

const ownersOf = (document: Document, path: FieldPath): readonly (JsonValue | undefined)[] =>
  objectsAt(document, path).map(({ uid }) => uid);

export const isOwner = (observed: Document): boolean => ownersOf(observed, OWNERS).length > 0;

const isOrphaning = (observed: Document): boolean => [observed.at(FINALIZERS)].flat().includes(ORPHAN);
