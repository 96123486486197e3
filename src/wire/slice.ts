/** The range of a message in a request's bytes. It keeps the whole request in memory, so it must not outlive the request. */
export interface Slice {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

export const emptySlice: Slice = { bytes: Buffer.alloc(0), start: 0, end: 0 };

/** Merges the occurrences of a singular message field: concatenated messages are the encoding of the merged message. */
export function mergeSlices(messages: readonly Slice[]): Slice {
  const bytes = Buffer.concat(messages.map(({ bytes, start, end }) => bytes.subarray(start, end)));
  return { bytes, start: 0, end: bytes.length };
}
