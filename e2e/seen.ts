import { readFileSync, writeFileSync } from "node:fs";
import { type Version, versions } from "./rig/crossplane.ts";
import { suites } from "./suites.ts";

/** What a run saw: by suite and scenario, on which Crossplane, in its own words. */
export type Seen = Readonly<Record<string, Readonly<Record<string, Readonly<Partial<Record<Version, string>>>>>>>;

const file = new URL("seen.json", import.meta.url);

export const readSeen = (): Seen => JSON.parse(readFileSync(file, "utf8")) as Seen;

export const writeSeen = (seen: Seen): void => writeFileSync(file, `${JSON.stringify(seen, null, 2)}\n`);

export const withSeen = (seen: Seen, suite: string, scenario: string, version: Version, words: string): Seen => ({
  ...seen,
  [suite]: { ...seen[suite], [scenario]: { ...seen[suite]?.[scenario], [version]: words } },
});

/** The scenarios that are to be seen, and were not when the matrix was made. */
export const missingIn = (seen: Seen): readonly string[] =>
  suites.flatMap(({ name: suite, scenarios }) =>
    scenarios.flatMap(({ name, isFor }) =>
      versions
        .filter((version) => (isFor?.(version) ?? true) && seen[suite]?.[name]?.[version] === undefined)
        .map((version) => `${suite}: ${name} on ${version}`),
    ),
  );

/** The matrix as the README shows it: what each Crossplane showed, and the newest one's words. */
export function matrix(): string {
  const seen = readSeen();
  const rows = suites.flatMap(({ name: suite, scenarios }) => [
    `| **${suite}** | ${versions.map(() => "").join(" | ")} | |`,
    ...scenarios.map(({ name }) => {
      const words = seen[suite]?.[name] ?? {};
      const marks = versions.map((version) => (words[version] === undefined ? "–" : "seen"));
      const newest = versions.toReversed().find((version) => words[version] !== undefined);
      return `| ${name} | ${marks.join(" | ")} | ${newest === undefined ? "" : inCell(words[newest] ?? "")} |`;
    }),
  ]);
  return [
    `| | ${versions.join(" | ")} | on the newest of them |`,
    `| --- |${" --- |".repeat(versions.length + 1)}`,
    ...rows,
  ].join("\n");
}

/** How many of the scenarios for it each Crossplane showed. */
export function compatibility(): string {
  const seen = readSeen();
  const rows = suites.map(({ name: suite, scenarios }) => {
    const cells = versions.map((version) => {
      const wanted = scenarios.filter(({ isFor }) => isFor?.(version) ?? true);
      const shown = wanted.filter(({ name }) => seen[suite]?.[name]?.[version] !== undefined);
      return `${shown.length} of ${wanted.length}${wanted.length < scenarios.length ? ` (${scenarios.length - wanted.length} need v2)` : ""}`;
    });
    return `| ${suite} | ${cells.join(" | ")} |`;
  });
  return [`| scenarios seen | ${versions.join(" | ")} |`, `| --- |${" --- |".repeat(versions.length)}`, ...rows].join(
    "\n",
  );
}

const inCell = (text: string): string =>
  text.replaceAll("|", "\\|").replaceAll(/[{}<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
