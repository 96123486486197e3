/** The range of a message in a request's bytes. It keeps the whole request in memory, so it must not outlive the request. */
export interface Slice {
  readonly bytes: Bytes;
  readonly start: number;
  readonly end: number;
}

/** Bytes with a DataView, which reads four or eight at a time. One view per read would cost more than it saves. */
export interface Bytes extends Buffer {
  readonly view: DataView;
}

/** Adds a view to bytes, without copying them. */
export function toBytes({ buffer, byteOffset, byteLength }: Uint8Array): Bytes {
  return Object.assign(Buffer.from(buffer, byteOffset, byteLength), {
    view: new DataView(buffer, byteOffset, byteLength),
  });
}

export const emptySlice: Slice = { bytes: toBytes(Buffer.alloc(0)), start: 0, end: 0 };

/** Merges the occurrences of a singular message field: concatenated messages are the encoding of the merged message. */
export function mergeSlices(messages: readonly Slice[]): Slice {
  const bytes = toBytes(Buffer.concat(messages.map(({ bytes, start, end }) => bytes.subarray(start, end))));
  return { bytes, start: 0, end: bytes.length };
}
