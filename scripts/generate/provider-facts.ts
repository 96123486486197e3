import { listTables } from "../facts/list-tables.ts";

/** The table in the documentation that says how many kinds of each provider are known, and what of them. */
export function providerFacts(): string {
  const rows = listTables().map(({ source, entries }) => {
    const kinds = [...entries.values()];
    const count = (isCounted: (entry: (typeof kinds)[number]) => boolean): number => kinds.filter(isCounted).length;
    const cells = [
      source,
      kinds.length,
      count(({ tags }) => tags !== "none"),
      count(({ named }) => named === "metadata"),
      count(({ named }) => named === "fields"),
      count(({ isId }) => isId),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const heads = [
    "provider",
    "kinds",
    "with tags",
    "named by `metadata.name`",
    "named by their fields",
    "named by their id",
  ];
  return [`| ${heads.join(" | ")} |`, `|${" --- |".repeat(heads.length)}`, ...rows].join("\n");
}
