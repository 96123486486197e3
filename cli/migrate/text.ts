import { CST, isCollection, isScalar, Lexer, type Node, stringify } from "yaml";
import type { JsonObject } from "../../src/model/json.ts";

/** A range of a text, in UTF-16 code units, and its replacement. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Makes the last edit first, so that the ranges of the others stay. @param edits in ascending order, without overlaps. */
export const withEdits = (text: string, edits: readonly Edit[]): string =>
  edits.reduceRight((edited, { start, end, text: part }) => edited.slice(0, start) + part + edited.slice(end), text);

/** The YAML of an input, and where it is to be written. */
export interface Place {
  readonly text: string;
  /** The part of `text` that the input takes now, up to its last line's end. */
  readonly start: number;
  readonly end: number;
  /** True for `{…}`, which stays on one line. */
  readonly isFlow: boolean;
}

/** Finds a node that was parsed from `text`; undefined for one that was not. */
export function placeOf(node: Node, text: string): Place | undefined {
  if (!node.range) return undefined;
  const [start, valueEnd] = node.range;
  const isFlow = isCollection(node) && node.flow === true;
  const end = start + withoutNextComments(text.slice(start, valueEnd), columnAt(start, text)).length;
  const after = isFlow || isScalar(node) ? null : /^[ \t]*#[^\r\n]*/.exec(text.slice(end));
  return { text, start, end: end + (after?.[0].length ?? 0), isFlow };
}

/** Leaves out the comments at its end that are indented less: to the parser they belong to a last key without a value. */
function withoutNextComments(text: string, column: number): string {
  const lines = text.trimEnd().split("\n");
  const isNext = (line: string): boolean => /^\s*(?:#|$)/.test(line) && line.search(/\S|$/) < column;
  while (lines.length > 1 && isNext(lines.at(-1) ?? "")) lines.pop();
  return lines.join("\n").trimEnd();
}

/**
 * Writes a value in the place of another one, at its column and with its line ends. The comments inside the other one come first:
 * the fields that they were at may have gone. A value in braces has no room for them.
 */
export function replaceValue(place: Place, value: JsonObject, indentSeq: boolean): Edit {
  const { text, start, end, isFlow } = place;
  if (isFlow) return { start, end, text: stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trimEnd() };
  const lines = stringify(value, { lineWidth: 0, indentSeq }).trimEnd().split("\n");
  const comments = commentsIn(place).map((comment) => `#${comment}`);
  const indent = " ".repeat(columnAt(start, text));
  const [first = "", ...rest] = [...comments, ...lines];
  const indented = rest.map((line) => (line === "" ? line : indent + line));
  return { start, end, text: [first, ...indented].join(text.includes("\r\n") ? "\r\n" : "\n") };
}

/** The comments inside of a place, each a line without its `#`. */
export const commentsIn = ({ text, start, end }: Place): readonly string[] =>
  [...new Lexer().lex(" ".repeat(columnAt(start, text)) + text.slice(start, end))]
    .filter((token) => CST.tokenType(token) === "comment")
    .map((token) => token.slice(1));

export const columnAt = (at: number, text: string): number => at - text.lastIndexOf("\n", at - 1) - 1;
