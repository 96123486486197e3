import { describe, expect, test } from "vitest";
import { planOf } from "../../e2e/plan.ts";
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
  ])("$reason", ({ args, runs, isWhole }) => {
    const plan = planOf(args, suites);
    expect({ runs: plan?.suites.map(({ name }) => name), isWhole: plan?.isWhole }).toEqual({ runs, isWhole });
  });
});
