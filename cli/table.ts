import { toPrintable } from "./printable.ts";

/** Aligns columns like kubectl: as narrow as possible, without trailing spaces, and each row on one line, whatever its cells hold. */
export function alignColumns(rows: readonly (readonly string[])[], gap = "   "): string {
  const printable = rows.map((row) => row.map(toPrintable));
  const widths = (rows[0] ?? []).map((_, column) =>
    printable.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  const lines = printable.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(gap)
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}
