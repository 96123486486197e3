import type { Document } from "./document.ts";
import type { Answers } from "./requirement.ts";

/** The readiness that the pipeline sets. A composed resource with Unspecified is not ready for Crossplane. */
export type Ready = "Unspecified" | "True" | "False";

/** A composite or composed resource: observed (whole) or desired (the fields the pipeline wants to own). */
export interface Resource {
  readonly document: Document;
  readonly ready: Ready;
  /** True if Crossplane has read the connection Secret of this observed resource. */
  readonly hasConnectionDetails: boolean;
}

export interface State {
  readonly composite: Resource;
  /** Composed resources by their name in the Composition (`crossplane.io/composition-resource-name`). */
  readonly resources: ReadonlyMap<string, Resource>;
}

/** A capability that Crossplane advertises (v2.2 and later; earlier versions advertise none). */
export type Capability = "Capabilities" | "RequiredResources" | "Credentials" | "Conditions" | "RequiredSchemas";

export interface Request extends Answers {
  /** Opaque; goes back unchanged in the response. */
  readonly tag: string;
  readonly capabilities: ReadonlySet<Capability>;
  readonly observed: State;
  readonly desired: State;
  readonly input: Document;
  /** Values that earlier steps of the pipeline left for later ones, by key. */
  readonly context: Document;
}
