import { type Parts, requestOf } from "./request.ts";

/** A list, text or map that somebody else than the Composition's author writes. */
export interface Row {
  /** The feature that reads it, and the field. */
  readonly name: string;
  /** A request with that many items (of a text, characters) of it. */
  readonly parts: (items: number) => Parts;
}

/** Requests of a row by their size. */
export interface Sized {
  readonly name: string;
  /** @returns a request of about that many bytes */
  request(bytes: number): Buffer;
}

/** Few enough to be quick at any cost, and enough that what every request has does not matter. */
const PROBES = [400, 800] as const;

/** How many bytes an item takes is measured, so that rows need not know. */
export function sized({ name, parts }: Row): Sized {
  const [fewer, more] = PROBES;
  const small = requestOf(parts(fewer)).length;
  const perItem = (requestOf(parts(more)).length - small) / (more - fewer);
  return { name, request: (bytes) => requestOf(parts(Math.round(fewer + (bytes - small) / perItem))) };
}

/** `item-0` and so on, up to the number of them. */
export const list = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, i) => make(i));

export const map = <T>(length: number, entry: (index: number) => readonly [string, T]): Record<string, T> =>
  Object.fromEntries(list(length, entry));
