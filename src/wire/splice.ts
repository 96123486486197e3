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
  const runs: { start: number; end: number }[] = [];
  let run = { start, end: start };
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    at = skip(bytes, tag, next, end);
    if (isReplaced(tag, { bytes, start: next, end: at })) {
      runs.push(run);
      run = { start: at, end: at };
    } else {
      run.end = at;
    }
  }
  runs.push(run);
  for (const kept of runs.reverse()) writer.bytes(bytes, kept.start, kept.end);
}
