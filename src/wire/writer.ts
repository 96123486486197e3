import { FunctionError } from "../errors.ts";
import { ENTRY_KEY, ENTRY_VALUE } from "./fields.ts";

const MIB = 1024 * 1024;

/**
 * Writes a message from its end to its start, so that the length of a nested message, which precedes its content, is known
 * when it is written. Callers write fields in reverse order, and each field's content before its tag.
 *
 * Each message has a new buffer: a reused one would keep secrets in memory.
 */
export class Writer {
  readonly #most: number;
  #buffer: Buffer;
  #at: number;

  /**
   * @param size the expected size in bytes; a larger message is copied into a larger buffer.
   * @param most the largest size in bytes. A value that is set in many places can make a response far larger than its request.
   */
  constructor(size: number, most = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#buffer = Buffer.allocUnsafeSlow(size);
    this.#at = size;
  }

  get length(): number {
    return this.#buffer.length - this.#at;
  }

  bytes(source: Buffer, start: number, end: number): void {
    const length = end - start;
    this.#reserve(length);
    this.#at -= length;
    source.copy(this.#buffer, this.#at, start, end);
  }

  text(text: string): void {
    const length = Buffer.byteLength(text);
    this.#reserve(length);
    this.#at -= length;
    this.#buffer.write(text, this.#at);
  }

  /** Writes a varint. @param value a whole number from 0 to 2^53 */
  varint(value: number): void {
    const isLong = value >= 0x80;
    if (isLong) this.varint(Math.floor(value / 0x80)); // the upper bits come last
    this.#reserve(1);
    this.#at--;
    this.#buffer[this.#at] = isLong ? (value % 0x80) | 0x80 : value;
  }

  /** Writes the tag and length in front of the content that was written since `mark`, an earlier value of `length`. */
  endMessage(tag: number, mark: number): void {
    this.varint(this.length - mark);
    this.varint(tag);
  }

  /** Writes a message field; `write` writes its content. */
  message(tag: number, write: () => void): void {
    const mark = this.length;
    write();
    this.endMessage(tag, mark);
  }

  /** Writes an entry of a map; `write` writes its value's content: a message, bytes or a text. */
  entry(tag: number, key: string, write: () => void): void {
    this.message(tag, () => {
      this.message(ENTRY_VALUE, write);
      this.string(ENTRY_KEY, key);
    });
  }

  /** Writes a string field, unless the text is undefined. */
  string(tag: number, text: string | undefined): void {
    if (text === undefined) return;
    const mark = this.length;
    this.text(text);
    this.endMessage(tag, mark);
  }

  double(tag: number, value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    this.#buffer.writeDoubleLE(value, this.#at);
    this.varint(tag);
  }

  number(tag: number, value: number): void {
    this.varint(value);
    this.varint(tag);
  }

  finish(): Buffer {
    this.#check(this.length);
    return this.#buffer.subarray(this.#at);
  }

  #check(size: number): void {
    if (size <= this.#most) return;
    const limit = `${this.#most / MIB} MiB`;
    throw new FunctionError(
      "InvalidResponse",
      `cannot return more than ${limit}: Crossplane takes no larger response, and a response contains what earlier ` +
        "steps desire, too. Split the XR into several that compose less each, or have it use fewer shared resources",
    );
  }

  #reserve(size: number): void {
    if (size <= this.#at) return;
    const written = this.length;
    this.#check(written + size);
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, written + size));
    this.#buffer.copy(larger, larger.length - written, this.#at);
    this.#buffer = larger;
    this.#at = larger.length - written;
  }
}
