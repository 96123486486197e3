/** Control characters, format characters such as those that turn the direction of writing, and Unicode's line and paragraph separators. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * Escapes the control characters of a text, so that it stays on one line and does not steer the terminal: a tenant may
 * write line breaks and escape sequences. The escapes are those of JSON, so JSON on one line keeps its meaning.
 */
export const toPrintable = (text: string): string =>
  text.replace(HIDDEN, (character) => character.split("").map(escapeUnit).join(""));

export const toPrintableLines = (text: string): string => text.split("\n").map(toPrintable).join("\n");

export const toJson = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** Counts in English: `1 XR`, `2 XRs`. */
export const toCount = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** Aligns columns like kubectl: as narrow as possible, without trailing spaces, and each row on one line. */
export function alignColumns(rows: readonly (readonly string[])[], gap = "   "): string {
  const printable = rows.map((row) => row.map(toPrintable));
  const widths = (rows[0] ?? []).map((_, column) =>
    printable.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  const pad = (cell: string, column: number): string => cell.padEnd(widths[column] ?? 0);
  const lines = printable.map((row) => row.map(pad).join(gap).trimEnd());
  return `${lines.join("\n")}\n`;
}
