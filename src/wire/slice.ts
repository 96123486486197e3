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
 * All occurrences of one singular message field, merged as protobuf wants it: the concatenation of messages' bytes is the
 * encoding of them merged. More than one is rare: no encoder that we know writes a field twice.
 */
export function merged(messages: readonly Slice[]): Slice {
  if (messages.length <= 1) return messages[0] ?? emptySlice;
  const bytes = Buffer.concat(messages.map(({ bytes, start, end }) => bytes.subarray(start, end)));
  return { bytes, start: 0, end: bytes.length };
}
