import { type Condition, type Result, withMessageCut } from "./condition.ts";
import type { Document, ValueEdit } from "./document.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Ready } from "./request.ts";
import type { Requirements, ResourceSelector, SchemaSelector } from "./requirement.ts";

/** An edit of one desired composed resource. Parts that are undefined stay as they are. */
export type ResourceEdit =
  | {
      readonly is: "set";
      /** A Document is the object of earlier steps with values set in it, without decoding it. */
      readonly object?: JsonObject | Document | undefined;
      readonly ready?: Ready | undefined;
    }
  | { readonly is: "removed" };

/** A value for the context: JSON, in which a Document passes a request's resource on without decoding it. */
export type ContextValue = JsonValue | Document | readonly ContextValue[] | { readonly [key: string]: ContextValue };

/** A tag that this response adds to a composed resource, changes or removes. */
export interface TagChange {
  readonly resource: string;
  readonly key: string;
  readonly old: string | undefined;
  readonly new: string | undefined;
  /** The XR or claim that owns the tag. */
  readonly owner: string;
}

/** The changes that the response makes. The desired state of earlier steps goes back byte for byte, except where an edit names it. */
export interface Draft {
  readonly resources: ReadonlyMap<string, ResourceEdit>;
  /** Values set in the desired XR, of which Crossplane takes the status only. Later values win. */
  readonly composite: readonly ValueEdit[];
  /** The XR's readiness; undefined leaves it as earlier steps set it. */
  readonly compositeReady: Ready | undefined;
  /** Resources to look up, by requirement name. */
  readonly requirements: ReadonlyMap<string, ResourceSelector>;
  /** Schemas to look up, by requirement name; Crossplane v2.2 and later. */
  readonly requiredSchemas: ReadonlyMap<string, SchemaSelector>;
  readonly context: ReadonlyMap<string, ContextValue>;
  readonly conditions: readonly Condition[];
  readonly results: readonly Result[];
  /** The TTL of the response, in seconds; undefined leaves it to Crossplane. */
  readonly ttlSeconds: number | undefined;
  /** Output for an Operation's status; Compositions have none. */
  readonly output: JsonObject | undefined;
  /** Changed tags, for the log. */
  readonly audit: readonly TagChange[];
  /** The Kind.group of each shared resource of this step, and `Available` or why it is not. No names: it becomes a metric. */
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

const extended = <T>(map: ReadonlyMap<string, T>, entries: Entries<T>): ReadonlyMap<string, T> =>
  new Map([...map, ...entries]);

/** Edits composed resources, by name in the Composition. An edit replaces an earlier one of the same resource, but for an unset readiness. */
export const withResources = (draft: Draft, edits: Entries<ResourceEdit>): Draft => {
  const withReady = ([name, edit]: readonly [string, ResourceEdit]): readonly [string, ResourceEdit] => {
    const before = draft.resources.get(name);
    return [name, edit.is === "set" && before?.is === "set" ? { ...edit, ready: edit.ready ?? before.ready } : edit];
  };
  return { ...draft, resources: extended(draft.resources, [...edits].map(withReady)) };
};

export const withResource = (draft: Draft, name: string, edit: ResourceEdit): Draft =>
  withResources(draft, [[name, edit]]);

/** Replaces desired objects; their readiness stays. */
export const withObjects = (draft: Draft, objects: Entries<JsonObject | Document>): Draft =>
  withResources(
    draft,
    [...objects].map(([name, object]) => [name, { is: "set", object }] as const),
  );

export const withCompositeValues = (draft: Draft, values: readonly ValueEdit[]): Draft => ({
  ...draft,
  composite: [...draft.composite, ...values],
});

/** Marks the XR unready, whatever earlier steps said. */
export const withCompositeUnready = (draft: Draft): Draft => ({ ...draft, compositeReady: "False" });

/** Returns all requirements that were asked. Each call returns them again: Crossplane watches what a response requires. */
export const withRequirements = (draft: Draft, { resources, schemas }: Requirements): Draft => ({
  ...draft,
  requirements: resources,
  requiredSchemas: schemas,
});

export const withContext = (draft: Draft, entries: Entries<ContextValue>): Draft => ({
  ...draft,
  context: extended(draft.context, entries),
});

/** Adds a condition, its message cut to Kubernetes' limit: messages quote texts of any length. */
export const withCondition = (draft: Draft, condition: Condition): Draft => ({
  ...draft,
  conditions: [...draft.conditions, withMessageCut(condition)],
});

export const withResults = (draft: Draft, results: readonly Result[]): Draft => ({
  ...draft,
  results: [...draft.results, ...results.map(withMessageCut)],
});
