import type { Measured } from "./statistics.ts";

/** The results of a section: tables to read, and all of its figures for programs. */
export interface Section {
  readonly title: string;
  readonly tables: readonly Table[];
  readonly targets: readonly Target[];
  readonly figures: unknown;
}

export interface Table {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A ratio of two figures of the same run, and its bound; one without a bound is only shown. */
export interface Target {
  readonly what: string;
  readonly is: number;
  /** The same ratio of processor time, which a busy machine disturbs less; it is shown and has no bound. */
  readonly inCpuTime?: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export const isMet = ({ is, atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }: Target): boolean =>
  is >= atLeast && is <= atMost;

export const isBound = ({ atLeast, atMost }: Target): boolean => atLeast !== undefined || atMost !== undefined;

/** Three significant digits: more would be noise. */
export const digits = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : Number(value.toPrecision(3)).toString();

/** `0.33 (0.31–0.42)`: the median, and the range of the middle four fifths. */
export const withSpread = ({ median, p10, p90 }: Measured): string =>
  `${digits(median)} (${digits(p10)}–${digits(p90)})`;

export function toMarkdown({ title, tables, targets }: Section): string {
  const parts = [`## ${title}`, ...tables.map(tableToMarkdown)];
  if (targets.length > 0) parts.push(tableToMarkdown(targetTable(targets)));
  return `${parts.join("\n\n")}\n`;
}

const targetTable = (targets: readonly Target[]): Table => ({
  caption: "Targets",
  head: ["ratio", "target", "is", "in processor time", ""],
  rows: targets.map((target) => {
    const { what, is, inCpuTime, atLeast, atMost } = target;
    const bounds = [["at least", atLeast] as const, ["at most", atMost] as const];
    const wanted = bounds
      .flatMap(([text, bound]) => (bound === undefined ? [] : `${text} ${digits(bound)}`))
      .join(", ");
    const cpu = inCpuTime === undefined ? "" : digits(inCpuTime);
    return [what, wanted, digits(is), cpu, wanted && (isMet(target) ? "pass" : "fail")];
  }),
});

function tableToMarkdown({ caption, head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [`${caption}:`, "", line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
