import { toComposite } from "../../src/crossplane/composite.ts";
import { EXTERNAL_NAME_KEY, fieldManagerOf, readAnnotation } from "../../src/crossplane/metadata.ts";
import { documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { ADOPTION } from "../../src/ownership/annotations.ts";
import { NAMES_NAME, namesRecordName } from "../../src/records/names-record.ts";
import { RECORD_KINDS, RECORD_LABEL, recordId } from "../../src/records/record.ts";
import { synced } from "../builders/kubernetes.ts";
import { COMPOSED_AS, composedAs } from "./control-plane.ts";
import { controllerOf, type Kind, metadataOf, type Name, objectIn } from "./store.ts";

/** The objects of the model in cluster.ts, as the API server would show them. */

/** The kinds of XR, which differ in their labels, owners and references. */
export type Flavour = "legacy" | "claimed" | "nested" | "modern" | "namespaced";

export const UID = "uid-restored";
const NAME = "store";
const API_VERSION = "apps.example.org/v1";
const ROOT = { apiVersion: API_VERSION, kind: "XRoot", name: "root" };

/** The value of the label `crossplane.io/composite`, on the XR and on the resources that it composes. */
export const rootOf = (flavour: Flavour): string => (flavour === "nested" ? "root" : NAME);

const namespaceOf = (flavour: Flavour) => (flavour === "namespaced" ? { namespace: "team-a" } : {});

const ownerOf = (uid: string) => ({ apiVersion: API_VERSION, kind: "XStore", name: NAME, uid, controller: true });

export function labelsOf(flavour: Flavour, root: string): JsonObject {
  const claim = { "crossplane.io/claim-name": "mine", "crossplane.io/claim-namespace": "team-a" };
  return { "crossplane.io/composite": root, ...(flavour === "claimed" && claim) };
}

/** The XR in which a nested one is composed. */
export const rootComposite: JsonObject = {
  apiVersion: API_VERSION,
  kind: "XRoot",
  metadata: { name: ROOT.name, uid: "uid-root", labels: { "crossplane.io/composite": ROOT.name } },
  spec: { resourceRefs: [{ apiVersion: API_VERSION, kind: "XStore", name: NAME }] },
};

interface CompositeState {
  readonly flavour: Flavour;
  readonly references: readonly (Kind & Name)[];
  /** Who has written them, since the restore. */
  readonly writer: "crossplane" | "velero" | undefined;
  /** True if the XR is nested and its own XR controls it. */
  readonly isAdopted: boolean;
  readonly conditions: readonly JsonObject[];
}

export function compositeOf({ flavour, references, conditions, writer, isAdopted }: CompositeState): JsonObject {
  const isModern = flavour === "modern" || flavour === "namespaced";
  const resourceRefs = references.map(({ apiVersion, kind, name }) => ({ apiVersion, kind, name }));
  const field = { "f:resourceRefs": {} };
  const written = {
    manager: writer === "crossplane" ? "apiextensions.crossplane.io/composite" : "velero-server",
    time: "2026-01-03T00:00:00Z",
    fieldsV1: { "f:spec": isModern ? { "f:crossplane": field } : field },
  };
  return {
    apiVersion: API_VERSION,
    kind: "XStore",
    metadata: {
      name: NAME,
      uid: UID,
      creationTimestamp: "2026-01-02T00:00:00Z",
      managedFields: writer === undefined ? [] : [written],
      labels: labelsOf(flavour, rootOf(flavour)),
      ...namespaceOf(flavour),
      ...(isAdopted && { ownerReferences: [{ ...ROOT, uid: "uid-root", controller: true }] }),
    },
    spec: isModern ? { crossplane: { resourceRefs } } : { resourceRefs },
    status: { conditions },
  };
}

/** The record of names, of the XR, or as an operator has applied it for a namespaced one. */
export const recordReference = (flavour: Flavour, isApplied = false): Kind & Name => ({
  ...RECORD_KINDS[flavour === "namespaced" && !isApplied ? "ConfigMap" : "EnvironmentConfig"],
  name: namesRecordName(recordIdOf(flavour)),
  ...(!isApplied && namespaceOf(flavour)),
});

export function recordIn(flavour: Flavour, data: JsonObject, controller?: string, isApplied = false): JsonObject {
  const { name, namespace, ...kind } = recordReference(flavour, isApplied);
  return {
    ...kind,
    metadata: {
      name,
      labels: { ...labelsOf(flavour, rootOf(flavour)), [RECORD_LABEL]: recordIdOf(flavour) },
      annotations: { [COMPOSED_AS]: NAMES_NAME },
      ...(namespace !== undefined && { namespace }),
      ...(controller !== undefined && { ownerReferences: [ownerOf(controller)] }),
    },
    data,
  };
}

const recordIdOf = (flavour: Flavour): string =>
  recordId(toComposite(documentOf({ ...ownerOf(""), metadata: { name: NAME, ...namespaceOf(flavour) } })));

export const BUCKET = { apiVersion: "cloud.example.org/v1", kind: "Bucket" } as const;

export const bucketReference = (name: string, of: Flavour): Kind & Name => ({ ...BUCKET, name, ...namespaceOf(of) });

export interface Composed {
  /** Its name in the Composition. */
  readonly composedAs: string;
  /** The name of the XR at the root of the tree that composed it. */
  readonly root: string;
  /** The UID of its controller. */
  readonly controller: string | undefined;
  /** The name of its cloud resource. */
  readonly externalName: string;
  /** The mark of what is desired again after a restore. */
  readonly adoption?: string | undefined;
  /** True if its provider has looked at it since it was restored or created. */
  readonly isLookedAt?: boolean;
  /** True if a restore has dropped its managed fields, and Crossplane has not applied it since. */
  readonly lacksFields?: boolean;
}

const LOOKED_AT = { ...synced("True", { lastTransitionTime: "2026-01-03T00:00:00Z" }), atProvider: { id: "known" } };

export const readBucket = (object: JsonObject): Composed => ({
  composedAs: composedAs(object),
  root: String(objectIn(metadataOf(object), "labels")["crossplane.io/composite"]),
  controller: controllerOf(object),
  externalName: readExternalName(object),
  adoption: readAnnotation(documentOf(object), ADOPTION),
  isLookedAt: object["status"] !== undefined,
  lacksFields: metadataOf(object)["managedFields"] === undefined,
});

export const readExternalName = (object: JsonObject): string =>
  String(objectIn(metadataOf(object), "annotations")[EXTERNAL_NAME_KEY] ?? "");

export function bucketOf(name: string, composed: Composed, flavour: Flavour): JsonObject {
  const { root, controller, externalName, adoption, isLookedAt = false, lacksFields = false } = composed;
  const owner = ownerOf(controller ?? "");
  return {
    ...BUCKET,
    metadata: {
      name,
      labels: labelsOf(flavour, root),
      creationTimestamp: "2026-01-02T00:00:00Z",
      annotations: {
        [COMPOSED_AS]: composed.composedAs,
        [EXTERNAL_NAME_KEY]: externalName,
        ...(adoption !== undefined && { [ADOPTION]: adoption }),
      },
      ...namespaceOf(flavour),
      ...(root === rootOf(flavour) &&
        !lacksFields && { managedFields: [{ manager: fieldManagerOf(owner), operation: "Apply" }] }),
      ...(controller !== undefined && { ownerReferences: [owner] }),
    },
    spec: { forProvider: {}, managementPolicies: ["*"] },
    ...(isLookedAt && { status: LOOKED_AT }),
  };
}
