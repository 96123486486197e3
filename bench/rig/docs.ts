import { readFileSync, writeFileSync } from "node:fs";
import { drawRatios, themes } from "./picture.ts";
import { type Section, toMarkdown } from "./report.ts";

/** Writes what was measured, and on what, into docs/performance.md, in the place of what stood between the section's marks. */

const PAGE = "docs/performance.md";

/** @throws {Error} where the page has no place for the section. */
export function writeSection(name: string, section: Section, conditions: string): void {
  const page = readFileSync(PAGE, "utf8");
  const [start, end] = [`<!-- bench: ${name} -->\n`, `<!-- end of bench: ${name} -->\n`];
  const [before, rest] = page.split(start);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`cannot write ${name}: ${PAGE} has no marks for it`);
  const tables = toMarkdown(section).replace(/^## /, "### ");
  writeFileSync(PAGE, `${before}${start}\n${tables}\n${conditions}\n\n${end}${after}`);
}

/** Draws a section's ratios to this function, for a light page and for a dark one. */
export function drawSection({ targets }: Pick<Section, "targets">, title: string): void {
  const short = targets.map((target) => ({ ...target, what: target.what.replace(" / ours", "") }));
  for (const theme of themes) writeFileSync(`docs/images/ratios-${theme}.svg`, drawRatios(title, short, theme));
}
