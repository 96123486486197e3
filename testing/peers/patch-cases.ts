import fc from "fast-check";
import { MERGES } from "../../src/input/patch.ts";
import { CONVERSIONS } from "../../src/input/transform.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import type { PatchCase } from "./patch-and-transform.ts";

// Arbitrary patches for fast-check. Words that have a meaning for some transform are the most frequent.

const WORDS = [
  "",
  "a",
  "eu-west-1",
  "5432",
  "-1",
  "+7",
  "007",
  "1.5",
  "-1e3",
  "1_000",
  "0x1.8p3",
  "9007199254740992",
  "9007199254740993",
  "9223372036854775808",
  "Inf",
  "nan",
  "true",
  "T",
  "yes",
  "10Gi",
  "500m",
  "1.5k",
  "-2.5Mi",
  "3e2",
  "12E",
  "0.0000000001",
  "1.23456789012345678901",
  "Ki",
  "--1",
  "+",
  '{"a":1,"b":[null,"x"]}',
  "[1,2.5]",
  "null",
  '{"a":',
  "aGVsbG8=",
  "aGVsbG8",
  "/+8=",
  "tab\tnew\nline\u200b\u0000\u007f",
  'quote"back\\slash`<&>',
  "ÄßǆΣİᾳ 日本 😀",
];

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 6 }),
);

const number = fc.oneof(
  fc.constantFrom(0, 1, 2, 5, 1.7, -1.7, 0.5, 2.5, 1e6, 1234567, 1e20, 1e21, 1e-7, 123456.789, 2 ** 53, 2 ** 60, 255),
  fc.integer({ min: -1000, max: 100_000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e18, max: 1e18 }).map((value) => value + 0),
);

const KEYS = ["a", "b", "c", "é", "list", "deep"];

const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { maxKeys: 4, noNullPrototype: true }),
})).value;

const object: fc.Arbitrary<JsonObject> = fc.dictionary(fc.constantFrom(...KEYS), json, {
  maxKeys: 4,
  noNullPrototype: true,
});

const directive = fc
  .record({
    flags: fc.oneof(
      { weight: 3, arbitrary: fc.constant("") },
      fc.subarray(["#", "0", "+", "-", " "]).map((all) => all.join("")),
    ),
    index: fc.oneof({ weight: 8, arbitrary: fc.constant("") }, fc.constantFrom("[1]", "[2]", "[9]", "[x]")),
    width: fc.oneof({ weight: 2, arbitrary: fc.constant("") }, fc.integer({ min: 1, max: 14 }).map(String)),
    precision: fc.oneof(
      { weight: 2, arbitrary: fc.constant("") },
      fc.integer({ min: 0, max: 25 }).map((digits) => `.${digits}`),
      fc.constant("."),
    ),
    verb: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(..."vvvsdtqxXoOcUbeEfFgGT%") }, fc.constantFrom(..."wzé!i")),
  })
  .map(({ flags, index, width, precision, verb }) => `%${flags}${index}${width}${precision}${verb}`);

const fmt = fc
  .array(fc.oneof({ weight: 2, arbitrary: directive }, fc.constantFrom("a-", " ", "100%%", "é", "")), {
    minLength: 1,
    maxLength: 4,
  })
  .map((pieces) => pieces.join(""));

const PATTERNS = [
  "^eu-",
  "(\\w+)-(\\w+)-(\\d+)",
  "[0-9]+",
  "(?i)TRUE",
  "^$",
  "(a)|(b)",
  "\\p{Greek}",
  "(?P<first>.)",
  "x*",
  "(?s).*",
  "[[:alpha:]]+$",
  "\\bmap\\[",
  ".{3}",
];

const string = fc.oneof(
  { weight: 4, arbitrary: fmt.map((format) => ({ type: "Format", fmt: format })) },
  fc.constantFrom(...CONVERSIONS).map((convert) => ({ type: "Convert", convert })),
  fc.constantFrom("eu-", "map[", "5", "]", "").map((trim) => ({ type: "TrimPrefix", trim })),
  fc.constantFrom("-1", "]", "2", "").map((trim) => ({ type: "TrimSuffix", trim })),
  fc
    .record({ match: fc.constantFrom(...PATTERNS), group: fc.constantFrom(0, 0, 1, 2, 5) })
    .map((regexp) => ({ type: "Regexp", regexp })),
);

