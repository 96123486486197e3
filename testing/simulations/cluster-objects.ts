import { toComposite } from "../../src/crossplane/composite.ts";
import { composerName } from "../../src/crossplane/metadata.ts";
import { documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { NAMES_NAME, namesRecordName } from "../../src/ownership/names.ts";
import { RECORD_KINDS, RECORD_LABEL, recordOf } from "../../src/ownership/record.ts";

/** The objects of the model in cluster.ts, as the API server would show them. */

/** The kinds of XR, which differ in their labels, owners and references. */
export type Flavour = "legacy" | "claimed" | "nested" | "modern" | "namespaced";

export const UID = "uid-restored";
const NAME = "store";

/** The value of the label `crossplane.io/composite`, on the XR and on the resources that it composes. */
export const rootOf = (flavour: Flavour): string => (flavour === "nested" ? "root" : NAME);

const ROOT = { apiVersion: "apps.example.org/v1", kind: "XRoot", name: "root" };

/** The XR in which a nested one is composed. */
export const rootComposite: JsonObject = {
  apiVersion: ROOT.apiVersion,
  kind: ROOT.kind,
  metadata: { name: ROOT.name, uid: "uid-root", labels: { "crossplane.io/composite": ROOT.name } },
  spec: { resourceRefs: [{ apiVersion: "apps.example.org/v1", kind: "XStore", name: NAME }] },
};

interface CompositeState {
  readonly flavour: Flavour;
  readonly references: readonly string[];
  readonly refersToRecord: boolean;
  /** Who has written them, since the restore. */
  readonly writer: "crossplane" | "velero" | undefined;
  /** True if the XR is nested and its own XR controls it. */
  readonly isAdopted: boolean;
  readonly conditions: readonly JsonObject[];
}

export function compositeOf({ flavour, references, conditions, ...state }: CompositeState): JsonObject {
  const buckets = references.map((name) => ({ apiVersion: "cloud.example.org/v1", kind: "Bucket", name }));
  const record = {
    ...RECORD_KINDS[flavour === "namespaced" ? "ConfigMap" : "EnvironmentConfig"],
    name: recordNameOf(flavour),
  };
  const resourceRefs = state.refersToRecord ? [...buckets, record] : buckets;
  const isModern = flavour === "modern" || flavour === "namespaced";
  const field = { "f:resourceRefs": {} };
  const written = {
    manager: state.writer === "crossplane" ? "apiextensions.crossplane.io/composite" : "velero-server",
    time: "2026-01-03T00:00:00Z",
    fieldsV1: { "f:spec": isModern ? { "f:crossplane": field } : field },
  };
  return {
    apiVersion: "apps.example.org/v1",
    kind: "XStore",
    metadata: {
      name: NAME,
      uid: UID,
      creationTimestamp: "2026-01-02T00:00:00Z",
      managedFields: state.writer === undefined ? [] : [written],
      labels: labelsOf(flavour, rootOf(flavour)),
      ...namespaceOf(flavour),
      ...(state.isAdopted && { ownerReferences: [{ ...ROOT, uid: "uid-root", controller: true }] }),
    },
    spec: isModern ? { crossplane: { resourceRefs } } : { resourceRefs },
    status: { conditions },
  };
}

export interface Composed {
  /** Its name in the Composition. */
  readonly composedAs: string;
  /** The name of the XR at the root of the tree that composed it. */
  readonly root: string;
  /** The UID of its controller. */
  readonly controller: string | undefined;
  /** The name of its cloud resource. */
  readonly externalName: string;
}

const ownerOf = (uid: string | undefined) => ({
  apiVersion: "apps.example.org/v1",
  kind: "XStore",
  name: NAME,
  uid: uid ?? "",
  controller: true,
});

/** The record of names, of the XR, or as an operator has applied it for a namespaced one. */
export const recordIn = (flavour: Flavour, data: JsonObject, controller?: string, isApplied = false): JsonObject => ({
  ...RECORD_KINDS[flavour === "namespaced" && !isApplied ? "ConfigMap" : "EnvironmentConfig"],
  metadata: {
    name: recordNameOf(flavour),
    labels: { ...labelsOf(flavour, rootOf(flavour)), [RECORD_LABEL]: recordIdOf(flavour) },
    annotations: { "crossplane.io/composition-resource-name": NAMES_NAME },
    ...(!isApplied && namespaceOf(flavour)),
    ...(controller !== undefined && { ownerReferences: [ownerOf(controller)] }),
  },
  data,
});

const recordIdOf = (flavour: Flavour): string =>
  recordOf(toComposite(documentOf({ ...ownerOf(""), metadata: { name: NAME, ...namespaceOf(flavour) } })));

const recordNameOf = (flavour: Flavour): string => namesRecordName(recordIdOf(flavour));

export function bucketOf(name: string, composed: Composed, flavour: Flavour): JsonObject {
  const { composedAs, root, controller, externalName } = composed;
  const owner = ownerOf(controller);
  return {
    apiVersion: "cloud.example.org/v1",
    kind: "Bucket",
    metadata: {
      name,
      labels: labelsOf(flavour, root),
      annotations: {
        "crossplane.io/composition-resource-name": composedAs,
        "crossplane.io/external-name": externalName,
      },
      ...namespaceOf(flavour),
      ...(root === NAME && { managedFields: [{ manager: composerName({ ...owner }), operation: "Apply" }] }),
      ...(controller !== undefined && { ownerReferences: [owner] }),
    },
    spec: { forProvider: {}, managementPolicies: ["*"] },
  };
}

const namespaceOf = (flavour: Flavour): JsonObject => (flavour === "namespaced" ? { namespace: "team-a" } : {});

function labelsOf(flavour: Flavour, root: string): JsonObject {
  const claim = { "crossplane.io/claim-name": "mine", "crossplane.io/claim-namespace": "team-a" };
  return { "crossplane.io/composite": root, ...(flavour === "claimed" && claim) };
}
