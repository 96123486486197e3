import { isUtf8 } from "node:buffer";
import { malformed } from "./scan.ts";
import type { Bytes } from "./slice.ts";

/** Up to this length a loop in JavaScript is faster than calling into V8. */
const LONGEST_SHORT_TEXT = 12;

/** The bits of a word of four bytes that ASCII does not have. */
const NOT_ASCII = 0x8080_8080;

/** Reads a string. @throws {FunctionError} `InvalidMessage` if it is not UTF-8. */
export function readText(bytes: Bytes, start: number, end: number): string {
  const short = end - start > LONGEST_SHORT_TEXT ? undefined : readShortText(bytes, start, end);
  return short ?? readAnyText(bytes, start, end);
}

/** Reads eight characters at a time, then four, then one; undefined if one of them is not ASCII. */
function readShortText(bytes: Bytes, start: number, end: number): string | undefined {
  const { view } = bytes;
  let text = "";
  let at = start;
  for (; at + 8 <= end; at += 8) {
    const a = view.getInt32(at);
    const b = view.getInt32(at + 4);
    if (((a | b) & NOT_ASCII) !== 0) return undefined;
    text += String.fromCharCode(
      a >>> 24,
      (a >> 16) & 0x7f,
      (a >> 8) & 0x7f,
      a & 0x7f,
      b >>> 24,
      (b >> 16) & 0x7f,
      (b >> 8) & 0x7f,
      b & 0x7f,
    );
  }
  for (; at + 4 <= end; at += 4) {
    const word = view.getInt32(at);
    if ((word & NOT_ASCII) !== 0) return undefined;
    text += String.fromCharCode(word >>> 24, (word >> 16) & 0x7f, (word >> 8) & 0x7f, word & 0x7f);
  }
  for (; at < end; at++) {
    const char = bytes[at] as number;
    if (char > 0x7f) return undefined;
    text += String.fromCharCode(char);
  }
  return text;
}

/** The function that `toString("utf8", …)` calls after checking its arguments; @types/node lacks it. */
type Utf8Bytes = Buffer & { utf8Slice(start: number, end: number): string };

function readAnyText(bytes: Buffer, start: number, end: number): string {
  const text = (bytes as Utf8Bytes).utf8Slice(start, end);
  // Node replaces invalid UTF-8 by U+FFFD, so only a text with that character has to be checked.
  if (text.includes("\ufffd") && !isUtf8(bytes.subarray(start, end))) throw malformed("invalid UTF-8", start);
  return text;
}
