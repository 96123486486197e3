import fc, { type Arbitrary } from "fast-check";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { isObject } from "../../src/model/json.ts";
import { double, field, number, paddedVarint, string, tag } from "./bytes.ts";

/** Legal encodings that no encoder writes: the same message, told in another way. */

const free = fc.oneof(fc.integer({ min: 20, max: 2 ** 29 - 1 }), fc.constantFrom(19, 2 ** 29 - 1));
const bytes = fc.uint8Array({ maxLength: 6 }).map((content) => Buffer.from(content));

/** Fields that the protocol does not know: any number that it leaves free, any wire type. */
export const unknownField: Arbitrary<Buffer> = fc.oneof(
  fc.tuple(free, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })).map(([id, value]) => number(id, value)),
  fc.tuple(free, fc.double()).map(([id, value]) => double(id, value)),
  fc.tuple(free, bytes).map(([id, content]) => field(id, content)),
  fc.tuple(free, fc.uint8Array({ minLength: 4, maxLength: 4 })).map(([id, it]) => Buffer.concat([tag(id, 5), it])),
);

/** Where an encoder has a choice: a number from 0 to `options` - 1. Taken from a list, so that fast-check can shrink it. */
export type Choose = (options: number) => number;

export const choices: Arbitrary<() => Choose> = fc
  .array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 40 })
  .map((numbers) => () => {
    let at = 0;
    return (options) => (numbers[at++ % numbers.length] as number) % options;
  });

const padded = (id: number, content: Buffer): Buffer =>
  Buffer.concat([tag(id, 2), paddedVarint(content.length, 5), content]);

const noise = (choose: Choose): Buffer[] =>
  [[], [field(77, "unknown")], [number(99, 2n ** 64n - 1n)], []][choose(4)] as Buffer[];

/** The content of a Struct that reads as `object`. */
export function unusualStruct(object: JsonObject, choose: Choose): Buffer {
  const entries = Object.entries(object).map(([key, value]) => unusualEntries(key, value, choose));
  return Buffer.concat(entries.flatMap((each) => [...noise(choose), ...each]));
}

function unusualEntries(key: string, value: JsonValue, choose: Choose): Buffer[] {
  const keyField = field(1, key);
  const content = unusualValue(value, choose);
  const valueField = field(2, content);
  const usual = field(1, keyField, valueField);
  const ways: (() => Buffer[])[] = [
    () => [usual],
    () => [field(1, valueField, keyField)],
    () => [field(1, field(1, "another key"), keyField, valueField)],
    () => [field(1, keyField, field(2, string("of an earlier entry"))), usual],
    () => [padded(1, Buffer.concat([keyField, padded(2, content)]))],
    () => [field(1, ...noise(choose), keyField, ...noise(choose), valueField, ...noise(choose))],
    () => [field(1, key === "" ? Buffer.alloc(0) : keyField, value === null ? Buffer.alloc(0) : valueField)],
    // A Value without a kind adds nothing to the one before it: that one stays.
    () => [content.length === 0 ? usual : field(1, keyField, field(2, string("another kind")), valueField)],
  ];
  return (ways[choose(ways.length)] as () => Buffer[])();
}

function unusualValue(value: JsonValue, choose: Choose): Buffer {
  if (value === null)
    return [Buffer.alloc(0), number(1, 0), Buffer.concat([string("no"), number(1, 0)])][choose(3)] as Buffer;
  if (typeof value === "string") return Buffer.concat([...noise(choose), string(value), ...noise(choose)]);
  if (typeof value === "number") return Buffer.concat([double(2, 1), double(2, value)]);
  if (typeof value === "boolean") return number(4, value ? ([1n, 2n, 2n ** 63n][choose(3)] as bigint) : 0);
  const [kind, parts] = isObject(value)
    ? [5, Object.entries(value).map(([key, item]) => unusualStruct(Object.fromEntries([[key, item]]), choose))]
    : [6, value.map((item) => Buffer.concat([...noise(choose), field(1, unusualValue(item, choose))]))];
  const half = choose(parts.length + 1);
  const first = Buffer.concat(parts.slice(0, half));
  const second = Buffer.concat(parts.slice(half));
  const ways: (() => Buffer)[] = [
    () => field(kind, first, second),
    () => Buffer.concat([field(kind, first), field(kind, second)]), // a message given twice is merged
    () => Buffer.concat([field(kind, first), ...noise(choose), field(kind, second)]),
    () => Buffer.concat([string("another kind"), padded(kind, Buffer.concat([first, second]))]),
  ];
  return (ways[choose(ways.length)] as () => Buffer)();
}
