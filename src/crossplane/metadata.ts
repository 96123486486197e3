import { type Document, objectsAt, stringAt } from "../model/document.ts";
import { type FieldPath, valueAt } from "../model/field-path.ts";
import { hashText } from "../model/hash.ts";
import { isObject, type JsonObject, toPlainText } from "../model/json.ts";
import { once } from "../model/once.ts";
import { groupKindOf } from "./api-group.ts";

export const annotationPath = (key: string): FieldPath => ["metadata", "annotations", key];
export const labelPath = (key: string): FieldPath => ["metadata", "labels", key];
export const NAME: FieldPath = ["metadata", "name"];

/** The annotation with the cloud resource's name. */
export const EXTERNAL_NAME_KEY = "crossplane.io/external-name";
export const EXTERNAL_NAME = annotationPath(EXTERNAL_NAME_KEY);

/** The annotation with a composed resource's name in its Composition. */
export const COMPOSITION_RESOURCE_NAME = annotationPath("crossplane.io/composition-resource-name");

/** The label with the name of the root XR, on all resources composed below it, nested XRs included. */
export const COMPOSITE_LABEL = "crossplane.io/composite";
export const COMPOSITE_LABEL_PATH = labelPath(COMPOSITE_LABEL);

/** The labels with the claim's name and namespace, on its XR and all resources composed for it. */
export const CLAIM_NAME_LABEL = "crossplane.io/claim-name";
export const CLAIM_NAMESPACE_LABEL = "crossplane.io/claim-namespace";

/** Reads a non-empty annotation. */
export const readAnnotation = (resource: Document, key: string): string | undefined =>
  stringAt(resource, annotationPath(key));

export const readLabel = (resource: Document, key: string): string | undefined => stringAt(resource, labelPath(key));

/** Tells whether reconciliation of the resource is paused. Source: crossplane-runtime pkg/meta, IsPaused. */
export const isPaused = (resource: Document): boolean => readAnnotation(resource, "crossplane.io/paused") === "true";

export const readUid = (resource: Document): string | undefined => stringAt(resource, ["metadata", "uid"]);

export const isBeingDeleted = (resource: Document): boolean =>
  stringAt(resource, ["metadata", "deletionTimestamp"]) !== undefined;

/** Formats `namespace/name`; the name alone of a cluster-scoped resource. */
export function qualifiedName(resource: Document): string {
  const namespace = stringAt(resource, ["metadata", "namespace"]);
  const name = stringAt(resource, NAME) ?? "";
  return namespace === undefined ? name : `${namespace}/${name}`;
}

export interface Controller {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export const OWNER_REFERENCES = ["metadata", "ownerReferences"];

export function findController(resource: Document): Controller | undefined {
  const owner = objectsAt(resource, OWNER_REFERENCES).find(({ controller }) => controller === true);
  if (owner === undefined) return undefined;
  const text = (field: keyof Controller): string => toPlainText(owner[field]);
  return { apiVersion: text("apiVersion"), kind: text("kind"), name: text("name"), uid: text("uid") };
}

/** The prefix of the field manager of a composed resource: `ComposedFieldOwnerName` in Crossplane's composition_functions.go. */
const COMPOSED = "apiextensions.crossplane.io/composed/";

/** The field manager of an XR's references: `FieldOwnerXR` in Crossplane's composition_functions.go. */
export const REFERENCES_MANAGER = "apiextensions.crossplane.io/composite";

/** Reads the entries of `metadata.managedFields`; none where a restore dropped them. */
export const readManagedFields = (resource: Document): readonly JsonObject[] =>
  objectsAt(resource, ["metadata", "managedFields"]);

/**
 * Tells whether another client wrote an XR's references after Crossplane did. The API server then removes the field
 * from the managed fields of Crossplane. False without managed fields, as in `crossplane render`.
 *
 * @param references the path of the field.
 */
export function isWrittenByOthers(composite: Document, references: readonly string[]): boolean {
  const fields = references.map((field) => `f:${field}`);
  const entries = readManagedFields(composite);
  const isOwner = ({ manager, fieldsV1 }: JsonObject): boolean =>
    manager === REFERENCES_MANAGER && isObject(fieldsV1) && valueAt(fieldsV1, fields) !== undefined;
  return entries.length > 0 && !entries.some(isOwner);
}

/** Reads the field managers of the XRs that composed the resource, once: managed fields are often half of it. */
export const readComposers = once((resource: Document): readonly string[] =>
  readManagedFields(resource)
    .map(({ manager }) => toPlainText(manager))
    .filter((manager) => manager.startsWith(COMPOSED)),
);

/** Computes the field manager with which Crossplane applies this XR's composed resources. */
export const fieldManagerOf = (composite: Omit<Controller, "uid">): string =>
  `${COMPOSED}${hashText(`${composite.name}${groupKindOf(composite)}`)}`;