const pattern = fc.oneof(
  fc.record({ type: fc.constant("literal"), literal: fc.constantFrom(...WORDS), result: json }),
  fc.record({ type: fc.constant("regexp"), regexp: fc.constantFrom(...PATTERNS), result: json }),
);

const match = fc.oneof(
  fc.record({ patterns: fc.array(pattern, { minLength: 1, maxLength: 3 }), fallbackValue: json }),
  fc.record({ patterns: fc.array(pattern, { minLength: 1, maxLength: 3 }), fallbackTo: fc.constant("Input") }),
);

const factor = fc.oneof(fc.integer({ min: -1000, max: 1000 }), fc.constantFrom(1024, 2 ** 40, -(2 ** 31)));

const math = fc.oneof(
  factor.map((multiply) => ({ type: "Multiply", multiply })),
  factor.map((clampMin) => ({ type: "ClampMin", clampMin })),
  factor.map((clampMax) => ({ type: "ClampMax", clampMax })),
);

const transform = fc.oneof(
  { weight: 5, arbitrary: string.map((found) => ({ type: "string", string: found })) },
  {
    weight: 4,
    arbitrary: fc
      .record({
        toType: fc.constantFrom("string", "bool", "int", "int64", "float64", "object", "array"),
        format: fc.constantFrom("none", "none", "none", "quantity", "json"),
      })
      .map((convert) => ({ type: "convert", convert })),
  },
  { weight: 2, arbitrary: math.map((found) => ({ type: "math", math: found })) },
  { weight: 2, arbitrary: match.map((found) => ({ type: "match", match: found })) },
  {
    weight: 1,
    arbitrary: fc
      .dictionary(fc.constantFrom(...WORDS.slice(0, 6)), json, { minKeys: 1, maxKeys: 6, noNullPrototype: true })
      .map((map) => ({ type: "map", map })),
  },
);

const PATHS = [
  "spec.to",
  "spec.a",
  "spec.a.b",
  "spec.list[0]",
  "spec.list[2].a",
  "spec.list[*]",
  "spec.list[*].a",
  "spec.deep[*].b",
  "spec.a[*]",
  "spec[new.field]",
];

const common = {
  status: fc.record({ v: json, w: json }),
  spec: object,
  transforms: fc.array(transform, { maxLength: 3 }) as fc.Arbitrary<readonly JsonObject[]>,
};

const single: fc.Arbitrary<PatchCase> = fc.record({
  ...common,
  fromFieldPath: fc.oneof({ weight: 9, arbitrary: fc.constant("status.v") }, fc.constant("status.missing")),
  toFieldPath: fc.oneof({ weight: 5, arbitrary: fc.constant("spec.to") }, fc.constantFrom(...PATHS)),
});

/** Merges: of values as they are. */
const merged: fc.Arbitrary<PatchCase> = fc.record({
  ...common,
  transforms: fc.constant([]),
  fromFieldPath: fc.constant("status.v"),
  toFieldPath: fc.constantFrom("spec.a", "spec.deep", "spec.list", "spec.list[*]"),
  policy: fc.constantFrom(...MERGES).map((toFieldPath) => ({ toFieldPath })),
});

const combined: fc.Arbitrary<PatchCase> = fc.record({
  ...common,
  combine: fmt.map((format) => ({
    strategy: "string",
    variables: [{ fromFieldPath: "status.v" }, { fromFieldPath: "status.w" }],
    string: { fmt: format },
  })),
  toFieldPath: fc.constant("spec.to"),
});

export const patchCase: fc.Arbitrary<PatchCase> = fc.oneof(
  { weight: 6, arbitrary: single },
  { weight: 3, arbitrary: merged },
  { weight: 1, arbitrary: combined },
);
