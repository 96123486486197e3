/** A line of a section's table: figures by column, and bounds of some of them. */
export interface Row {
  readonly name: string;
  readonly figures: Readonly<Record<string, number>>;
  readonly atLeast?: Readonly<Record<string, number>>;
  readonly atMost?: Readonly<Record<string, number>>;
}

/** A question, answered by one table and one picture. */
export interface Section {
  readonly title: string;
  /** The unit of the figures, and how they are measured. */
  readonly caption: string;
  /** The column that the picture shows. */
  readonly drawn: string;
  /** @param only text in the names of the rows to measure; section "cost" only */
  measure(only?: string): Promise<readonly Row[]>;
}

/** The content of bench/results/SECTION.json. */
export interface Result extends Pick<Section, "title" | "caption" | "drawn"> {
  readonly date: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
  /** True if the table has a column for each row, and the figures below each other. */
  readonly isTransposed?: boolean;
}

/** Makes rows of columns: one for each figure. */
export function transposed(rows: readonly Row[]): readonly Row[] {
  const names = new Set(rows.flatMap(({ figures }) => Object.keys(figures)));
  const figuresOf = (name: string) =>
    rows.flatMap((row) => (row.figures[name] === undefined ? [] : [[row.name, row.figures[name]] as const]));
  return [...names].map((name) => ({ name, figures: Object.fromEntries(figuresOf(name)) }));
}

export const FASTER = "times faster";

/** Compares ours with another column: the ratio of times. */
export function compare(name: string, figures: Row["figures"], against: string, atLeast?: number): Row {
  const faster = (figures[against] ?? Number.NaN) / (figures["ours"] ?? Number.NaN);
  return {
    name,
    figures: { ...figures, [FASTER]: faster },
    ...(atLeast !== undefined && { atLeast: { [FASTER]: atLeast } }),
  };
}

/** Three significant digits: more would be noise. */
export const digits = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : Number(value.toPrecision(3)).toString();

export const isMet = (row: Row): boolean => boundsOf(row).every(({ isMet }) => isMet);

function boundsOf({ figures, atLeast = {}, atMost = {} }: Row) {
  const figureOf = (column: string): number => figures[column] ?? Number.NaN;
  return [
    ...Object.entries(atLeast).map(([column, bound]) => ({
      text: `${column === FASTER ? "" : `${column} `}≥ ${digits(bound)}`,
      isMet: figureOf(column) >= bound,
    })),
    ...Object.entries(atMost).map(([column, bound]) => ({
      text: `${column} ≤ ${digits(bound)}`,
      isMet: figureOf(column) <= bound,
    })),
  ];
}

/** Formats rows as a Markdown table. */
export function toTable(rows: readonly Row[]): string {
  const names = new Set(rows.flatMap(({ figures }) => Object.keys(figures)));
  const columns = [...names].toSorted((a, b) => Number(a === FASTER) - Number(b === FASTER));
  const isBound = rows.some((row) => boundsOf(row).length > 0);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const lines = rows.map((row) => {
    const cells = columns.map((column) => (row.figures[column] === undefined ? "" : digits(row.figures[column])));
    const bounds = boundsOf(row).map(({ text, isMet }) => `${text}${isMet ? "" : " **missed**"}`);
    return line([row.name, ...cells, ...(isBound ? [bounds.join(", ")] : [])]);
  });
  const head = ["", ...columns, ...(isBound ? ["wanted"] : [])];
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...lines].join("\n");
}
