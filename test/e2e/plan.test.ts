import { describe, expect, test } from "vitest";
import { HELP, planOf } from "../../e2e/plan.ts";
import { versions } from "../../e2e/rig/crossplane.ts";
import type { Suite } from "../../e2e/scenarios/scenario.ts";

const suites: readonly Suite[] = [
  { name: "sharing", scenarios: [] },
  { name: "sharing by label", scenarios: [] },
  { name: "velero", isByHand: true, scenarios: [] },
  { name: "aws: tags", cloud: "AWS", scenarios: [] },
];

describe("npm run e2e", () => {
  test.each<{ reason: string; args: readonly string[]; runs: readonly string[]; isWhole: boolean }>([
    { reason: "runs all but what is by hand, or AWS", args: [], runs: ["sharing", "sharing by label"], isWhole: true },
    { reason: "runs what --suite names", args: ["--suite=label"], runs: ["sharing by label"], isWhole: false },
    { reason: "runs what is by hand where it is named", args: ["--suite=velero"], runs: ["velero"], isWhole: false },
    { reason: "runs the suites of another cloud alone", args: ["--cloud=AWS"], runs: ["aws: tags"], isWhole: false },
    {
      reason: "runs the union of several --suite",
      args: ["--suite=label", "--suite=velero", "--only=v2.4"],
      runs: ["sharing by label", "velero"],
      isWhole: false,
    },
  ])("$reason", ({ args, runs, isWhole }) => {
    const plan = planOf(args, suites);
    expect({ runs: plan?.suites.map(({ name }) => name), isWhole: plan?.isWhole }).toEqual({ runs, isWhole });
  });

  test("runs on every Crossplane, or on the one that --only names", () => {
    expect(planOf([], suites)?.versions).toEqual(versions);
    expect(planOf(["--only=v2.3"], suites)?.versions).toEqual(["v2.3"]);
  });

  test.each([["--help"], ["-h", "--suite=nothing"]])("runs nothing with %s %s", (...args) => {
    expect(planOf(args, suites)).toBeUndefined();
  });

  test.each([
    ["--onyl=v2.4", "Unknown option '--onyl'"],
    ["--only=v2.9", "--only=v2.9: there is v1.20, v2.3, v2.4"],
    ["--suite=nothing", '--suite=nothing: on Kubernetes there is "sharing", "sharing by label", "velero"'],
    ["--cloud=Azure", "--cloud=Azure: there is Kubernetes, AWS"],
    ["--repeat=0", "--repeat=0: it is a number from 1 on"],
    ["--repeat=often", "--repeat=often: it is a number from 1 on"],
  ])("says of %s: %s", (flag, message) => {
    expect(() => planOf([flag], suites)).toThrow(message);
  });

  test("has a line of help for each flag", () => {
    const flags = ["only", "suite", "differing", "cloud", "retry", "repeat", "load", "keep", "record", "help"];
    expect([...HELP.matchAll(/^ {2}(?:-h, )?--(\w+)/gm)].map(([, flag]) => flag)).toEqual(flags);
  });
});
