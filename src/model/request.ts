import type { Document } from "./document.ts";
import type { Answer, SchemaAnswer } from "./requirement.ts";
import type { State } from "./resource.ts";

/** A capability that Crossplane advertises (v2.2 and later; earlier versions advertise none). */
export type Capability = "Capabilities" | "RequiredResources" | "Credentials" | "Conditions" | "RequiredSchemas";

/** One RunFunctionRequest, as the features see it. */
export interface Request {
  /** Opaque; goes back unchanged in the response. */
  readonly tag: string;
  readonly capabilities: ReadonlySet<Capability>;
  readonly observed: State;
  readonly desired: State;
  readonly input: Document;
  /** Values that earlier steps of the pipeline left for later ones, by key. */
  readonly context: Document;
  /** The answer to the requirement of that name, in whichever field this generation of Crossplane answers. */
  required(name: string): Answer;
  /** The answer to the schema requirement of that name. */
  requiredSchema(name: string): SchemaAnswer;
}
