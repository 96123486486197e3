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

/** The scenarios of a suite that are for a Crossplane, and those of them without a recorded result. */
function scenariosFor({ name: suite, scenarios }: Suite, version: Version, seen: Seen) {
  const wanted = scenarios.filter(({ isFor }) => isFor?.(version) ?? true).map(({ name }) => name);
  return { wanted, missing: wanted.filter((name) => seen[suite]?.[name]?.[version] === undefined) };
}

/** Lists scenarios that have no recorded result on a Crossplane that they are for. */
export const missingIn = (seen: Seen): readonly string[] =>
  suites
    .filter(isExpected)
    .flatMap((suite) =>
      versions.flatMap((version) =>
        scenariosFor(suite, version, seen).missing.map((name) => `${suite.name}: ${name} on ${version}`),
      ),
    );

/** The matrix of docs/compatibility.md: the scenarios with a result, in suites that lack one, and in all. */
export function matrix(): string {
  const seen = readSeen();
  const toCell = (some: readonly Suite[]) => (version: Version) => {
    const found = some.map((suite) => scenariosFor(suite, version, seen));
    const wanted = found.flatMap((each) => each.wanted).length;
    return wanted === 0 ? "–" : `${wanted - found.flatMap((each) => each.missing).length} of ${wanted}`;
  };
  const toRow = (name: string, some: readonly Suite[]) => `| ${[name, ...versions.map(toCell(some))].join(" | ")} |`;
  const lacksOne = (suite: Suite) => versions.some((version) => scenariosFor(suite, version, seen).missing.length > 0);
  return [
    `| suite | ${versions.join(" | ")} |`,
    `| --- |${" --- |".repeat(versions.length)}`,
    ...suites.filter(lacksOne).map((suite) => toRow(suite.name, [suite])),
    toRow(`all ${suites.length} suites`, suites),
  ].join("\n");
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
    [
      "upjet, in a provider of our own",
      requiredVersion("upjet-provider", "github.com/crossplane/upjet/v2"),
      "`npm run e2e`",
    ],
    ["provider-aws", list(["provider-aws"]), "`npm run e2e`, with moto for AWS"],
    ["Velero", requiredVersion("velero", "github.com/vmware-tanzu/velero"), "`npm run e2e -- --suite=velero`"],
  ];
  return [
    "| program | versions | run by |",
    "| --- | --- | --- |",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");
}
