import { readFileSync, writeFileSync } from "node:fs";
import { buildOf, requiredVersion, type ToolName } from "../scripts/tools/catalogue.ts";
import { type Version, versions } from "./rig/crossplane.ts";
import type { Suite } from "./scenarios/scenario.ts";
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

/** A whole run has neither the suites on AWS, which run by --cloud=AWS, nor those by hand. */
const isExpected = ({ cloud, isByHand }: Suite): boolean => cloud !== "AWS" && isByHand !== true;

/** The results that a run of everything does not replace. */
export const withoutExpected = (seen: Seen): Seen =>
  suites
    .flatMap((suite) => suite.scenarios.map(({ name }) => ({ suite, name })))
    .reduce<Seen>((kept, { suite, name }) => {
      const results = versions.flatMap((version) => {
        const words = isExpected(suite) ? undefined : seen[suite.name]?.[name]?.[version];
        return words === undefined ? [] : [{ version, words }];
      });
      return results.reduce((all, { version, words }) => withSeen(all, suite.name, name, version, words), kept);
    }, {});

/** Lists scenarios that have no recorded result on a Crossplane that they are for. */
export const missingIn = (seen: Seen): readonly string[] =>
  suites.flatMap((suite) =>
    suite.scenarios.flatMap(({ name, isFor }) =>
      versions
        .filter((version) => isExpected(suite) && (isFor?.(version) ?? true))
        .filter((version) => seen[suite.name]?.[name]?.[version] === undefined)
        .map((version) => `${suite.name}: ${name} on ${version}`),
    ),
  );

/** The matrix of docs/compatibility.md: suites that lack a result, then how many scenarios of all suites have been seen on each Crossplane, of those for it. */
export function matrix(): string {
  const seen = readSeen();
  const counted = suites.map(({ name, scenarios }) => ({
    name,
    counts: versions.map((version) => {
      const wanted = scenarios.filter(({ isFor }) => isFor?.(version) ?? true);
      const shown = wanted.filter((scenario) => seen[name]?.[scenario.name]?.[version] !== undefined);
      return { wanted: wanted.length, shown: shown.length };
    }),
  }));
  const totals = versions.map((_, index) => ({
    wanted: sum(counted.map(({ counts }) => counts[index]?.wanted ?? 0)),
    shown: sum(counted.map(({ counts }) => counts[index]?.shown ?? 0)),
  }));
  const incomplete = counted.filter(({ counts }) => counts.some(({ shown, wanted }) => shown < wanted));
  const rows = [...incomplete, { name: `all ${suites.length} suites`, counts: totals }];
  return [
    `| suite | ${versions.join(" | ")} |`,
    `| --- |${" --- |".repeat(versions.length)}`,
    ...rows.map(
      ({ name, counts }) => `| ${name} | ${counts.map(({ shown, wanted }) => `${shown} of ${wanted}`).join(" | ")} |`,
    ),
  ].join("\n");
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

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
    [
      "upjet, in a provider of our own",
      requiredVersion("upjet-provider", "github.com/crossplane/upjet/v2"),
      "`npm run e2e`",
    ],
    ["provider-aws", list(["provider-aws"]), "`npm run e2e`, with moto for AWS"],
  ];
  return [
    "| program | versions | run by |",
    "| --- | --- | --- |",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");
}
