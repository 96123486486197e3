import { isBase60, resolvePlain } from "./resolve.ts";

/** Where a scalar stands: what follows its first line is indented by `indent`; `column` is where the first line begins. */
export interface Place {
  readonly indent: number;
  readonly column: number;
}

/** Lines are folded at the first space beyond this column. */
const WIDTH = 80;

type Style = "plain" | "single" | "double" | "literal";

/** A string as go-yaml v2 writes it as a value. Source: go.yaml.in/yaml/v2, encode.go stringv and emitterc.go. */
export function formatString(text: string, place: Place): string {
  switch (styleOf(text)) {
    case "plain":
      return foldWords(text, place);
    case "single":
      return `'${foldWords(text.replaceAll("'", "''"), { ...place, column: place.column + 1 })}'`;
    case "literal":
      return formatLiteral(text, place);
    case "double":
      return foldDoubleQuoted(text, place);
  }
}

/** A string as an object's key: on one line, however long. */
export function formatKey(text: string): string {
  const style = styleOf(text);
  if (style === "plain") return text;
  return style === "single" ? `'${text.replaceAll("'", "''")}'` : `"${[...text].map(escapeChar).join("")}"`;
}

function styleOf(text: string): Style {
  const isPrintable = !unprintable.test(text) && !/ \n/.test(text);
  if (text.includes("\n")) return isPrintable && !text.endsWith(" ") ? "literal" : "double";
  if (resolvePlain(text).is !== "string" || isBase60(text)) return "double";
  if (!isPrintable) return "double";
  return indicator.test(text) ? "single" : "plain";
}

/** Line separators are printable to go-yaml; here they are escaped rather than left to break a line. */
const unprintable = /[^\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;

/** What cannot stand unquoted: it begins like YAML syntax, holds `: ` or ` #`, or has blanks at an end. */
const indicator = /^(?:---|\.\.\.)|^[#,[\]{}&*!|>'"%@` ]|^[-?](?: |$)|:(?: |$)| #| $/;

function formatLiteral(text: string, { indent }: Place): string {
  const hint = /^[ \n]/.test(text) ? "2" : "";
  const chomp = !text.endsWith("\n") ? "-" : /^\n$|\n\n$/.test(text) ? "+" : "";
  return `|${hint}${chomp}\n${text.replace(/^(?=[^\n])/gm, " ".repeat(indent))}`;
}

/** Breaks the line at single spaces beyond the width, which YAML reads as the space that was there. */
function foldWords(text: string, { indent, column }: Place): string {
  const runs = text.match(/ +|[^ ]+/g) ?? [];
  let at = column;
  let folded = "";
  for (const [index, run] of runs.entries()) {
    const isFold = run === " " && at > WIDTH && index > 0 && index < runs.length - 1;
    folded += isFold ? `\n${" ".repeat(indent)}` : run;
    at = isFold ? indent : at + [...run].length;
  }
  return folded;
}

/** Double quotes can also break at the first of several spaces: the next one is escaped, or it would be lost. */
function foldDoubleQuoted(text: string, { indent, column }: Place): string {
  const chars = [...text];
  let at = column + 1;
  let folded = "";
  for (const [index, char] of chars.entries()) {
    const isFold = char === " " && at > WIDTH && index > 0 && index < chars.length - 1 && chars[index - 1] !== " ";
    const piece = isFold ? `\n${" ".repeat(indent)}${chars[index + 1] === " " ? "\\" : ""}` : escapeChar(char);
    at = isFold ? piece.length - 1 : at + piece.length;
    folded += piece;
  }
  return `"${folded}"`;
}

const named: ReadonlyMap<string, string> = new Map([
  ["\0", "\\0"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\v", "\\v"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ["\x1b", "\\e"],
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x85", "\\N"],
  ["\u2028", "\\L"],
  ["\u2029", "\\P"],
]);

function escapeChar(char: string): string {
  const name = named.get(char);
  if (name !== undefined) return name;
  if (!unprintable.test(char)) return char;
  const hex = (char.codePointAt(0) ?? 0).toString(16).toUpperCase();
  if (hex.length <= 2) return `\\x${hex.padStart(2, "0")}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
