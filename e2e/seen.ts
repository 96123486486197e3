import { readFileSync, writeFileSync } from "node:fs";
import { buildOf, type ToolName } from "../scripts/tools/catalogue.ts";
import { type Version, versions } from "./rig/crossplane.ts";
import { suites } from "./suites.ts";

/** Results of a run by suite, scenario and Crossplane, in the words of the scenario. */
export type Seen = Readonly<Record<string, Readonly<Record<string, Readonly<Partial<Record<Version, string>>>>>>>;

const file = new URL("seen.json", import.meta.url);

export const readSeen = (): Seen => JSON.parse(readFileSync(file, "utf8")) as Seen;

export const writeSeen = (seen: Seen): void => writeFileSync(file, `${JSON.stringify(seen, null, 2)}\n`);

export const withSeen = (seen: Seen, suite: string, scenario: string, version: Version, words: string): Seen => ({
  ...seen,
  [suite]: { ...seen[suite], [scenario]: { ...seen[suite]?.[scenario], [version]: words } },
});

/** Lists scenarios that have no recorded result on a Crossplane that they are for. */
export const missingIn = (seen: Seen): readonly string[] =>
  suites.flatMap(({ name: suite, scenarios }) =>
    scenarios.flatMap(({ name, isFor }) =>
      versions
        .filter((version) => (isFor?.(version) ?? true) && seen[suite]?.[name]?.[version] === undefined)
        .map((version) => `${suite}: ${name} on ${version}`),
    ),
  );

/** The matrix of docs/compatibility.md: a row for each scenario, with the output of the newest Crossplane that ran it. */
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
    `| scenario | ${versions.join(" | ")} | output on the newest |`,
    `| --- |${" --- |".repeat(versions.length + 1)}`,
    ...rows,
  ].join("\n");
}

/** Counts, for each suite, the scenarios that have been seen on each Crossplane. */
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
  return [`| suite | ${versions.join(" | ")} |`, `| --- |${" --- |".repeat(versions.length)}`, ...rows].join("\n");
}

const cliVersions = ["crossplane-v1.20", "crossplane-v2.2", "crossplane-v2.5"] as const satisfies readonly ToolName[];

/** The exact versions that the tests build and run, as their Go modules pin them. */
export function testedVersions(): string {
  const list = (names: readonly ToolName[]): string => names.map((name) => buildOf(name).version).join(", ");
  const rows = [
    ["Crossplane (core)", list(versions.map((version) => `crossplane-core-${version}` as const)), "`npm run e2e`"],
    ["`crossplane` CLI", list(cliVersions), "`npm test` renders every example with each"],
    ["Kubernetes API server", list(["kube-apiserver"]), "`npm run e2e`"],
    ["etcd", list(["etcd"]), "`npm run e2e`"],
    ["provider-kubernetes", list(["provider-kubernetes"]), "`npm run e2e`"],
  ];
  return [
    "| program | versions | run by |",
    "| --- | --- | --- |",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");
}

const inCell = (text: string): string =>
  text.replaceAll("|", "\\|").replaceAll(/[{}<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
