import { describe, expect, test } from "vitest";
import type { Suite } from "../../e2e/scenarios/scenario.ts";
import { FAILED, matrix, missingIn, type Results, readResults, withRun } from "../../e2e/seen.ts";
import { suites as allSuites } from "../../e2e/suites.ts";

/** Suites with scenarios of these names; those that end with "v2" are not for v1.20. */
const suite = (name: string, scenarios: readonly string[], more: Partial<Suite> = {}): Suite => {
  const toScenario = (scenario: string): Suite["scenarios"][number] => {
    return { name: scenario, run: async () => "", isFor: (on) => on !== "v1.20" || !scenario.endsWith("v2") };
  };
  return { name, scenarios: scenarios.map(toScenario), ...more };
};

const suites = [
  suite("sharing", ["granted", "revoked"]),
  suite("new in v2", ["on v2"]),
  suite("velero", ["backup", "restore", "later"], { isByHand: true }),
  suite("costs", ["counted"], { isByHand: true }),
];

const passed = (day: string, ...scenarios: readonly string[]) => {
  return { day, said: new Map(scenarios.map((name) => [name, `${name} was seen`])) };
};

const all = ["v1.20", "v2.3", "v2.4"] as const;
const whole = all
  .map((version) => ["sharing", version, passed("2026-11-21", "granted", "revoked")] as const)
  .reduce<Results>((results, [name, ...run]) => withRun(results, name, ...run), { seen: {}, days: {} });
const onV23 = withRun(whole, "new in v2", "v2.3", passed("2026-11-22", "on v2"));
const onV2 = withRun(onV23, "new in v2", "v2.4", passed("2026-11-22", "on v2"));

const seenAndFailed = new Map(Object.entries({ backup: "backup was seen", restore: FAILED }));
const HEAD = ["| suite | v1.20 | v2.3 | v2.4 |", "| --- | --- | --- | --- |"];

describe("the matrix", () => {
  test.each<{ reason: string; results: Results; rows: readonly string[] }>([
    {
      reason: "counts what ran of a suite, and has a dash where nothing of it did",
      results: withRun(onV2, "velero", "v2.4", passed("2026-11-23", "backup", "restore")),
      rows: [
        "| velero | – | – | 2 of 2 |",
        "| costs | – | – | – |",
        "| all 4 suites | 2 of 2 | 3 of 3 | 5 of 5 |",
        "| run on | 2026-11-21 | 2026-11-21 to 2026-11-22 | 2026-11-21 to 2026-11-23 |",
      ],
    },
    {
      reason: "counts a scenario that failed as one that ran, and not those after it",
      results: withRun(onV2, "velero", "v1.20", { day: "2026-11-23", said: seenAndFailed }),
      rows: [
        "| velero | 1 of 2 | – | – |",
        "| costs | – | – | – |",
        "| all 4 suites | 3 of 4 | 3 of 3 | 3 of 3 |",
        "| run on | 2026-11-21 to 2026-11-23 | 2026-11-21 to 2026-11-22 | 2026-11-21 to 2026-11-22 |",
      ],
    },
    {
      reason: "shows a suite that is whole where it failed once",
      results: withRun(onV2, "sharing", "v2.3", { day: "2026-11-23", said: new Map([["granted", FAILED]]) }),
      rows: [
        "| sharing | 2 of 2 | 0 of 1 | 2 of 2 |",
        "| velero | – | – | – |",
        "| costs | – | – | – |",
        "| all 4 suites | 2 of 2 | 1 of 2 | 3 of 3 |",
        "| run on | 2026-11-21 | 2026-11-22 to 2026-11-23 | 2026-11-21 to 2026-11-22 |",
      ],
    },
  ])("$reason", ({ results, rows }) => {
    expect(matrix(results, suites).split("\n")).toEqual([...HEAD, ...rows]);
  });
});

test("a run replaces all that is recorded of its suite on its Crossplane, and nothing else", () => {
  const again = withRun(whole, "sharing", "v2.4", passed("2026-11-28", "revoked"));
  const seenOn = (name: string, ...versions: readonly string[]) =>
    Object.fromEntries(versions.map((version) => [version, `${name} was seen`]));
  const sharing = { granted: seenOn("granted", "v1.20", "v2.3"), revoked: seenOn("revoked", ...all) };
  expect(again).toEqual({
    seen: { sharing },
    days: { sharing: { "v1.20": "2026-11-21", "v2.3": "2026-11-21", "v2.4": "2026-11-28" } },
  });
});

test("a run of everything lacks what has no result, is for the Crossplane and runs without being named", () => {
  const expected = [...suites, suite("on AWS", ["tagged"], { cloud: "AWS" })];
  expect(missingIn(whole, expected)).toEqual(["new in v2: on v2 on v2.3", "new in v2: on v2 on v2.4"]);
  expect(missingIn(onV2, expected)).toEqual([]);
  // The run itself has said so.
  const failed = withRun(onV2, "sharing", "v2.3", { day: "2026-11-28", said: new Map([["granted", FAILED]]) });
  expect(missingIn(failed, expected)).toEqual([]);
});

test("no scenario of the landed results has failed, and each has the day of its suite's run", () => {
  const { seen, days } = readResults();
  const faults = Object.entries(seen).flatMap(([name, scenarios]) =>
    Object.entries(scenarios).flatMap(([scenario, said]) =>
      Object.entries(said)
        .filter(([version, words]) => words === FAILED || !Object.hasOwn(days[name] ?? {}, version))
        .map(([version, words]) => `${name}: ${scenario} on ${version}: ${words}`),
    ),
  );
  expect(faults).toEqual([]);
});

test("every scenario has a landed result on each Crossplane that it is for", () => {
  expect(missingIn(readResults(), allSuites)).toEqual([]);
});
