import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import reasons from "../cli/explain/reasons.json" with { type: "json" };
import { createMetrics } from "../src/server/metrics.ts";
import { V1 } from "../testing/servers/http2.ts";
import { metricsIn } from "../testing/tools/promql.ts";

// The rules and the dashboard query metrics that this function serves, or the programs that foreign-metrics.yaml names.

const read = (file: string): string => readFileSync(new URL(`../deploy/monitoring/${file}`, import.meta.url), "utf8");

interface Rules {
  readonly spec: { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
}

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly annotations?: { readonly summary: string; readonly runbook_url: string };
}

interface Dashboard {
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly Panel[];
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const rules = (parse(read("prometheus-rule.yaml")) as Rules).spec.groups.flatMap((group) => group.rules);
const { panels, templating } = JSON.parse(read("dashboard.json")) as Dashboard;
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

describe("the reasons in queries", () => {
  const waits = reasons.filter(({ type, state }) => type === "SharedResourcesReady" && state === "Waits");
  const queried = (expr: string) =>
    [...expr.matchAll(/\breason(?:=|=~|!~)"([^"]*)"/g)].flatMap(([, text = ""]) => text.split("|"));

  test.each(asked.filter(({ expr }) => queried(expr).length > 0))("$where queries reasons that exist", ({ expr }) => {
    expect(queried(expr).filter((reason) => !reasons.some(({ name }) => name === reason))).toEqual([]);
  });

  test("the panel of waiting shares has each reason that waits, and only these", () => {
    const panel = asked.find(({ where }) => where === "Waiting, by reason");
    expect(queried(panel?.expr ?? "").sort()).toEqual(waits.map(({ name }) => name).sort());
  });
});

test("each metric in foreign-metrics.yaml is queried by a rule or a panel", () => {
  const used = asked.flatMap(({ expr }) => metricsIn(expr));
  expect(foreign.filter((name) => !used.includes(name))).toEqual([]);
});

describe("the alert", () => {
  const alerts = rules.filter(({ alert }) => alert !== undefined);
  const operations = readFileSync(new URL("../docs/operations.md", import.meta.url), "utf8");
  const runbooks = operations.split("\n## Runbooks\n")[1]?.split("\n## ")[0] ?? "";
  const sections = [...runbooks.matchAll(/^### (.*)$/gm)].map(([, title]) => title);

  test.each(alerts)(
    "$alert has a summary and the address of its section in docs/operations.md",
    ({ alert, annotations }) => {
      expect(annotations?.summary).toMatch(/\.$/);
      expect(annotations?.runbook_url).toBe(`docs/operations.md#${String(alert).toLowerCase()}`);
    },
  );

  test.each(alerts)("$alert is seen to fire in alerts.test.yaml", ({ alert }) => {
    expect(read("alerts.test.yaml")).toContain(`ALERTS{alertname="${String(alert)}", alertstate="firing"`);
  });

  test("docs/operations.md has one runbook for each alert, in the order of the rules", () => {
    expect(sections).toEqual(alerts.map(({ alert }) => alert));
  });
});

describe("this function is told from other functions", () => {
  const JOB = "function-shared-infrastructure";
  const selector = (expr: string): readonly string[] =>
    [...expr.matchAll(/\b(?:function_shared_infrastructure|grpc_server|process|nodejs)_\w+(\{[^}]*\})?/g)].map(
      ([, matchers = ""]) => matchers,
    );
  const ours = asked.filter(({ expr }) => selector(expr).length > 0);

  test.each(ours)("by its job, wherever $where selects metrics that other functions may serve", ({ where, expr }) => {
    const isPanel = panels.some(({ title }) => title === where);
    const matchers = isPanel ? 'namespace="$namespace", job="$job"' : `job="${JOB}"`;
    for (const selected of selector(expr)) expect(selected).toContain(matchers);
  });

  test("pod-monitor.yaml makes that job of the label that Crossplane sets on the function's pods", () => {
    const label = "pkg.crossplane.io/function";
    expect(parse(read("pod-monitor.yaml"))).toMatchObject({
      metadata: { namespace: "crossplane-system" },
      spec: { jobLabel: label, selector: { matchLabels: { [label]: JOB } } },
    });
  });

  test("pod-monitor.yaml scrapes a port that the function's pods have", () => {
    const { spec } = parse(readFileSync(new URL("../deploy/function/runtime-config.yaml", import.meta.url), "utf8"));
    const [container] = spec.deploymentTemplate.spec.template.spec.containers;
    const ports = container.ports.map(({ name }: { readonly name: string }) => ({ port: name }));
    expect(parse(read("pod-monitor.yaml")).spec.podMetricsEndpoints).toMatchObject(ports);
  });

  test("the dashboard has a variable for each that its queries use", () => {
    const names = templating.list.map(({ name }) => name);
    const builtIn = ["__rate_interval", "__range"];
    const used = [...read("dashboard.json").matchAll(/\$\{?(\w+)/g)].map(([, name = ""]) => name);
    expect(new Set(used.filter((name) => !builtIn.includes(name)))).toEqual(new Set(names));
  });
});

test("each panel of the dashboard has an id of its own", () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

test("the table by name groups by the labels that kube-state-metrics.yaml makes", () => {
  const { config } = parse(read("kube-state-metrics.yaml"))["kube-state-metrics"].customResourceState;
  const [{ labelsFromPath, metrics }] = config.spec.resources;
  const [{ name, each }] = metrics;
  const { expr = "" } = asked.find(({ where }) => where === "XRs that wait for a person, by name") ?? {};
  const [, labels = ""] = /^max by \(([^)]*)\)/.exec(expr) ?? [];
  const made = { customresource_kind: [], ...labelsFromPath, ...each.gauge.labelsFromPath };
  expect(metricsIn(expr)).toEqual([`kube_customresource_${name}`]);
  expect(labels.split(", ").sort()).toEqual(Object.keys(made).sort());
});

test("each panel of the row Shares says in its description what its numbers mean and where the names are", () => {
  const [, ...rest] = panels.slice(panels.findIndex(({ title }) => title === "Shares"));
  const next = rest.findIndex(({ type }) => type === "row");
  const own = rest.slice(0, next);
  expect(own.length).toBe(6);
  for (const { description } of own) expect(description).toMatch(/XRs .*`(?:registry consumers|explain REASON)`/);
});
