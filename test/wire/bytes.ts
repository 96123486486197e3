import { readMessages } from "../../src/wire/message.ts";
import { bytesTag } from "../../src/wire/scan.ts";

/** Protobuf by hand: what no encoder writes and the wire layer has to read all the same. */

type Content = Buffer | string;

export const varint = (value: number | bigint): Buffer => {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
};

/** The same number in more bytes than it needs, as the specification allows. */
export const paddedVarint = (value: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length, 0x80);
  varint(value).copy(bytes);
  for (let at = varint(value).length - 1; at < length - 1; at++) bytes[at] = (bytes[at] as number) | 0x80;
  bytes[length - 1] = (bytes[length - 1] as number) & 0x7f;
  return bytes;
};

export const tag = (field: number, wireType: number): Buffer => varint(BigInt(field) * 8n + BigInt(wireType));

const bufferOf = (content: Content): Buffer => (typeof content === "string" ? Buffer.from(content) : content);

/** A length-delimited field: a message, a string or bytes. */
export const field = (number: number, ...contents: readonly Content[]): Buffer => {
  const content = Buffer.concat(contents.map(bufferOf));
  return Buffer.concat([tag(number, 2), varint(content.length), content]);
};

export const number = (field: number, value: number | bigint): Buffer => Buffer.concat([tag(field, 0), varint(value)]);

export const double = (field: number, value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([tag(field, 1), bytes]);
};

export const concat = (...parts: readonly Buffer[]): Buffer => Buffer.concat(parts);

/** A map's entry, and a Struct's: field 1 unless said otherwise. */
export const entry = (key: Content, value: Buffer, map = 1): Buffer => field(map, field(1, key), field(2, value));

export const string = (text: Content): Buffer => field(3, text);
/** A Struct's entries, each with a text. */
export const texts = (values: Readonly<Record<string, string>>): Buffer =>
  concat(...Object.entries(values).map(([key, value]) => entry(key, string(value))));
export const struct = (...fields: readonly Buffer[]): Buffer => field(5, ...fields);
export const list = (...values: readonly Buffer[]): Buffer => field(6, ...values.map((value) => field(1, value)));

/** `content` below `depth` levels of the nesting that `wrap` makes. */
export const nested = (depth: number, wrap: (inner: Buffer) => Buffer, content: Buffer): Buffer => {
  let bytes = content;
  for (let i = 0; i < depth; i++) bytes = wrap(bytes);
  return bytes;
};

/**
 * Structs nested `depth` deep below one key each, as a Struct's content. Writes each length once, backwards: wrapping one
 * buffer in the next would copy hundreds of gigabytes for a hundred thousand levels.
 */
export function deepStruct(depth: number, innermost: Buffer = Buffer.alloc(0)): Buffer {
  const parts: Buffer[] = [innermost];
  let length = innermost.length;
  const key = field(1, "a");
  const before = (part: Buffer) => {
    parts.push(part);
    length += part.length;
  };
  const header = (number: number) => before(Buffer.concat([tag(number, 2), varint(length)]));
  for (let i = 1; i < depth; i++) {
    header(5);
    header(2);
    before(key);
    header(1);
  }
  return Buffer.concat(parts.reverse());
}

/** The content of each occurrence of a length-delimited field. */
export const contentsOf = (bytes: Buffer, number: number): Buffer[] =>
  readMessages({ bytes, start: 0, end: bytes.length }, bytesTag(number)).map(({ start, end }) =>
    bytes.subarray(start, end),
  );
