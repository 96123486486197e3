import fc, { type Arbitrary } from "fast-check";
import type { Condition, Result } from "../../src/model/condition.ts";
import { documentOf, isDocument, withValues } from "../../src/model/document.ts";
import type { ContextValue, Draft, ResourceEdit } from "../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import type { ResourceSelector } from "../../src/model/requirement.ts";
import { objectSetBy } from "../../testing/builders/read-draft.ts";
import {
  emptyResource,
  type PlainRequest,
  type PlainResource,
  type PlainResponse,
  type PlainState,
} from "../../testing/wire/plain.ts";
import { json, key, mapOf, object, objectOf, ready, text } from "./arbitraries.ts";

/** Arbitrary Drafts, and what a response to them has to say, computed on plain JSON. */

const option = <T>(arbitrary: Arbitrary<T>): Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });

const target = fc.constantFrom("Composite", "CompositeAndClaim");

const edit: Arbitrary<ResourceEdit> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ is: fc.constant("set"), object: option(object), ready: option(ready) }) },
  { weight: 1, arbitrary: fc.constant({ is: "removed" }) },
);

/** Steps into what may be there, so that some of these do not fit: those Drafts are refused. */
const path = fc.array(fc.oneof(key, key, key, key, fc.nat({ max: 1 })), { minLength: 1, maxLength: 3 });

const match = fc.oneof(fc.record({ name: text }), fc.record({ labels: objectOf(text) }));
const selector: Arbitrary<ResourceSelector> = fc.record({
  apiVersion: text,
  kind: text,
  namespace: option(text),
  match,
});

const status = fc.constantFrom("True", "False", "Unknown");
const condition: Arbitrary<Condition> = fc.record({ type: text, status, reason: text, message: option(text), target });

const severity = fc.constantFrom("Fatal", "Warning", "Normal");
const result: Arbitrary<Result> = fc.record({ severity, message: text, reason: option(text), target });

const document = object.map(documentOf);
const contextValue: Arbitrary<ContextValue> = fc.oneof(json, document, fc.array(document), objectOf(document));

/** Names come from so few that many edits meet something that is there. */
export const draft: Arbitrary<Draft> = fc.record({
  resources: mapOf(edit),
  composite: fc.array(fc.record({ path, value: json }), { maxLength: 2 }),
  compositeReady: option(ready),
  requirements: mapOf(selector),
  requiredSchemas: mapOf(fc.record({ apiVersion: text, kind: text })),
  context: mapOf(contextValue),
  conditions: fc.array(condition, { maxLength: 3 }),
  results: fc.array(result, { maxLength: 3 }),
  ttlSeconds: option(fc.oneof(fc.nat(), fc.constantFrom(0, 127, 128, 2 ** 32, 2 ** 53 - 1))),
  output: option(object),
  audit: fc.constant([]),
  shares: fc.constant([]),
});

function plainValue(value: ContextValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (isDocument(value)) return value.toObject();
  if (Array.isArray(value)) return value.map(plainValue);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainValue(item)]));
}

/**
 * The response to `draft`.
 *
 * @throws {FunctionError} `InvalidFieldPath` where an edit of the composite does not fit.
 */
export function expectedResponse(request: PlainRequest, draft: Draft): PlainResponse {
  const { conditions, results, ttlSeconds, requirements, requiredSchemas, output } = draft;
  const isNew = request.capabilities.includes("CAPABILITY_REQUIRED_RESOURCES");
  const isUnknown = request.capabilities.every((name) => name === "CAPABILITY_UNSPECIFIED");
  return {
    tag: request.tag,
    ttlSeconds,
    desired: expectedState(request.desired, draft),
    context: expectedContext(request.context, draft),
    output,
    results,
    conditions,
    requirements:
      requirements.size === 0 && requiredSchemas.size === 0
        ? undefined
        : {
            resources: isNew || isUnknown ? requirements : new Map(),
            extra: isNew ? new Map() : requirements,
            schemas: requiredSchemas,
          },
  };
}

function expectedState({ composite, resources }: PlainState, draft: Draft): PlainState {
  const expected = new Map(resources);
  for (const [name, edit] of draft.resources) {
    if (edit.is === "removed") expected.delete(name);
    else expected.set(name, edited(resources.get(name), { ...edit, object: objectSetBy(edit) }));
  }
  const object = withValues(composite.object, draft.composite);
  return { composite: edited(composite, { object, ready: draft.compositeReady }), resources: expected };
}

type Edit = { [K in "object" | "ready"]?: PlainResource[K] | undefined };

const edited = (before = emptyResource, edit: Edit): PlainResource => ({
  object: edit.object ?? before.object,
  ready: edit.ready ?? before.ready,
  details: before.details,
});

function expectedContext(before: JsonObject | undefined, { context }: Draft): JsonObject | undefined {
  if (context.size === 0) return before;
  const edits = [...context].map(([key, value]): [string, JsonValue] => [key, plainValue(value)]);
  return Object.fromEntries([...Object.entries(before ?? {}), ...edits]);
}
