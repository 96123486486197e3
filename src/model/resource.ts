import type { Document } from "./document.ts";

/** Tells whether a resource is ready, as far as the pipeline knows. Unspecified counts as not ready for a composed resource. */
export type Ready = "Unspecified" | "True" | "False";

/** A composite or composed resource: observed (whole) or desired (the fields the pipeline wants to own). */
export interface Resource {
  readonly document: Document;
  readonly ready: Ready;
  /** Connection details by key. Crossplane fills them in for the XR and composed resources only. */
  readonly connectionDetails: ReadonlyMap<string, Uint8Array>;
}

export interface State {
  readonly composite: Resource;
  /** Composed resources by their name in the Composition (`crossplane.io/composition-resource-name`). */
  readonly resources: ReadonlyMap<string, Resource>;
}
