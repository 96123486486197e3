import { existsSync, readFileSync } from "node:fs";
import { digits, type Result, type Row, toTable, transposed } from "./report.ts";

/** The part of docs/performance.md, and its pictures, that are made of bench/results. */

export const resultFile = (section: string): URL => new URL(`results/${section}.json`, import.meta.url);

/** In the order of the page. */
const results = ["codec", "latency", "load", "peers", "memory", "cost", "fleet"].flatMap((name) => {
  const file = resultFile(name);
  return existsSync(file) ? [{ name, result: JSON.parse(readFileSync(file, "utf8")) as Result }] : [];
});

/** The rows that the page shows; the rest is in the file. */
const MOST_ROWS = 12;

export const benchTables = (): string => results.map(({ name, result }) => sectionOf(name, result)).join("\n\n");

function sectionOf(name: string, result: Result): string {
  const { title, caption, drawn, date, machine, versions, rows, isTransposed = false } = result;
  const more =
    rows.length > MOST_ROWS ? ` ${rows.length - MOST_ROWS} more rows: [JSON](../bench/results/${name}.json).` : "";
  return [
    `### ${title}`,
    `![${drawn}](${pictureOf(name)})`,
    caption,
    toTable(isTransposed ? transposed(rows) : rows.slice(0, MOST_ROWS)),
    `${date}, ${machine}, Node.js ${versions["Node.js"]}, ${versions["Go"]}.${more}`,
  ].join("\n\n");
}

/** Relative to docs/. */
const pictureOf = (name: string): string => `images/bench-${name}.svg`;

export const benchPictures = (): readonly (readonly [file: string, svg: string])[] =>
  results.map(({ name, result }) => [`docs/${pictureOf(name)}`, draw(result)]);

const WIDTH = 820;
const LABELS = 400;
const ROW = 24;
const TOP = 40;
/** The width right of the longest bar, for its number. */
const NUMBER = 60;

const STYLE =
  "text{fill:#1f2328}rect{fill:#0969da}@media(prefers-color-scheme:dark){text{fill:#f0f6fc}rect{fill:#4493f8}}";

/** Draws a bar for each row, as SVG without a library, in colours for a light and a dark page. */
function draw({ title, drawn, rows }: Result): string {
  const shown = rows.slice(0, MOST_ROWS);
  const figureOf = ({ figures }: Row): number => figures[drawn] ?? 0;
  const most = Math.max(...shown.map(figureOf));
  const bars = shown.map((row, index) => {
    const y = TOP + ROW * index;
    const width = Math.round((figureOf(row) / most) * (WIDTH - LABELS - NUMBER));
    return [
      `<text x="${LABELS - 8}" y="${y + 14}" text-anchor="end">${escaped(row.name)}</text>`,
      `<rect x="${LABELS}" y="${y + 2}" width="${width}" height="16"/>`,
      `<text x="${LABELS + width + 6}" y="${y + 14}">${digits(figureOf(row))}</text>`,
    ].join("");
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${TOP + ROW * shown.length}" font-family="sans-serif" font-size="13">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<text x="8" y="22" font-size="15" font-weight="bold">${escaped(`${title} (${drawn})`)}</text>`,
    ...bars,
    "</svg>",
    "",
  ].join("\n");
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
