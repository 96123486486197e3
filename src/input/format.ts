import * as z from "zod";

/** A format of Go's fmt.Sprintf, as texts and directives. */
export type Format = readonly (string | Directive)[];

/** One `%…` of a format. */
export interface Directive {
  readonly flags: ReadonlySet<string>;
  readonly width: number | undefined;
  readonly precision: number | undefined;
  /** The explicit argument indexes, from 0: `%[2]d` has 1. Undefined for one that is not a number. */
  readonly indexes: readonly (number | undefined)[];
  /** True if an index stands before a width or precision, where it does not belong, as in `%[3]2d`. */
  readonly isMisplaced: boolean;
  /** Empty if the format ends before the verb. */
  readonly verb: string;
}

/** Go allows a million. Such a width is a mistake, and would make a megabyte of one value. */
const MAX_WIDTH = 1000;

/** Parses a format. As in Go any verb is allowed, except those whose output depends on more than the format and the value. */
export const format = z.string().transform((text, check): Format => {
  const pieces = parseFormat(text);
  const faults = pieces.flatMap((piece) => (typeof piece === "string" ? [] : findFaults(piece)));
  for (const fault of new Set(faults)) check.addIssue(fault);
  return pieces;
});

function findFaults({ verb, width = 0, precision = 0 }: Directive): readonly string[] {
  const faults: string[] = [];
  if (verb === "*") faults.push("a width or precision of * is not supported: write the number");
  if (verb === "p") faults.push("%p is not supported: an address changes with every call");
  if (Math.max(width, precision) > MAX_WIDTH) faults.push(`a width or precision above ${MAX_WIDTH}`);
  return faults;
}

/**
 * A directive: flags, an index, a width, a precision with its index, an index if none came before, and the verb. Sticky: it
 * matches only where the last piece ended.
 */
const DIRECTIVE = new RegExp(
  [
    "%(?<flags>[#0+\\- ]*)(?<first>INDEX)?(?<width>\\d+)?",
    "(?:\\.(?=.)(?<second>INDEX)?(?<precision>\\d+)?(?<hasPrecision>))?",
    "(?:(?<!\\[\\d+\\])(?<third>INDEX))?(?<verb>.)?",
  ]
    .join("")
    .replaceAll("INDEX", "\\[[^\\]]*\\]|\\[(?![^\\]]*\\])"),
  "suy",
);

function parseFormat(text: string): Format {
  const pieces: (string | Directive)[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("%", at);
    if (end !== at) pieces.push(text.slice(at, end < 0 ? undefined : end));
    if (end < 0) break;
    DIRECTIVE.lastIndex = end;
    const { groups = {}, 0: { length } = "%" } = DIRECTIVE.exec(text) ?? {};
    pieces.push(toDirective(groups));
    at = end + length;
  }
  return pieces;
}

function toDirective(groups: Readonly<Record<string, string | undefined>>): Directive {
  const { flags = "", first, width, second, precision, hasPrecision, third, verb = "" } = groups;
  const given = [first, second, third].filter((index) => index !== undefined);
  const isIndex = (index: string | undefined): boolean => index !== undefined && /^\[\d{1,7}\]$/.test(index);
  return {
    flags: new Set(flags),
    width: width === undefined ? undefined : Number(width),
    precision: hasPrecision === undefined ? undefined : Number(precision ?? 0),
    indexes: given.map((index) => (isIndex(index) ? Number(index.slice(1, -1)) - 1 : undefined)),
    isMisplaced: isIndex(first) && (width !== undefined || hasPrecision !== undefined),
    verb,
  };
}
