import fc, { type Arbitrary } from "fast-check";
import { double, field, number, paddedVarint, tag } from "./bytes.ts";

/**
 * Arbitrary bytes that are a Struct to every reader of protobuf: any field any number of times, in any order, in another
 * wire type than its own, with lengths and tags longer than they need be, and unknown fields between them.
 */

const free = fc.oneof(fc.integer({ min: 20, max: 2 ** 29 - 1 }), fc.constantFrom(19, 2 ** 29 - 1));
const content = (size: { minLength: number; maxLength: number }) => fc.uint8Array(size).map((it) => Buffer.from(it));

/** A field that the protocol does not know: any number that it leaves free, any wire type. */
export const unknownField: Arbitrary<Buffer> = fc.oneof(
  fc.tuple(free, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })).map(([id, value]) => number(id, value)),
  fc.tuple(free, fc.double()).map(([id, value]) => double(id, value)),
  fc.tuple(free, content({ minLength: 0, maxLength: 6 })).map(([id, it]) => field(id, it)),
  fc.tuple(free, content({ minLength: 4, maxLength: 4 })).map(([id, it]) => Buffer.concat([tag(id, 5), it])),
);

type Schema = Readonly<Record<number, () => Arbitrary<Buffer>>>;

/** Few, so that most of them come twice. */
const text = fc.constantFrom("", "a", "b", "__proto__", "ü", "k".repeat(130));
const texts = text.map((content) => Buffer.from(content));

const varints = fc.oneof(
  fc.bigInt({ min: 0n, max: 6n }),
  fc.tuple(fc.bigInt({ min: 0n, max: 6n }), fc.constantFrom(31n, 32n, 53n, 63n)).map(([low, bit]) => low + (1n << bit)),
  fc.constantFrom(2n ** 64n - 1n, 2n ** 31n - 1n, 2n ** 32n - 1n),
);

/** A length in more bytes than it takes, now and then. */
const delimited = (id: number, content: Arbitrary<Buffer>): Arbitrary<Buffer> =>
  fc
    .tuple(content, fc.nat({ max: 9 }))
    .map(([it, choice]) =>
      choice > 0 ? field(id, it) : Buffer.concat([paddedVarint(id * 8 + 2, 4), paddedVarint(it.length, 5), it]),
    );

const stringField = (id: number) => () => delimited(id, texts);
const varintField = (id: number) => () => varints.map((value) => number(id, value));
const doubleField = (id: number) => () => fc.double().map((value) => double(id, value));
const message = (id: number, schema: () => Schema) => () => delimited(id, messageOf(schema()));

/** Nested less and less: below this there are only strings. */
const MAX_DEPTH = 3;

const valueSchema = (depth: number): Schema => ({
  1: varintField(1),
  2: doubleField(2),
  3: stringField(3),
  4: varintField(4),
  ...(depth < MAX_DEPTH && {
    5: message(5, () => structSchema(depth + 1)),
    6: message(6, () => ({ 1: message(1, () => valueSchema(depth + 1)) })),
  }),
});

const structSchema = (depth = 0): Schema => ({
  1: message(1, () => ({ 1: stringField(1), 2: message(2, () => valueSchema(depth)) })),
});

function messageOf(schema: Schema): Arbitrary<Buffer> {
  const known = Object.values(schema).map((make) => make());
  const part = fc.oneof(
    { weight: 12, arbitrary: fc.oneof(...known) },
    { weight: 1, arbitrary: unknownField },
    { weight: 1, arbitrary: fc.constantFrom(...Object.keys(schema).map(Number)).chain(inAnyWireType) },
  );
  return fc.array(part, { maxLength: 4 }).map((parts) => Buffer.concat(parts));
}

const fixed32 = (id: number) => Buffer.concat([tag(id, 5), Buffer.alloc(4)]);

/** A field with a content that is right for every type that has this wire type. */
const inAnyWireType = (id: number): Arbitrary<Buffer> =>
  fc.constantFrom(number(id, 1), double(id, 1), field(id), fixed32(id));

export const anyStruct: Arbitrary<Buffer> = messageOf(structSchema());
