import { readFileSync, writeFileSync } from "node:fs";
import { buildOf, pinnedVersion, requiredVersion, type ToolName } from "../scripts/tools/catalogue.ts";
import { type Version, versions } from "./rig/crossplane.ts";
import type { Suite } from "./scenarios/scenario.ts";

/** A map of what is known for a Crossplane, where it is known. */
type ByVersion<T> = Readonly<Partial<Record<Version, T>>>;

/** What each scenario said, or FAILED, by suite, scenario and Crossplane. */
type Seen = Readonly<Record<string, Readonly<Record<string, ByVersion<string>>>>>;

/** The day on which each suite ran, such as 2026-11-28, by suite and Crossplane. */
type Days = Readonly<Record<string, ByVersion<string>>>;

/** What is recorded of the last run of each suite: e2e/seen.json and e2e/days.json. */
export interface Results {
  readonly seen: Seen;
  readonly days: Days;
}

/** In place of the words of a scenario that failed. Those after it in its suite did not run, and have none. */
export const FAILED = "FAILED";

const fileOf = (name: keyof Results): URL => new URL(`${name}.json`, import.meta.url);
const read = <Name extends keyof Results>(name: Name): Results[Name] =>
  JSON.parse(readFileSync(fileOf(name), "utf8")) as Results[Name];

export const readResults = (): Results => ({ seen: read("seen"), days: read("days") });

/** Writes the results of the suites and scenarios that there are, in their order. */
export function writeResults({ seen, days }: Results, suites: readonly Suite[]): void {
  const known = suites.map((suite) => [suite.name, pick(seen[suite.name] ?? {}, suite.scenarios)]);
  write("seen", pick(Object.fromEntries(known), suites));
  write("days", pick(days, suites));
}

const write = (name: keyof Results, content: object): void =>
  writeFileSync(fileOf(name), `${JSON.stringify(content, null, 2)}\n`);

/** The entries of these names, in their order. */
const pick = <T>(all: Readonly<Record<string, T>>, named: readonly { readonly name: string }[]): Record<string, T> =>
  Object.fromEntries(named.flatMap(({ name }) => (all[name] === undefined ? [] : [[name, all[name]]])));

/** Replaces all that is recorded of a suite on a Crossplane by what its scenarios said in a run, and the day of the run. */
export function withRun(
  { seen, days }: Results,
  suite: string,
  version: Version,
  { said, day }: { readonly said: ReadonlyMap<string, string>; readonly day: string },
): Results {
  const before = Object.entries(seen[suite] ?? {}).map(([scenario, { [version]: _, ...others }]) => [scenario, others]);
  const after: Record<string, ByVersion<string>> = Object.fromEntries(before);
  for (const [scenario, words] of said) after[scenario] = { ...after[scenario], [version]: words };
  return { seen: { ...seen, [suite]: after }, days: { ...days, [suite]: { ...days[suite], [version]: day } } };
}

/** A run of everything has neither the suites on AWS, which run by --cloud=AWS, nor those by hand. */
const isExpected = ({ cloud, isByHand }: Suite): boolean => cloud !== "AWS" && isByHand !== true;

/** The numbers of a suite's scenarios that are for a Crossplane, and the names of those of them that did not run. */
interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly notRun: readonly string[];
}

function tallyOf({ name: suite, scenarios }: Suite, version: Version, { seen }: Results): Tally {
  const wanted = scenarios.filter(({ isFor }) => isFor?.(version) ?? true);
  const said = wanted.map(({ name }) => ({ name, words: seen[suite]?.[name]?.[version] }));
  const notRun = said.filter(({ words }) => words === undefined).map(({ name }) => name);
  const failed = said.filter(({ words }) => words === FAILED).length;
  return { passed: wanted.length - notRun.length - failed, failed, notRun };
}

/** Lists scenarios of a run of everything that have no recorded result on a Crossplane that they are for, in suites that did not fail there. */
export const missingIn = (results: Results, suites: readonly Suite[]): readonly string[] =>
  suites.filter(isExpected).flatMap((suite) =>
    versions.flatMap((version) => {
      const { failed, notRun } = tallyOf(suite, version, results);
      return failed > 0 ? [] : notRun.map((name) => `${suite.name}: ${name} on ${version}`);
    }),
  );

/**
 * The matrix of docs/compatibility.md: the scenarios that passed, of those that ran. It has a row for each suite of which something failed or
 * did not run, one for all suites, and one for the days on which they ran.
 */
export function matrix(results: Results, suites: readonly Suite[]): string {
  const toCount = (some: readonly Suite[], version: Version): string => {
    const tallies = some.map((suite) => tallyOf(suite, version, results));
    const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
    const ran = tallies.reduce((sum, tally) => sum + tally.failed, passed);
    return ran === 0 ? "–" : `${passed} of ${ran}`;
  };
  const toDays = (version: Version): string => {
    const days = suites.flatMap(({ name }) => results.days[name]?.[version] ?? []).sort();
    return [...new Set([days[0], days.at(-1)])].join(" to ") || "–";
  };
  const isPartial = (suite: Suite, version: Version): boolean => {
    const { failed, notRun } = tallyOf(suite, version, results);
    return failed + notRun.length > 0;
  };
  const partial = suites.filter((suite) => versions.some((version) => isPartial(suite, version)));
  const toRow = (name: string, toCell: (version: Version) => string): string =>
    `| ${[name, ...versions.map(toCell)].join(" | ")} |`;
  return [
    toRow("suite", (version) => version),
    toRow("---", () => "---"),
    ...partial.map((suite) => toRow(suite.name, (version) => toCount([suite], version))),
    toRow(`all ${suites.length} suites`, (version) => toCount(suites, version)),
    toRow("run on", toDays),
  ].join("\n");
}

const cliVersions = ["crossplane-v1.20", "crossplane-v2.2", "crossplane-v2.5"] as const satisfies readonly ToolName[];

/** The exact versions that the tests build and run, as their Go modules pin them. */
export function testedVersions(): string {
  const list = (names: readonly ToolName[]): string => names.map((name) => buildOf(name).version).join(", ");
  const rows = [
    ["Crossplane (core)", list(versions.map((version) => `crossplane-core-${version}` as const)), "`npm run e2e`"],
    ["`crossplane` CLI", list(cliVersions), "`npm run test:tools` renders every example with each"],
    ["Kubernetes API server", list(["kube-apiserver"]), "`npm run e2e`"],
    ["etcd", list(["etcd"]), "`npm run e2e`"],
    ["provider-kubernetes", list(["provider-kubernetes"]), "`npm run e2e`"],
    [
      "upjet, in a provider of our own",
      requiredVersion("upjet-provider", "github.com/crossplane/upjet/v2"),
      "`npm run e2e`",
    ],
    ["provider-aws", list(["provider-aws"]), "`npm run e2e`, with moto for AWS"],
    ["Velero", requiredVersion("velero", "github.com/vmware-tanzu/velero"), "`npm run e2e -- --suite=velero`"],
    ["External Secrets Operator", list(["external-secrets"]), `\`npm run e2e -- --suite="a store of secrets"\``],
    ["OpenBao", pinnedVersion("openbao"), "the same"],
  ];
  return [
    "| program | versions | run by |",
    "| --- | --- | --- |",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");
}
