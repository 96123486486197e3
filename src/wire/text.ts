import { isUtf8 } from "node:buffer";
import { malformed } from "./scan.ts";

/** A Buffer's function behind `toString("utf8", …)`, without its checks of arguments; @types/node lacks it. */
type Utf8Bytes = Buffer & { utf8Slice(start: number, end: number): string };

/** Reads a string. @throws {FunctionError} `InvalidMessage` if it is not UTF-8. */
export function readText(bytes: Buffer, start: number, end: number): string {
  const text = (bytes as Utf8Bytes).utf8Slice(start, end);
  // Node replaces invalid UTF-8 by U+FFFD, so only a text with that character has to be checked.
  if (text.includes("\ufffd") && !isUtf8(bytes.subarray(start, end))) throw malformed("invalid UTF-8", start);
  return text;
}

/** Tells whether a key's bytes are this text. Compares the end first: keys such as annotations differ there. */
export function isKey(bytes: Buffer, start: number, end: number, key: string): boolean {
  let at = end;
  for (let i = key.length - 1; i >= 0; i--) {
    const char = key.charCodeAt(i);
    if (char > 0x7f) return readText(bytes, start, end) === key;
    if (at === start || bytes[--at] !== char) return false;
  }
  return at === start;
}
