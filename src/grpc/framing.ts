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

const NOTHING = Buffer.alloc(0);

/** Finds the messages in a call's data. */
export class MessageReader {
  readonly #maxBytes: number;
  /** Of a prefix that is not whole yet. */
  #rest: Buffer = NOTHING;
  /** A message that is not whole yet. */
  #begun: Buffer | undefined;
  #filled = 0;

  /** @param maxBytes what a message may have; a larger one is refused before it is here. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes the data as it comes, and delivers each message once it is whole. What is in several pieces is put together as they come,
   * while the client sends the next: at the end it would be the client who waits.
   *
   * @throws {StatusError} for a message that is too large, or compressed.
   */
  push(chunk: Buffer, deliver: (message: Buffer) => void): void {
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = NOTHING;
    while (data.length > 0) {
      if (this.#begun !== undefined) {
        data = this.#goOn(this.#begun, data, deliver);
      } else if (data.length >= PREFIX_BYTES) {
        data = this.#begin(data, deliver);
      } else {
        this.#rest = data;
        return;
      }
    }
  }

  /** @throws {StatusError} where the data ends within a message. */
  assertEmpty(): void {
    if (this.#rest.length > 0 || this.#begun !== undefined) throw new StatusError("Internal", "a message is cut off");
  }

  /** Each returns the data that is left. */
  #begin(data: Buffer, deliver: (message: Buffer) => void): Buffer {
    const length = this.#lengthIn(data);
    const end = PREFIX_BYTES + length;
    if (data.length >= end) {
      deliver(data.subarray(PREFIX_BYTES, end));
      return data.subarray(end);
    }
    this.#begun = Buffer.allocUnsafeSlow(length); // not of a pool that other messages see
    this.#filled = 0;
    return data.subarray(PREFIX_BYTES);
  }

  #goOn(begun: Buffer, data: Buffer, deliver: (message: Buffer) => void): Buffer {
    const taken = data.copy(begun, this.#filled);
    this.#filled += taken;
    if (this.#filled === begun.length) {
      this.#begun = undefined;
      deliver(begun);
    }
    return data.subarray(taken);
  }

  #lengthIn(prefix: Buffer): number {
    if (prefix[0] !== 0) throw new StatusError("Unimplemented", "compressed messages are not read here");
    const length = prefix.readUInt32BE(1);
    if (length <= this.#maxBytes) return length;
    // In the words of gRPC's own servers, for which people search.
    throw new StatusError("ResourceExhausted", `Received message larger than max (${length} vs ${this.#maxBytes})`);
  }
}
