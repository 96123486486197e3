/**
 * A message somewhere in a request's bytes. It keeps the whole request alive and is wrong once the buffer is reused, so
 * nothing that outlives the request may hold one.
 */
export interface Slice {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

export const emptySlice: Slice = { bytes: Buffer.alloc(0), start: 0, end: 0 };

/**
 * Two occurrences of one singular message field, merged as protobuf wants it: the concatenation of two messages' bytes is
 * the encoding of the two merged. Rare: no encoder that we know writes a field twice.
 */
export function merged(first: Slice | undefined, bytes: Buffer, start: number, end: number): Slice {
  if (first === undefined) return { bytes, start, end };
  const both = Buffer.concat([first.bytes.subarray(first.start, first.end), bytes.subarray(start, end)]);
  return { bytes: both, start: 0, end: both.length };
}
