import type { JsonObject } from "../../src/model/json.ts";

/** The objects of the model in cluster.ts, as the API server would show them. */

/** What kinds of XR differ in. */
export type Flavour = "legacy" | "claimed" | "nested" | "modern" | "namespaced";

export const UID = "uid-restored";
const NAME = "store";

/** On what the XR composes, and on the XR itself. */
export const rootOf = (flavour: Flavour): string => (flavour === "nested" ? "root" : NAME);

interface CompositeState {
  readonly flavour: Flavour;
  readonly references: readonly string[];
  /** Whether it was Crossplane that has written them. */
  readonly hasWrittenReferences: boolean;
  /** Whether the XR, if it is nested, is adopted itself. */
  readonly isAdopted: boolean;
  readonly conditions: readonly JsonObject[];
}

export function compositeOf({ flavour, references, conditions, ...state }: CompositeState): JsonObject {
  const resourceRefs = references.map((name) => ({ apiVersion: "cloud.example.org/v1", kind: "Bucket", name }));
  const written = { manager: "apiextensions.crossplane.io/composite", time: "2026-01-03T00:00:00Z" };
  return {
    apiVersion: "apps.example.org/v1",
    kind: "XStore",
    metadata: {
      name: NAME,
      uid: UID,
      creationTimestamp: "2026-01-02T00:00:00Z",
      managedFields: state.hasWrittenReferences ? [written] : [],
      labels: labelsOf(flavour, rootOf(flavour)),
      ...namespaceOf(flavour),
      ...(state.isAdopted && { ownerReferences: [{ kind: "XRoot", name: "root", uid: "uid-root", controller: true }] }),
    },
    spec: flavour === "modern" || flavour === "namespaced" ? { crossplane: { resourceRefs } } : { resourceRefs },
    status: { conditions },
  };
}

export interface Composed {
  /** Its composed resource name. */
  readonly composedAs: string;
  /** The name of the XR at the root of what composed it. */
  readonly root: string;
  /** The UID of its controller. */
  readonly controller: string | undefined;
}

export function bucketOf(name: string, { composedAs, root, controller }: Composed, flavour: Flavour): JsonObject {
  const owner = {
    apiVersion: "apps.example.org/v1",
    kind: "XStore",
    name: NAME,
    uid: controller ?? "",
    controller: true,
  };
  return {
    apiVersion: "cloud.example.org/v1",
    kind: "Bucket",
    metadata: {
      name,
      labels: labelsOf(flavour, root),
      annotations: { "crossplane.io/composition-resource-name": composedAs },
      ...namespaceOf(flavour),
      ...(controller !== undefined && { ownerReferences: [owner] }),
    },
    spec: { region: "eu" },
  };
}

const namespaceOf = (flavour: Flavour): JsonObject => (flavour === "namespaced" ? { namespace: "team-a" } : {});

function labelsOf(flavour: Flavour, root: string): JsonObject {
  const claim = { "crossplane.io/claim-name": "mine", "crossplane.io/claim-namespace": "team-a" };
  return { "crossplane.io/composite": root, ...(flavour === "claimed" && claim) };
}
