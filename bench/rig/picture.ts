import { digits, type Target } from "./report.ts";

/** A picture of ratios: a bar for each, as SVG without a library, in colours for a light or a dark page. */

const COLOURS = {
  light: { text: "#1f2328", muted: "#59636e", bar: "#0969da", rule: "#d1d9e0" },
  dark: { text: "#f0f6fc", muted: "#9198a1", bar: "#4493f8", rule: "#3d444d" },
} as const;

export type Theme = keyof typeof COLOURS;
export const themes = Object.keys(COLOURS) as Theme[];

const WIDTH = 820;
const LABELS = 470;
const ROW = 26;
const TOP = 44;
/** The width that is kept free right of the longest bar, for its number. */
const NUMBER = 60;

/** Draws the ratios, each as the number of times that this function is faster. The line is where both are equal. */
export function drawRatios(title: string, targets: readonly Target[], theme: Theme): string {
  const { text, muted, bar, rule } = COLOURS[theme];
  const height = TOP + ROW * targets.length + 10;
  const most = Math.max(1, ...targets.map(({ is }) => is));
  const widthOf = (ratio: number): number => Math.round((ratio / most) * (WIDTH - LABELS - NUMBER));
  const rows = targets.map(({ what, is }, index) => {
    const y = TOP + ROW * index;
    return [
      `<text x="${LABELS - 10}" y="${y + 15}" fill="${text}" text-anchor="end">${escaped(what)}</text>`,
      `<rect x="${LABELS}" y="${y + 3}" width="${widthOf(is)}" height="16" rx="2" fill="${bar}"/>`,
      `<text x="${LABELS + widthOf(is) + 6}" y="${y + 15}" fill="${muted}">${digits(is)}×</text>`,
    ].join("");
  });
  const one = LABELS + widthOf(1);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">`,
    `<title>${escaped(title)}</title>`,
    `<text x="10" y="24" fill="${text}" font-size="15" font-weight="bold">${escaped(title)}</text>`,
    ...rows,
    `<line x1="${one}" x2="${one}" y1="${TOP - 4}" y2="${height - 8}" stroke="${rule}" stroke-dasharray="3 3"/>`,
    "</svg>",
    "",
  ].join("\n");
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
