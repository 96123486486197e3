import { StatusError } from "./status.ts";

/**
 * How gRPC puts messages into HTTP/2's data: a byte that says whether it is compressed, four with its length, itself.
 *
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
const PREFIX_BYTES = 5;

export function prefixOf(message: Uint8Array): Buffer {
  const prefix = Buffer.allocUnsafe(PREFIX_BYTES);
  prefix[0] = 0;
  prefix.writeUInt32BE(message.byteLength, 1);
  return prefix;
}

/** Finds the messages in a call's data. */
export class MessageReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  /** How many bytes the chunks have together. */
  #available = 0;
  /** Of the message whose prefix has been read. */
  #length: number | undefined;

  /** @param maxBytes what a message may have; a larger one is refused before it is here. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes the data as it comes, and delivers each message once it is whole.
   *
   * @throws {StatusError} for a message that is too large, or compressed.
   */
  push(chunk: Buffer, deliver: (message: Buffer) => void): void {
    this.#chunks.push(chunk);
    this.#available += chunk.length;
    for (;;) {
      if (this.#length === undefined && this.#available < PREFIX_BYTES) return;
      this.#length ??= this.#lengthIn(this.#take(PREFIX_BYTES));
      if (this.#available < this.#length) return;
      const message = this.#take(this.#length);
      this.#length = undefined;
      deliver(message);
    }
  }

  /** @throws {StatusError} where the data ends within a message. */
  assertEmpty(): void {
    if (this.#available > 0 || this.#length !== undefined) throw new StatusError("Internal", "a message is cut off");
  }

  #lengthIn(prefix: Buffer): number {
    if (prefix[0] !== 0) throw new StatusError("Unimplemented", "compressed messages are not read here");
    const length = prefix.readUInt32BE(1);
    if (length <= this.#maxBytes) return length;
    // In the words of gRPC's own servers, for which people search.
    throw new StatusError("ResourceExhausted", `Received message larger than max (${length} vs ${this.#maxBytes})`);
  }

  #take(size: number): Buffer {
    const [first] = this.#chunks;
    const bytes = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#chunks = bytes.length > size ? [bytes.subarray(size)] : [];
    this.#available -= size;
    return bytes.subarray(0, size);
  }
}
