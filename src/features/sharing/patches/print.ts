import type { Directive, Format } from "../../../input/format.ts";
import type { JsonValue } from "../../../model/json.ts";
import { type GoValue, typeOf, write } from "./go-value.ts";
import { printInteger, printNumber } from "./print-number.ts";
import { quoteString } from "./quote.ts";
import { PLAIN, pad, type Style, toStyle, truncate } from "./style.ts";

/**
 * Prints values as Go's fmt.Sprintf does, mistakes included: `%!d(string=a)`. One thing differs: where Go has that to say
 * about a number or boolean under %s, or about a whole number under %d or another verb of integers, the value is printed.
 * Numbers in JSON are float64 to Go, so that nobody could print a port.
 */
export function sprintf(format: Format, values: readonly GoValue[]): string {
  const printed = printAll(format, values);
  const isReordered = format.some((piece) => typeof piece !== "string" && piece.indexes.length > 0);
  return printed.text + (isReordered || printed.next >= values.length ? "" : printExtra(values.slice(printed.next)));
}

/** The text, and the index of the first value that it does not have. */
function printAll(format: Format, values: readonly GoValue[]): { readonly text: string; readonly next: number } {
  let next = 0;
  let text = "";
  for (const piece of format) {
    if (typeof piece === "string") {
      text += piece;
      continue;
    }
    const index = piece.indexes.findLast((given) => isIndexOf(given, values)) ?? next;
    const complaint = findComplaint(piece, index, values);
    text += complaint ?? printTop(values[index] ?? null, piece.verb, toStyle(piece));
    next = complaint === undefined ? index + 1 : index;
  }
  return { text, next };
}

const isIndexOf = (index: number | undefined, { length }: readonly GoValue[]): boolean =>
  index !== undefined && index >= 0 && index < length;

/** Finds the text that Go prints for a directive that takes no value, or has none; undefined where there is one to print. */
function findComplaint(
  { verb, indexes, isMisplaced }: Directive,
  index: number,
  values: readonly GoValue[],
): string | undefined {
  if (verb === "") return "%!(NOVERB)";
  if (verb === "%") return "%";
  if (isMisplaced || !indexes.every((given) => isIndexOf(given, values))) return `%!${verb}(BADINDEX)`;
  return index < values.length ? undefined : `%!${verb}(MISSING)`;
}

/** Prints a value by itself, as Go does under %v. */
export const print = (value: GoValue): string => printTop(value, "v", PLAIN);

const printExtra = (values: readonly GoValue[]): string =>
  `%!(EXTRA ${values.map((value) => (value === null ? "<nil>" : `${typeOf(value)}=${print(value)}`)).join(", ")})`;

function printTop(value: GoValue, verb: string, style: Style): string {
  if (value === null) return verb === "v" || verb === "T" ? pad("<nil>", style) : `%!${verb}(<nil>)`;
  return verb === "T" ? pad(truncate(typeOf(value), style), style) : printValue(value, verb, style);
}

function printValue(value: GoValue, verb: string, style: Style): string {
  switch (typeof value) {
    case "string":
      return printString(value, verb, style);
    case "boolean":
      return "tvs".includes(verb) ? pad(String(value), style) : toMistake(value, verb, style);
    case "bigint":
      return printInteger(value, verb, style) ?? toMistake(value, verb, style);
    case "number":
      return printNumber(value, verb, style) ?? toMistake(value, verb, style);
    default:
      return printContainer(value, verb, style);
  }
}

const toMistake = (value: GoValue, verb: string, style: Style): string =>
  `%!${verb}(${typeOf(value)}=${printValue(value, "v", style)})`;

/** Lists and objects take every verb but that of errors: it holds for what is in them. */
function printContainer(value: JsonValue, verb: string, style: Style): string {
  if (verb === "w") return toMistake(value, verb, style);
  const { isGoSyntax } = style;
  return write(value, {
    list: isGoSyntax ? ["[]interface {}{", "}"] : ["[", "]"],
    object: isGoSyntax ? ["map[string]interface {}{", "}"] : ["map[", "]"],
    separator: isGoSyntax ? ", " : " ",
    toKey: (key) => `${printString(key, verb, style)}:`,
    toLeaf: (leaf) => (leaf === null ? toNil(style) : printValue(leaf, verb, style)),
  });
}

const toNil = ({ isGoSyntax }: Style): string => (isGoSyntax ? "interface {}(nil)" : "<nil>");

function printString(text: string, verb: string, style: Style): string {
  switch (verb) {
    case "s":
      return pad(truncate(text, style), style);
    case "v":
      return style.isGoSyntax ? printQuoted(text, style) : pad(truncate(text, style), style);
    case "q":
      return printQuoted(text, style);
    case "x":
      return printHexadecimal(text, style);
    case "X":
      return printHexadecimal(text, style).toUpperCase();
    default:
      return toMistake(text, verb, style);
  }
}

function printQuoted(text: string, style: Style): string {
  const cut = truncate(text, style);
  return pad(quoteString(cut, { raw: style.flags.has("#"), ascii: style.flags.has("+") }), style);
}

/** The bytes of a text. Zeros do not pad it on the right, as they do not pad anything. */
function printHexadecimal(text: string, style: Style): string {
  const digits = Buffer.from(text).subarray(0, style.precision).toString("hex");
  const prefix = style.flags.has("#") ? "0x" : "";
  const spaced = style.flags.has(" ") ? digits.replace(/..(?=.)/g, `$& ${prefix}`) : digits;
  return pad(digits === "" ? "" : prefix + spaced, style);
}
