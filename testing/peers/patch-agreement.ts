import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { GoValue } from "../../src/features/sharing/patches/go-value.ts";
import { sprintf } from "../../src/features/sharing/patches/print.ts";
import { transform } from "../../src/features/sharing/patches/transform.ts";
import { format } from "../../src/input/format.ts";
import { transform as transformSchema } from "../../src/input/transform.ts";
import { isObject, type JsonValue } from "../../src/model/json.ts";
import { type PatchAndTransform, type PatchCase, type PatchResult, patchHere } from "./patch-and-transform.ts";
import { patchCase } from "./patch-cases.ts";

/** A difference from function-patch-and-transform that is meant. */
export interface Difference {
  readonly reason: string;
  readonly patch: Partial<PatchCase>;
  /** The spec's field `to`, or a part of the error. */
  readonly theirs: Outcome;
  readonly ours: Outcome;
  /** Recognises it among generated patches; missing where none of them has it. */
  readonly isMeant?: (patch: PatchCase, theirs: PatchResult, ours: PatchResult) => boolean;
}

export type Outcome = { readonly to: JsonValue } | { readonly fault: string };

const failsHere =
  (fault: RegExp) =>
  (_: PatchCase, _theirs: PatchResult, ours: PatchResult): boolean =>
    ours.is === "failed" && fault.test(ours.fault);

const of = (value: JsonValue, ...transforms: readonly PatchCase["transforms"][]): Partial<PatchCase> => ({
  status: { v: value },
  transforms: transforms.flatMap((some) => some ?? []),
});

const string = (given: object): PatchCase["transforms"] => [{ type: "string", string: { ...given } }];
const convert = (toType: string, as = "none"): PatchCase["transforms"] => [
  { type: "convert", convert: { toType, format: as } },
];
const math = (given: object): PatchCase["transforms"] => [{ type: "math", math: { ...given } }];

/** Values stay exact here; a number that a double cannot hold, which is what Crossplane's protocol has, is an error. */
export const differences: readonly Difference[] = [
  {
    reason: "%d prints a whole number, although every number of an XR is a float64",
    patch: of(5432, string({ type: "Format", fmt: "port-%d" })),
    theirs: { to: "port-%!d(float64=5432)" },
    ours: { to: "port-5432" },
    isMeant: printsNumber,
  },
  {
    reason: "%s prints numbers and booleans",
    patch: of(true, string({ type: "Format", fmt: "%s" })),
    theirs: { to: "%!s(bool=true)" },
    ours: { to: "true" },
    isMeant: printsNumber,
  },
  {
    reason: "an int64 that no double holds is an error, and not rounded",
    patch: of("9007199254740993", convert("int64")),
    theirs: { to: 9007199254740992 },
    ours: { fault: "cannot transform status.v of XR app: a number that JSON cannot hold" },
    isMeant: failsHere(/a number that JSON cannot hold$/),
  },
  {
    reason: "an int64 that becomes a float64 is not rounded either",
    patch: of("9007199254740993", convert("int64"), convert("float64")),
    theirs: { to: 9007199254740992 },
    ours: { fault: "transforms[1] (convert): 9007199254740993 is no float64" },
    isMeant: failsHere(/\(convert\): -?\d+ is no float64$/),
  },
  {
    reason: "a number beyond int64 cannot become one",
    patch: of(1e21, convert("int64")),
    theirs: { to: -(2 ** 63) },
    ours: { fault: "transforms[0] (convert): 1e+21 is no int64" },
    isMeant: failsHere(/\(convert\): -?\d\S* is no int64$/),
  },
  {
    reason: "a product beyond int64 is an error, and does not begin again from below",
    patch: of(2 ** 60, convert("int64"), math({ type: "Multiply", multiply: 1024 })),
    theirs: { to: 0 },
    ours: { fault: "transforms[1] (math): 1152921504606846976 times 1024 is no int64" },
    isMeant: failsHere(/\(math\): -?\d+ times -?\d+ is no int64$/),
  },
  {
    reason: "numbers beyond int64 are clamped like others",
    patch: of(1e21, math({ type: "ClampMax", clampMax: 57 })),
    theirs: { to: 1e21 },
    ours: { to: 57 },
    isMeant: (patch) =>
      valuesIn(patch).some(
        ({ value, next }) => next["type"] === "math" && typeof value === "number" && Math.abs(value) >= 2 ** 63,
      ),
  },
  {
    reason: "numbers in JSON are not rounded",
    patch: of("[9007199254740993]", convert("array", "json")),
    theirs: { to: [9007199254740992] },
    ours: { fault: 'transforms[0] (convert): "[9007199254740993]" is no array' },
    isMeant: (patch, theirs, ours) =>
      failsHere(/is no (?:object|array)$/)(patch, theirs, ours) && /\d{16}/.test(JSON.stringify(patch)),
  },
  {
    reason: "base64 of bytes that are no text is an error",
    patch: of("/+8=", string({ type: "Convert", convert: "FromBase64" })),
    theirs: { to: "\ufffd\ufffd" },
    ours: { fault: 'transforms[0] (string): "/+8=" is not base64 of UTF-8' },
    isMeant: failsHere(/is not base64 of UTF-8$/),
  },
  {
    reason: "a map may have null for a value",
    patch: of("a", [{ type: "map", map: { a: null } }]),
    theirs: { fault: "value for key a is not valid JSON" },
    ours: { to: null },
    isMeant: (_, theirs) => theirs.is === "failed" && /value for key .* is not valid JSON/.test(theirs.fault),
  },
  {
    reason: "the transform's type may be left out",
    patch: of("a", [{ string: { fmt: "%s-b" } }]),
    theirs: { fault: "resources[0].patches[0].transforms[0].type" },
    ours: { to: "a-b" },
  },
  {
    reason: "Join, which later versions of theirs have",
    patch: of(["a", 1], string({ type: "Join", join: { separator: ", " } })),
    theirs: { fault: 'unknown name "join"' },
    ours: { to: "a, 1" },
  },
  {
    reason: "Replace, which later versions of theirs have",
    patch: of("a-b-c", string({ type: "Replace", replace: { search: "-", replace: "" } })),
    theirs: { fault: 'unknown name "replace"' },
    ours: { to: "abc" },
  },
  {
    reason: "a fallback value beside fallbackTo: Input is an error before a value falls back",
    patch: of("a", [
      {
        type: "match",
        match: { patterns: [{ type: "literal", literal: "a", result: 1 }], fallbackTo: "Input", fallbackValue: 2 },
      },
    ]),
    theirs: { to: 1 },
    ours: { fault: "fallbackValue: does not go with fallbackTo Input" },
  },
  {
    reason: "a width that comes from a value is refused: a tenant could make a megabyte of seven digits",
    patch: of(9, convert("int64"), string({ type: "Format", fmt: "%[1]*[1]d" })),
    theirs: { to: "        9" },
    ours: { fault: "a width or precision of * is not supported" },
  },
  {
    reason: "%p is refused: an address changes with every call",
    patch: of("a", string({ type: "Format", fmt: "%p" })),
    theirs: { to: "%!p(string=a)" },
    ours: { fault: "%p is not supported" },
  },
  {
    reason: "a path through something that is no object finds nothing, where theirs stops the XR",
    patch: { ...of("a"), fromFieldPath: "status.v.x" },
    theirs: { fault: "status.v: not an object" },
    ours: { to: "before" },
  },
  {
    reason: "with combine, [*] stands for each item, and is no field's name",
    patch: {
      status: { v: "a" },
      combine: { strategy: "string", variables: [{ fromFieldPath: "status.v" }], string: { fmt: "%s!" } },
      toFieldPath: "spec.to[*]",
      spec: { to: ["x", "y"] },
    },
    theirs: { fault: "spec.to is not an object" },
    ours: { to: ["a!", "a!"] },
  },
];

