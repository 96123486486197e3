import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createMetrics } from "../src/server/metrics.ts";
import { V1 } from "../testing/servers/loopback.ts";
import { metricsIn } from "../testing/tools/promql.ts";

// The rules and the dashboard query metrics that this function serves, or the programs that foreign-metrics.yaml names.

const read = (file: string): string => readFileSync(new URL(`../monitoring/${file}`, import.meta.url), "utf8");

interface Rules {
  readonly spec: { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
}

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly annotations?: { readonly summary: string; readonly runbook: string };
}

interface Dashboard {
  readonly panels: readonly Panel[];
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const rules = (parse(read("prometheus-rule.yaml")) as Rules).spec.groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read("dashboard.json")) as Dashboard;
const foreign = Object.keys(parse(read("foreign-metrics.yaml")) as object);
const recorded = rules.flatMap(({ record }) => record ?? []);

const asked = [
  ...rules.map(({ alert, record = "", expr }) => ({ where: alert ?? record, expr })),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: title, expr }))),
];

/** Every name that a scrape of ours can hold. */
async function served(): Promise<readonly string[]> {
  const metrics = createMetrics("v0.0.0", [V1]);
  const described = await metrics.registry.getMetricsAsJSON();
  return described.flatMap(({ name, type }) =>
    String(type) === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
}

test.each(asked)("the rule or panel $where queries metrics that are served", async ({ expr }) => {
  const names = metricsIn(expr);
  const known = [...(await served()), ...foreign, ...recorded];
  expect(names).not.toEqual([]);
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

test("each metric in foreign-metrics.yaml is queried by a rule or a panel", () => {
  const used = asked.flatMap(({ expr }) => metricsIn(expr));
  expect(foreign.filter((name) => !used.includes(name))).toEqual([]);
});

describe("the alert", () => {
  const alerts = rules.filter(({ alert }) => alert !== undefined);
  const manual = readFileSync(new URL("../docs/monitoring.md", import.meta.url), "utf8");

  test.each(alerts)("$alert has a summary and a section of its own in the manual", ({ alert, annotations }) => {
    expect(annotations?.summary).toMatch(/\.$/);
    expect(annotations?.runbook).toBe(`docs/monitoring.md#${String(alert).toLowerCase()}`);
    expect(manual).toContain(`### ${String(alert)}\n`);
  });
});

test("each panel of the dashboard has an id of its own", () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

test.each([
  { expr: 'sum by (le) (rate(a_bucket{b="c{d}"}[5m]))', names: ["a_bucket"] },
  { expr: "a_total > 2 * 1024 and on (x) group_left (y) b:rate5m offset 1d", names: ["a_total", "b:rate5m"] },
  { expr: "histogram_quantile(0.99, a) unless ignoring (z) increase(b[$__range]) == bool 1e3", names: ["a", "b"] },
])("the metrics of $expr are $names", ({ expr, names }) => {
  expect(metricsIn(expr)).toEqual(names);
});
