import fc, { type Arbitrary } from "fast-check";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import type { PlainRequest, PlainResource, PlainState } from "../../testing/wire/plain.ts";

/** Arbitrary messages in plain JSON, with the keys, names and numbers that break codecs more often than chance has them. */

/** The same cases in every run: what fails here fails for everybody. */
export const parameters = { seed: 20, numRuns: 300 };

/** Any text that UTF-8 has; lone surrogates are none. */
export const text: Arbitrary<string> = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom("", "\ufffd", "\ufeff", "\u0000", "ü", "😀", "a".repeat(49), "ü".repeat(25)),
);

export const key: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "b", "c", "0", "1") },
  { weight: 1, arbitrary: fc.constantFrom("__proto__", "constructor", "toString", "toObject", "undefined") },
  { weight: 2, arbitrary: text },
);

const double = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(-0, 0, 2 ** 53, -(2 ** 53) - 2, Number.MAX_VALUE, Number.MIN_VALUE),
);

const entriesOf = <T>(value: Arbitrary<T>, maxLength: number): Arbitrary<[string, T][]> =>
  fc.uniqueArray(fc.tuple(key, value), { maxLength, selector: ([name]) => name });

/** `fromEntries` defines, so a key `__proto__` becomes an own property. */
export const objectOf = <T>(value: Arbitrary<T>): Arbitrary<Readonly<Record<string, T>>> =>
  entriesOf(value, 5).map((entries) => Object.fromEntries(entries));

export const mapOf = <T>(value: Arbitrary<T>): Arbitrary<ReadonlyMap<string, T>> =>
  entriesOf(value, 4).map((entries) => new Map(entries));

const tree = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    double,
    text,
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: objectOf(tie("value")),
}));

export const json = tree.value;
export const object = tree.object;

/** Connection details, in base64. */
const details = mapOf(fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes).toString("base64")));

export const ready = fc.constantFrom("Unspecified", "True", "False");

const resource: Arbitrary<PlainResource> = fc.record({ object, ready, details });

const state: Arbitrary<PlainState> = fc.record({ composite: resource, resources: mapOf(resource) });

const capability = fc.constantFrom(
  "CAPABILITY_UNSPECIFIED",
  "CAPABILITY_CAPABILITIES",
  "CAPABILITY_REQUIRED_RESOURCES",
  "CAPABILITY_CREDENTIALS",
  "CAPABILITY_CONDITIONS",
  "CAPABILITY_REQUIRED_SCHEMAS",
);

export const request: Arbitrary<PlainRequest> = fc.record({
  tag: text,
  capabilities: fc.array(capability, { maxLength: 4 }),
  observed: state,
  desired: state,
  input: fc.option(object, { nil: undefined }),
  context: fc.option(object, { nil: undefined }),
  extra: mapOf(fc.array(object, { maxLength: 2 })),
  required: mapOf(fc.array(object, { maxLength: 2 })),
  credentials: mapOf(objectOf(fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)))),
  schemas: mapOf(object),
});

/** Every path to something in the value, and next to each one that leads nowhere. */
export function pathsIn(value: JsonValue, path: readonly (string | number)[] = []): (string | number)[][] {
  if (typeof value !== "object" || value === null) return [[...path, "a"], [...path, 0], [...path]];
  const steps = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const items = Object.values(value) as JsonValue[];
  const aside = Array.isArray(value) ? [value.length, "0", "length"] : ["nowhere", 7, "__proto__", "constructor"];
  return [
    [...path],
    ...aside.map((step) => [...path, step]),
    ...items.flatMap((item, i) => pathsIn(item, [...path, steps[i] as string | number])),
  ];
}
