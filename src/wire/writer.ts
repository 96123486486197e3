/** Longer ones are for V8, which copies many characters at a time. */
const LONGEST_SHORT_TEXT = 32;

/**
 * Writes a message from its end to its start: when a nested message is done its length is known, so no second pass measures
 * it first. Whoever uses it writes fields in reverse, each one's content before its tag.
 *
 * Every message gets a buffer of its own. Keeping one for the next call would save an allocation and keep secrets.
 */
export class Writer {
  #buffer: Buffer;
  #at: number;

  /** @param size what the message will take, in bytes; a guess that is too small costs a copy. */
  constructor(size: number) {
    this.#buffer = Buffer.allocUnsafeSlow(size);
    this.#at = size;
  }

  /** The number of bytes written. The difference between two of these is a nested message's length. */
  get length(): number {
    return this.#buffer.length - this.#at;
  }

  bytes(source: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    this.#at -= end - start;
    source.copy(this.#buffer, this.#at, start, end);
  }

  text(text: string): void {
    if (text.length > LONGEST_SHORT_TEXT || !this.#shortText(text)) this.#anyText(text);
  }

  /** Most keys and values are a few ASCII characters: a loop is faster than two ways into V8 and back. */
  #shortText(text: string): boolean {
    this.#reserve(text.length);
    const start = this.#at - text.length;
    for (let i = 0; i < text.length; i++) {
      const char = text.charCodeAt(i);
      if (char > 0x7f) return false;
      this.#buffer[start + i] = char;
    }
    this.#at = start;
    return true;
  }

  #anyText(text: string): void {
    const length = Buffer.byteLength(text);
    this.#reserve(length);
    this.#at -= length;
    this.#buffer.write(text, this.#at);
  }

  /** @param value a whole number from 0 to 2^53 */
  varint(value: number): void {
    let length = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++;
    this.#reserve(length);
    this.#at -= length;

    let at = this.#at;
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#buffer[at++] = (rest % 0x80) | 0x80;
    this.#buffer[at] = rest;
  }

  /** A length and a tag before all that was written since `mark`, an earlier `length`. */
  endMessage(tag: number, mark: number): void {
    this.varint(this.length - mark);
    this.varint(tag);
  }

  /** A message field whose content `write` writes. */
  message(tag: number, write: () => void): void {
    const mark = this.length;
    write();
    this.endMessage(tag, mark);
  }

  /** A string field; undefined leaves it out. */
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

  /** A number, boolean or enum field. */
  number(tag: number, value: number): void {
    this.varint(value);
    this.varint(tag);
  }

  finish(): Buffer {
    return this.#buffer.subarray(this.#at);
  }

  #reserve(size: number): void {
    if (size <= this.#at) return;
    const written = this.length;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, written + size));
    this.#buffer.copy(larger, larger.length - written, this.#at);
    this.#buffer = larger;
    this.#at = larger.length - written;
  }
}
