import { isObject, type JsonObject } from "../../src/model/json.ts";
import { lastCall, type OurParts } from "../requests/last-call.ts";

/** A list, text or map that somebody else than the Composition's author writes. */
export interface Row {
  /** The feature that reads it, and the field. */
  readonly name: string;
  /** A request with that many items (of a text, characters) of it. */
  readonly parts: (items: number) => OurParts;
  /** The size in bytes from which on more items make no larger request; undefined if there is none. */
  readonly largest?: number | undefined;
}

/** Requests of a row by their size. */
interface Sized {
  /** The largest request, in bytes, whose objects a cluster can hold. */
  readonly largest: number;
  /** @returns a request of about that many bytes */
  request(bytes: number): Buffer;
}

/** Few enough to be quick at any cost, and enough that what every request has does not matter. */
const PROBES = [400, 800] as const;

/** A request that is this near to the size that is asked for is near enough. */
const TOLERANCE = 0.05;
const TRIES = 5;

/**
 * Measures how many bytes an item takes, so that rows need not know. That changes where the function takes no more items: what
 * is over a limit is in the request, and nothing is answered for it.
 */
export function sized({ parts, largest = Number.POSITIVE_INFINITY }: Row): Sized {
  const make = (items: number) => ({ items, request: lastCall(parts(items)) });
  const probes = PROBES.map(make) as [Made, Made];
  const atMost = Math.min(largest, findLargest(parts(PROBES[1])));
  return { largest: atMost, request: (bytes) => approach(bytes, probes, make) };
}

const MIB = 1024 * 1024;

/** Of one object in etcd (`--max-request-bytes`), and of all its annotations (apimachinery's `TotalAnnotationSizeLimitB`). */
const LARGEST = { object: 1.5 * MIB, annotations: MIB / 4 } as const;

/** Finds the size at which the largest object, or its annotations, is as large as it can be. */
function findLargest({ xr, spec, observed = {}, desired = {}, context = {}, cluster = [] }: OurParts): number {
  const objects = [xr, spec, ...Object.values(observed), ...Object.values(desired), ...cluster];
  const size = (value: unknown): number => JSON.stringify(value ?? {}).length;
  const most = (values: readonly unknown[]): number => values.map(size).reduce((a, b) => Math.max(a, b), 0);
  const all = size(objects) + size(context);
  return Math.min(
    (LARGEST.object * all) / most(objects),
    (LARGEST.annotations * all) / most(objects.map(annotationsIn)),
  );
}

const annotationsIn = ({ metadata }: JsonObject): unknown => isObject(metadata) && metadata["annotations"];

interface Made {
  readonly items: number;
  readonly request: Buffer;
}

/** Goes on from the last two sizes in a straight line, until the size is met. */
function approach(bytes: number, [first, second]: readonly [Made, Made], make: (items: number) => Made): Buffer {
  let [before, last] = [first, second];
  for (let tries = 0; tries < TRIES && Math.abs(last.request.length / bytes - 1) > TOLERANCE; tries++) {
    const perItem = (last.request.length - before.request.length) / (last.items - before.items);
    [before, last] = [last, make(Math.round(last.items + (bytes - last.request.length) / perItem))];
  }
  return last.request;
}

/** Names rows after the feature that reads what is large. */
export const rowsOf = (
  feature: string,
  rows: Readonly<Record<string, Row["parts"]>>,
  largest?: number,
): readonly Row[] => Object.entries(rows).map(([name, parts]) => ({ name: `${feature}: ${name}`, parts, largest }));

/** `item-0` and so on, up to the number of them. */
export const list = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, i) => make(i));

export const map = <T>(length: number, entry: (index: number) => readonly [string, T]): Record<string, T> =>
  Object.fromEntries(list(length, entry));

/** A map of short texts. */
export const textMap = (length: number, key = "key"): Record<string, string> =>
  map(length, (index) => [`${key}-${index}`, "text"]);
