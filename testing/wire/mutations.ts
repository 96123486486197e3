import { varint } from "../../test/wire/bytes.ts";
import type { Random } from "./fuzz.ts";

/** Ways to break a message, each as an accident or an attacker might. */
export type Mutate = (message: Buffer, random: Random, corpus: readonly Buffer[]) => Buffer;

/** Bytes that mean something to protobuf: ends of varints, lengths, tags of groups, a half of a character. */
const TELLING = [0x00, 0x01, 0x7f, 0x80, 0xff, 0x02, 0x0a, 0x0b, 0x0c, 0x12, 0x2a, 0x32, 0xc3, 0xed];

const flipBit: Mutate = (message, random) => changed(message, random, (byte) => byte ^ (1 << random(8)));

const setByte: Mutate = (message, random) => changed(message, random, () => random(256));

const setTellingByte: Mutate = (message, random) =>
  changed(message, random, () => TELLING[random(TELLING.length)] as number);

/** Most bytes up to 0x7f are lengths or text: one more or less moves all that follows. */
const nudge: Mutate = (message, random) =>
  changed(message, random, (byte) => (byte + (random(2) === 0 ? 1 : 255)) & 0xff);

const truncate: Mutate = (message, random) => message.subarray(0, random(message.length + 1));

const remove: Mutate = (message, random) => {
  const { start, end } = range(message, random);
  return Buffer.concat([message.subarray(0, start), message.subarray(end)]);
};

const duplicate: Mutate = (message, random) => {
  const { start, end } = range(message, random);
  return Buffer.concat([message.subarray(0, end), message.subarray(start, end), message.subarray(end)]);
};

/** A part of one message in the place of a part of another. */
const splice: Mutate = (message, random, corpus) => {
  const other = corpus[random(corpus.length)] as Buffer;
  const [to, from] = [range(message, random), range(other, random)];
  return Buffer.concat([message.subarray(0, to.start), other.subarray(from.start, from.end), message.subarray(to.end)]);
};

/** A whole message after another: legal, and merges them. */
const append: Mutate = (message, random, corpus) => Buffer.concat([message, corpus[random(corpus.length)] as Buffer]);

const insert: Mutate = (message, random) => {
  const at = random(message.length + 1);
  const bytes = Buffer.from(Array.from({ length: 1 + random(12) }, () => TELLING[random(TELLING.length)] as number));
  return Buffer.concat([message.subarray(0, at), bytes, message.subarray(at)]);
};

/** A field in a group, or a length in ten bytes, where there was one. */
const inflate: Mutate = (message, random) => {
  const at = random(message.length + 1);
  const long = Buffer.concat([Buffer.alloc(random(10), 0x80 | random(128)), Buffer.from([random(128)])]);
  return Buffer.concat([message.subarray(0, at), long, message.subarray(at + 1)]);
};

const anywhere: readonly Mutate[] = [
  flipBit,
  setByte,
  setTellingByte,
  nudge,
  truncate,
  remove,
  duplicate,
  splice,
  append,
  insert,
  inflate,
];

/** Somewhere in the message's messages, with all lengths around it set right: what is around it is still read. */
const inside: Mutate = (message, random, corpus) => {
  const fields = lengthDelimited(message);
  const field = fields[random(fields.length + 1)];
  if (field === undefined) return (anywhere[random(anywhere.length)] as Mutate)(message, random, corpus);
  return withContent(message, field, inside(message.subarray(field.contentStart, field.end), random, corpus));
};

/** The message with another content of that field, and the length before it set right. */
const withContent = (message: Buffer, { lengthStart, end }: Field, content: Buffer): Buffer =>
  Buffer.concat([message.subarray(0, lengthStart), varint(content.length), content, message.subarray(end)]);

/** A whole field twice, or in another's place: entries, kinds and messages that are repeated, swapped or left out. */
const shuffle: Mutate = (message, random) => {
  const fields = lengthDelimited(message);
  const [from, to] = [fields[random(fields.length)], fields[random(fields.length)]];
  if (from === undefined || to === undefined) return message;
  if (random(3) > 0) return withContent(message, to, shuffle(message.subarray(to.contentStart, to.end), random, []));
  const moved = message.subarray(from.start, from.end);
  return Buffer.concat([message.subarray(0, to.start), moved, message.subarray(random(2) === 0 ? to.start : to.end)]);
};

/** Most of them inside: a message that is broken at its top is refused before anything of it is read. */
export const mutations: readonly Mutate[] = [
  ...anywhere,
  ...anywhere.map(() => inside),
  ...anywhere.map(() => shuffle),
];

interface Field {
  readonly start: number;
  readonly lengthStart: number;
  readonly contentStart: number;
  readonly end: number;
}

/** Fields that may be messages, as far as the bytes can be understood: they may be text, or broken already. */
function lengthDelimited(message: Buffer): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < message.length; ) {
    const start = at;
    const key = message[at] as number;
    const [lengthStart, wireType] = [afterVarint(message, at), key & 7];
    const contentStart = wireType === 1 || wireType === 5 ? lengthStart : afterVarint(message, lengthStart);
    at = contentStart + ([0, 8, lengthAt(message, lengthStart), 0, 0, 4, 0, 0][wireType] as number);
    if (at > message.length) break;
    if (wireType === 2) fields.push({ start, lengthStart, contentStart, end: at });
  }
  return fields;
}

function afterVarint(message: Buffer, start: number): number {
  let at = start;
  while ((message[at] ?? 0) >= 0x80) at++;
  return at + 1;
}

const lengthAt = (message: Buffer, at: number): number =>
  ((message[at] ?? 0) & 0x7f) + ((message[at] ?? 0) < 0x80 ? 0 : (message[at + 1] ?? 0) << 7);

function changed(message: Buffer, random: Random, change: (byte: number) => number): Buffer {
  if (message.length === 0) return message;
  const at = random(message.length);
  const copy = Buffer.from(message);
  copy[at] = change(copy[at] as number);
  return copy;
}

function range(message: Buffer, random: Random): { start: number; end: number } {
  const start = random(message.length + 1);
  return { start, end: Math.min(message.length, start + random(1 + random(40))) };
}
