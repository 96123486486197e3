import { type Condition, type Result, withMessageCut } from "./condition.ts";
import type { Document, ValueEdit } from "./document.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Ready } from "./request.ts";
import type { Requirements, ResourceSelector, SchemaSelector } from "./requirement.ts";

/** An edit of a desired composed resource. Undefined parts stay as earlier steps set them. */
export type ResourceEdit =
  | {
      readonly is: "set";
      /** The new object. A Document is the object of earlier steps with values set in it. */
      readonly object?: JsonObject | Document | undefined;
      readonly ready?: Ready | undefined;
    }
  | { readonly is: "removed" };

/** A value for the context: JSON, with a Document in place of an object that need not be decoded. */
export type ContextValue = JsonValue | Document | readonly ContextValue[] | { readonly [key: string]: ContextValue };

/** A tag that this response adds to a composed resource, changes or removes. */
export interface TagChange {
  readonly resource: string;
  readonly key: string;
  readonly old: string | undefined;
  readonly new: string | undefined;
  /** The XR or claim for which the tag is set. */
  readonly owner: string;
}

/** The changes that the response makes. All other desired state of earlier steps goes back byte for byte. */
export interface Draft {
  readonly resources: ReadonlyMap<string, ResourceEdit>;
  /** Values to set in the desired XR; later ones win. Crossplane uses only the XR's status. */
  readonly composite: readonly ValueEdit[];
  /** The XR's readiness; undefined leaves it as earlier steps set it. */
  readonly compositeReady: Ready | undefined;
  /** Selectors of resources that Crossplane looks up, by requirement name. */
  readonly requirements: ReadonlyMap<string, ResourceSelector>;
  /** Kinds whose schemas Crossplane v2.2 and later looks up, by requirement name. */
  readonly requiredSchemas: ReadonlyMap<string, SchemaSelector>;
  readonly context: ReadonlyMap<string, ContextValue>;
  readonly conditions: readonly Condition[];
  readonly results: readonly Result[];
  /** The TTL of the response, in seconds; undefined leaves it to Crossplane. */
  readonly ttlSeconds: number | undefined;
  /** Output for an Operation's status; Compositions have none. */
  readonly output: JsonObject | undefined;
  readonly audit: readonly TagChange[];
  /** For the metrics: the Kind.group of each shared resource of this step, with `Available` or a reason. */
  readonly shares: readonly { readonly kind: string; readonly reason: string }[];
}

export const emptyDraft: Draft = {
  resources: new Map(),
  composite: [],
  compositeReady: undefined,
  requirements: new Map(),
  requiredSchemas: new Map(),
  context: new Map(),
  conditions: [],
  results: [],
  ttlSeconds: undefined,
  output: undefined,
  audit: [],
  shares: [],
};

type Entries<T> = Iterable<readonly [string, T]>;

/** Edits composed resources, by name in the Composition. A later edit replaces an earlier one; only a readiness stays, unless the later edit sets one. */
export const withResources = (draft: Draft, edits: Entries<ResourceEdit>): Draft => {
  const withReady = ([name, edit]: readonly [string, ResourceEdit]): readonly [string, ResourceEdit] => {
    const before = draft.resources.get(name);
    return [name, edit.is === "set" && before?.is === "set" ? { ...edit, ready: edit.ready ?? before.ready } : edit];
  };
  return { ...draft, resources: new Map([...draft.resources, ...[...edits].map(withReady)]) };
};

export const withResource = (draft: Draft, name: string, edit: ResourceEdit): Draft =>
  withResources(draft, [[name, edit]]);

export const withObjects = (draft: Draft, objects: Entries<JsonObject | Document>): Draft =>
  withResources(
    draft,
    [...objects].map(([name, object]) => [name, { is: "set", object }] as const),
  );

export const withCompositeValues = (draft: Draft, values: readonly ValueEdit[]): Draft => ({
  ...draft,
  composite: [...draft.composite, ...values],
});

/** Marks the XR unready, also if an earlier step marked it ready. */
export const withCompositeUnready = (draft: Draft): Draft => ({ ...draft, compositeReady: "False" });

/** Adds all requirements that were asked. Each response repeats them: Crossplane watches the required resources. */
export const withRequirements = (draft: Draft, { resources, schemas }: Requirements): Draft => ({
  ...draft,
  requirements: resources,
  requiredSchemas: schemas,
});

export const withContext = (draft: Draft, entries: Entries<ContextValue>): Draft => ({
  ...draft,
  context: new Map([...draft.context, ...entries]),
});

export const withCondition = (draft: Draft, condition: Condition): Draft => ({
  ...draft,
  conditions: [...draft.conditions, withMessageCut(condition)],
});

export const withResults = (draft: Draft, results: readonly Result[]): Draft => ({
  ...draft,
  results: [...draft.results, ...results.map(withMessageCut)],
});
