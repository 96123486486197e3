import { type Condition, type Result, withMessageCut } from "./condition.ts";
import type { Document, ValueEdit } from "./document.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Requirements, ResourceSelector, SchemaSelector } from "./requirement.ts";
import type { Ready } from "./resource.ts";

/** An edit of one desired composed resource. Parts that are undefined stay as the steps before us left them. */
export type ResourceEdit =
  | {
      readonly is: "set";
      /** Another object. */
      readonly object?: JsonObject | undefined;
      /** Instead of an object: the one of the steps before us with values set in it, which is not decoded for that. */
      readonly document?: Document | undefined;
      readonly ready?: Ready | undefined;
    }
  | { readonly is: "removed" };

/** A value for the context: plain JSON, with whole Documents where a request's resource is passed on unread. */
export type ContextValue = JsonValue | Document | readonly ContextValue[] | { readonly [key: string]: ContextValue };

/** One tag that this response adds to a composed resource, changes or removes. */
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
 * The changes that make the response. Everything that the steps before us desired goes back byte for byte, unless an edit names
 * it. Readonly: each function below makes one kind of change and returns a new Draft.
 */
export interface Draft {
  readonly resources: ReadonlyMap<string, ResourceEdit>;
  /** Values set in the desired XR; Crossplane takes its status only. Later ones win. */
  readonly composite: readonly ValueEdit[];
  /** Connection details of the XR, in base64, by key; they are added to those of the steps before us. */
  readonly connectionDetails: ReadonlyMap<string, string>;
  /** Undefined leaves the XR's readiness to the steps before us. */
  readonly compositeReady: Ready | undefined;
  /** Resources to look up, by the name under which the answer comes. */
  readonly requirements: ReadonlyMap<string, ResourceSelector>;
  /** Schemas to look up, for a Crossplane that advertises it (v2.2 and later). */
  readonly requiredSchemas: ReadonlyMap<string, SchemaSelector>;
  readonly context: ReadonlyMap<string, ContextValue>;
  readonly conditions: readonly Condition[];
  readonly results: readonly Result[];
  /** The TTL of the response, in seconds; undefined leaves it to Crossplane. */
  readonly ttlSeconds: number | undefined;
  /** Output that an Operation's status keeps. Compositions have no place for it. */
  readonly output: JsonObject | undefined;
  /** The tags that this response changes: for the log, not for Crossplane. */
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

type Entries<T> = Iterable<readonly [string, T]>;

const extended = <T>(map: ReadonlyMap<string, T>, entries: Entries<T>): ReadonlyMap<string, T> => {
  const copy = new Map(map);
  for (const [key, value] of entries) copy.set(key, value);
  return copy;
};

/** Edits composed resources, by their names in the Composition. An edit replaces an earlier one of the same resource. */
export const withResources = (draft: Draft, edits: Entries<ResourceEdit>): Draft => ({
  ...draft,
  resources: extended(draft.resources, edits),
});

export const withResource = (draft: Draft, name: string, edit: ResourceEdit): Draft =>
  withResources(draft, [[name, edit]]);

/** Desires another object under that name; its readiness stays as it was set. */
export const withObject = (draft: Draft, name: string, object: JsonObject): Draft =>
  withResource(draft, name, { is: "set", object, ready: readyBefore(draft, name) });

/** Desires the resource of the steps before us with values set in it; its readiness stays as it was set. */
export const withDocument = (draft: Draft, name: string, document: Document): Draft =>
  withResource(draft, name, { is: "set", document, ready: readyBefore(draft, name) });

function readyBefore({ resources }: Draft, name: string): Ready | undefined {
  const before = resources.get(name);
  return before?.is === "set" ? before.ready : undefined;
}

/** Sets values in the desired XR, in this order. */
export const withCompositeValues = (draft: Draft, values: readonly ValueEdit[]): Draft => ({
  ...draft,
  composite: [...draft.composite, ...values],
});

/** Adds connection details of the XR, in base64. */
export const withConnectionDetails = (draft: Draft, details: Entries<string>): Draft => ({
  ...draft,
  connectionDetails: extended(draft.connectionDetails, details),
});

/** Holds the XR unready, whatever its readiness was after the steps before us. */
export const withCompositeUnready = (draft: Draft): Draft => ({ ...draft, compositeReady: "False" });

/** Requires all that was asked. A requirement is returned on every call for as long as it is needed: Crossplane watches it. */
export const withRequirements = (draft: Draft, { resources, schemas }: Requirements): Draft => ({
  ...draft,
  requirements: resources,
  requiredSchemas: schemas,
});

/** Leaves values to later steps of the pipeline. */
export const withContext = (draft: Draft, entries: Entries<ContextValue>): Draft => ({
  ...draft,
  context: extended(draft.context, entries),
});

/** Adds a condition. Other people's texts stand in messages, so it is cut here, and never longer than Kubernetes takes. */
export const withCondition = (draft: Draft, condition: Condition): Draft => ({
  ...draft,
  conditions: [...draft.conditions, withMessageCut(condition)],
});

/** Adds results, their messages cut as those of conditions are. */
export const withResults = (draft: Draft, results: readonly Result[]): Draft => ({
  ...draft,
  results: [...draft.results, ...results.map(withMessageCut)],
});

export const withTtl = (draft: Draft, ttlSeconds: number): Draft => ({ ...draft, ttlSeconds });

export const withOutput = (draft: Draft, output: JsonObject): Draft => ({ ...draft, output });

export const withAudit = (draft: Draft, changes: readonly TagChange[]): Draft => ({
  ...draft,
  audit: [...draft.audit, ...changes],
});
