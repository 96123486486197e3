import type { Document } from "./document.ts";
import type { Answers } from "./requirement.ts";
import type { State } from "./resource.ts";

/** A capability that Crossplane advertises (v2.2 and later; earlier versions advertise none). */
export type Capability = "Capabilities" | "RequiredResources" | "Credentials" | "Conditions" | "RequiredSchemas";

/** One RunFunctionRequest, as the features see it. */
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