/** The values that a patch's transforms begin with, one after the other. */
function valuesIn({ status, combine, transforms = [] }: PatchCase) {
  const text = combine?.["string"];
  const fmt = isObject(text) ? text["fmt"] : undefined;
  const first = fmt === undefined ? (status["v"] ?? null) : sprintf(format.parse(fmt), Object.values(status));
  const parsed = transforms.map((given) => transformSchema.parse(given));
  return transforms.flatMap((next, index) => {
    const before = transform(first, parsed.slice(0, index));
    return before.is === "failed" ? [] : [{ value: before.value, next }];
  });
}

/** Tells whether a format meets a number or boolean with a verb that Go has for others. */
function printsNumber(patch: PatchCase): boolean {
  const combined = patch.combine?.["string"];
  const formats = valuesIn(patch).map(({ value, next }) => ({ value, text: next["string"] }));
  if (combined !== undefined) formats.push({ value: Object.values(patch.status), text: combined });
  return formats.some(({ value, text }) => {
    const fmt = isObject(text) ? text["fmt"] : undefined;
    if (typeof fmt !== "string") return false;
    const verbs = format.parse(fmt).map((piece) => (typeof piece === "string" ? "" : piece.verb));
    return verbs.some((verb) => verb !== "" && "sdoOcU".includes(verb) && hasNumber(value));
  });
}

function hasNumber(value: GoValue): boolean {
  if (["number", "bigint", "boolean"].includes(typeof value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasNumber);
}

/** The transform that failed. */
const failedAt = (fault: string): string | undefined => {
  const theirs = /transform at index (\d+) returned error: (\w+) transform/.exec(fault);
  const [, index, type] = theirs ?? /transforms\[(\d+)\] \((\w+)\)/.exec(fault) ?? [];
  return index && `${index} ${type}`;
};

function isSame(theirs: PatchResult, ours: PatchResult): boolean {
  if (theirs.is === "failed" && ours.is === "failed") return failedAt(theirs.fault) === failedAt(ours.fault);
  return isDeepStrictEqual(theirs, ours);
}

/** Holds where both make the same of a patch, or differ as is meant. */
export const patchesAgree = (peer: PatchAndTransform) =>
  fc.asyncProperty(patchCase, async (patch) => {
    const theirs = await peer.patch(patch);
    const ours = patchHere(patch);
    if (isSame(theirs, ours)) return;
    if (differences.some(({ isMeant }) => isMeant?.(patch, theirs, ours) === true)) return;
    throw new Error(`theirs: ${JSON.stringify(theirs)}\nours: ${JSON.stringify(ours)}`);
  });
