import { next, readTag, skip } from "./scan.ts";
import type { Slice } from "./slice.ts";
import type { Writer } from "./writer.ts";

/**
 * Copies a message's fields, except those that are replaced. The others are copied as they are, also unknown fields and unusual
 * encodings.
 *
 * @param isReplaced is called for each field with its tag and its content
 */
export function writeExcept(
  writer: Writer,
  message: Slice,
  isReplaced: (tag: number, content: Slice) => boolean,
): void {
  const { bytes, start, end } = message;
  let last: Run = { start, end: start, before: undefined };
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    at = skip(bytes, tag, next, end);
    if (isReplaced(tag, { bytes, start: next, end: at })) last = { start: at, end: at, before: last };
    else last.end = at;
  }
  for (let run: Run | undefined = last; run !== undefined; run = run.before) writer.bytes(bytes, run.start, run.end);
}

/** Fields that are kept, one after the other, and the run before them. */
interface Run {
  readonly start: number;
  end: number;
  readonly before: Run | undefined;
}
