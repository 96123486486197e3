import { toPrintable } from "../text.ts";
import type { Conflict, Findings } from "./conflicts.ts";

export type Output = "text" | "json" | "github";

/** The text for standard output. */
export function toReport({ conflicts, doubts, asked }: Findings, output: Output): string {
  if (output === "json") return `${JSON.stringify({ conflicts, doubts, asked }, null, 2)}\n`;
  const toLine = output === "github" ? toAnnotation : toText;
  const warnings = output === "github" ? doubts.map((doubt) => `::warning::${escaped(doubt)}\n`) : [];
  return [...conflicts.map((conflict) => `${toLine(conflict)}\n`), ...warnings].join("");
}

function toText({ file, line, template, object, field, message }: Conflict): string {
  const from = template === undefined ? "" : ` (${template})`;
  return toPrintable(`${file}:${line}${from}: ${object}: ${field}: ${message}`);
}

function toAnnotation({ file, line, template, object, field, message }: Conflict): string {
  // Standard input is no file of the repository. The chart's template is one, but has other line numbers.
  const place = file === "-" ? "" : ` file=${property(file)},line=${line}`;
  const from = template === undefined ? "" : `${template}: `;
  return `::error${place}::${escaped(`${from}${object}: ${field}: ${message}`)}`;
}

/** https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions */
const escaped = (text: string): string => toPrintable(text).replaceAll("%", "%25");

const property = (text: string): string => escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** The text for standard error: a line for each doubt, then the numbers. */
export function toSummary({ conflicts, doubts, asked }: Findings, objects: number): string {
  const lines = doubts.map((doubt) => `warning: ${toPrintable(doubt)}\n`);
  const numbers = `${counted(objects, "object")}, naming ${counted(asked, "cloud resource")}`;
  return `${lines.join("")}${counted(conflicts.length, "conflict")}: ${numbers}\n`;
}

const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;
