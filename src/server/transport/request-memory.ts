/** A call whose request is partly or wholly in memory. */
export interface HeldCall {
  readonly connection: object;
  /** The bytes that it holds. */
  bytes: number;
  /** Ends the call. `release` gives its memory back. */
  readonly refuse: () => void;
}

/** The calls of one connection. */
interface Holder {
  bytes: number;
  readonly calls: Set<HeldCall>;
}

/**
 * Counts the memory of requests over all connections, and refuses calls beyond a limit.
 *
 * It refuses the largest call of the connection that holds most, not the latest call: a client that fills the memory is refused
 * itself, and others' calls continue.
 */
export class RequestMemory {
  readonly #maxBytes: number;
  readonly #holders = new Map<object, Holder>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes that all calls hold. */
  get bytes(): number {
    return this.#bytes;
  }

  add(call: HeldCall, bytes: number): void {
    const holder = this.#findHolder(call.connection);
    holder.calls.add(call);
    holder.bytes += bytes;
    call.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#maxBytes) this.#refuseLargest();
  }

  release(call: HeldCall): void {
    const holder = this.#holders.get(call.connection);
    if (!holder?.calls.delete(call)) return;
    holder.bytes -= call.bytes;
    this.#bytes -= call.bytes;
    call.bytes = 0;
    if (holder.calls.size === 0) this.#holders.delete(call.connection);
  }

  #findHolder(connection: object): Holder {
    const known = this.#holders.get(connection);
    if (known) return known;
    const holder = { bytes: 0, calls: new Set<HeldCall>() };
    this.#holders.set(connection, holder);
    return holder;
  }

  #refuseLargest(): void {
    const call = largest(largest(this.#holders.values())?.calls ?? []);
    if (call === undefined) return;
    this.release(call);
    call.refuse();
  }
}

function largest<T extends { readonly bytes: number }>(all: Iterable<T>): T | undefined {
  let found: T | undefined;
  for (const one of all) if (found === undefined || one.bytes > found.bytes) found = one;
  return found;
}
