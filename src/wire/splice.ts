import { next, readTag, skip } from "./scan.ts";
import type { Slice } from "./slice.ts";
import type { Writer } from "./writer.ts";

/**
 * Copies a message's fields but for those that are replaced. What is kept is copied in runs, as it is: unknown fields, an
 * unusual encoding and all.
 *
 * @param isReplaced asked for each field with its tag and, where it is length-delimited, its content
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
