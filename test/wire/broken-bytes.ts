import fc, { type Arbitrary } from "fast-check";
import { corpus } from "../../testing/wire/corpus.ts";
import { anyStruct } from "./any-bytes.ts";
import { field } from "./bytes.ts";

/** Bytes that mean something to protobuf: ends of varints, lengths, tags of groups, a half of a character. */
const telling = fc.constantFrom(0x00, 0x01, 0x7f, 0x80, 0xff, 0x02, 0x0a, 0x0b, 0x0c, 0x12, 0x2a, 0x32, 0xc3, 0xed);

/** Replaces a part of a message: by nothing, by bytes of any kind, or by itself twice. */
interface Edit {
  readonly at: number;
  readonly length: number;
  readonly by: readonly number[] | "twice";
}

const few = fc.array(telling, { maxLength: 3 });
const edit: Arbitrary<Edit> = fc.record({
  at: fc.nat(),
  length: fc.oneof(fc.nat({ max: 2 }), fc.nat({ max: 40 })),
  by: fc.oneof(few, fc.array(fc.nat({ max: 255 }), { maxLength: 12 }), fc.constant("twice" as const)),
});

function change(message: Buffer, { at, length, by }: Edit): Buffer {
  const start = at % (message.length + 1);
  const part = message.subarray(start, start + length);
  const parts = by === "twice" ? [part, part] : [Buffer.from(by)];
  return Buffer.concat([message.subarray(0, start), ...parts, message.subarray(start + length)]);
}

/** A request that an accident has changed, cut off, or put after another one. Some of them are still valid. */
export const brokenRequest: Arbitrary<Buffer> = fc
  .tuple(
    fc.oneof(
      anyStruct.map((bytes) => field(5, bytes)),
      fc.constantFrom(...corpus),
    ),
    fc.array(edit, { maxLength: 3 }),
    fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat({ max: 300 })),
    fc.oneof(fc.constant(Buffer.alloc(0)), fc.constantFrom(...corpus)),
  )
  .map(([message, edits, end, after]) => Buffer.concat([edits.reduce(change, message).subarray(0, end), after]));
