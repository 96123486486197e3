import type { Condition, Result } from "./condition.ts";
import type { Document } from "./document.ts";
import type { FieldPath } from "./field-path.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { ResourceSelector, SchemaSelector } from "./requirement.ts";
import type { Ready } from "./resource.ts";

/** What becomes of one desired composed resource. What is undefined stays as the steps before us left it. */
export type ResourceEdit =
  | {
      readonly is: "set";
      readonly object?: JsonObject | undefined;
      /** A value set in the object; without decoding the rest of it where the object is the steps' before us. */
      readonly value?: ValueEdit | undefined;
      readonly ready?: Ready | undefined;
    }
  | { readonly is: "removed" };

interface ValueEdit {
  readonly path: FieldPath;
  readonly value: JsonValue;
}

/** What goes into the context: plain JSON, with whole Documents where a request's resource is passed on unread. */
export type ContextValue = JsonValue | Document | readonly ContextValue[] | { readonly [key: string]: ContextValue };

/** One tag that a composed resource is to have and does not have yet, or the other way round. */
export interface TagChange {
  /** The resource's name in the Composition. */
  readonly resource: string;
  readonly key: string;
  readonly old: string | undefined;
  readonly new: string | undefined;
  /** The XR or claim whose tag it is. */
  readonly owner: string;
}

/**
 * The response in the making: only what we change. All that the steps before us desired goes back as it came, byte for
 * byte, unless an edit names it. Readonly; `draft.ts` has a function for each kind of change, and each returns a new Draft.
 */
export interface Draft {
  readonly resources: ReadonlyMap<string, ResourceEdit>;
  /** Values set in the desired XR; Crossplane takes its status only. Later ones win. */
  readonly composite: readonly ValueEdit[];
  /** Connection details of the XR, in base64, by key; they are added to those of the steps before us. */
  readonly connectionDetails: ReadonlyMap<string, string>;
  /** Undefined leaves the XR's readiness to the steps before us. */
  readonly compositeReady: Ready | undefined;
  readonly requirements: ReadonlyMap<string, ResourceSelector>;
  /** Schemas to look up; for a Crossplane that says it can (v2.2 and later). */
  readonly requiredSchemas: ReadonlyMap<string, SchemaSelector>;
  readonly context: ReadonlyMap<string, ContextValue>;
  readonly conditions: readonly Condition[];
  readonly results: readonly Result[];
  /** How long, in seconds, Crossplane may wait until it calls again. Undefined: it decides. */
  readonly ttlSeconds: number | undefined;
  /** What an Operation's status keeps of this step. Compositions have no place for it. */
  readonly output: JsonObject | undefined;
  /** For the log, not for Crossplane: which tags this answer changes. */
  readonly audit: readonly TagChange[];
}

export const emptyDraft: Draft = {
  resources: new Map(),
  composite: [],
  connectionDetails: new Map(),
  compositeReady: undefined,
  requirements: new Map(),
  requiredSchemas: new Map(),
  context: new Map(),
  conditions: [],
  results: [],
  ttlSeconds: undefined,
  output: undefined,
  audit: [],
};
