import { isUtf8 } from "node:buffer";
import { FunctionError } from "../errors.ts";

/**
 * Readers of protobuf's encoding (https://protobuf.dev/programming-guides/encoding/): varints, tags, lengths and texts.
 * Each takes a range `[at, end)`, and never reads outside it.
 */

/** A reader's second result, which saves an allocation: each reader says which position it is. */
export let next = 0;

const WIRE_VARINT = 0;
const WIRE_FIXED64 = 1;
const WIRE_BYTES = 2;
const WIRE_FIXED32 = 5;

/** Makes the tag of a varint: an integer, boolean or enum. */
export const varintTag = (field: number): number => (field << 3) | WIRE_VARINT;
export const fixed64Tag = (field: number): number => (field << 3) | WIRE_FIXED64;
/** Makes the tag of bytes: a message, map, string or packed list. */
export const bytesTag = (field: number): number => (field << 3) | WIRE_BYTES;

const malformed = (what: string, at: number): FunctionError =>
  new FunctionError("InvalidMessage", `cannot read the request: ${what} at byte ${at}`);

/** The most bytes of a varint. Each holds seven bits of 64; the tenth holds one. */
const MAX_VARINT_BYTES = 10;

/** Reads a varint as a number, exact up to 2^53. Afterwards `next` is its end. */
export function readVarint(bytes: Uint8Array, start: number, end: number): number {
  // Tags and most lengths have one byte. V8 inlines a function as small as this one.
  if (start < end && (bytes[start] as number) < 0x80) {
    next = start + 1;
    return bytes[start] as number;
  }
  return readAnyVarint(bytes, start, end);
}

function readAnyVarint(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  let scale = 1;
  const stop = Math.min(end, start + MAX_VARINT_BYTES);
  for (let at = start; at < stop; at++) {
    const byte = bytes[at] as number;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      if (byte > 1 && at === start + MAX_VARINT_BYTES - 1) throw malformed("a varint over 64 bits", start);
      next = at + 1;
      return value;
    }
    scale *= 0x80;
  }
  throw malformed(stop === end ? "a truncated varint" : "an overlong varint", start);
}

/** Reads a field's tag: its number and wire type. Afterwards `next` is its end. */
export function readTag(bytes: Uint8Array, at: number, end: number): number {
  const tag = readVarint(bytes, at, end);
  if (tag < 8 || tag > 0xffff_ffff) throw malformed("a field number out of range", at);
  return tag;
}

/** Reads a length, and returns the end of the content. Afterwards `next` is the content's start. */
export function readEnd(bytes: Uint8Array, at: number, end: number): number {
  const length = readVarint(bytes, at, end);
  if (length > end - next) throw malformed("a field longer than its message", at);
  return next + length;
}

/**
 * Finds the end of a field whose tag has been read; `at` is the end of the tag. Afterwards `next` is the content's start if
 * the field has a length. @throws {FunctionError} `InvalidMessage`, also for groups.
 */
export function skip(bytes: Uint8Array, tag: number, at: number, end: number): number {
  switch (tag & 7) {
    case WIRE_VARINT:
      readVarint(bytes, at, end);
      return next;
    case WIRE_FIXED64:
      return checkEnd(at + 8, end, at);
    case WIRE_BYTES:
      return readEnd(bytes, at, end);
    case WIRE_FIXED32:
      return checkEnd(at + 4, end, at);
    default:
      throw malformed("an unknown wire type", at);
  }
}

function checkEnd(to: number, end: number, at: number): number {
  if (to > end) throw malformed("a truncated number", at);
  return to;
}

/** Reads a string. @throws {FunctionError} `InvalidMessage` if it is not UTF-8. */
export function readText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start, end);
  // Node replaces invalid UTF-8 by U+FFFD, so only a text with that character has to be checked.
  if (text.includes("\ufffd") && !isUtf8(bytes.subarray(start, end))) throw malformed("invalid UTF-8", start);
  return text;
}

/** Compares a key's bytes with a text, from the end: keys of annotations often begin alike. */
export function isKey(bytes: Buffer, start: number, end: number, key: string): boolean {
  let at = end;
  for (let i = key.length - 1; i >= 0; i--) {
    const char = key.charCodeAt(i);
    if (char > 0x7f) return readText(bytes, start, end) === key;
    if (at === start || bytes[--at] !== char) return false;
  }
  return at === start;
}
