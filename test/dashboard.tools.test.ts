import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { healthReasons } from "../scripts/generate/reasons.ts";
import type { JsonObject } from "../src/model/json.ts";
import { runFunction } from "../src/run-function.ts";
import { withoutCopies } from "../testing/builders/copies.ts";
import { refused } from "../testing/builders/shared-database.ts";
import { database, inputOf, REQUIRED, xr } from "../testing/builders/sharing.ts";
import { call, serveLoopback, until } from "../testing/servers/loopback.ts";
import { metricsIn } from "../testing/tools/promql.ts";
import { run, toolOrSkip } from "../testing/tools/server-tools.ts";
import { temporaryFolder } from "../testing/tools/temporary-folder.ts";
import { corpus } from "../testing/wire/corpus.ts";
import { encodeRequest } from "../testing/wire/oracle.ts";
import { stateOf, v2Request } from "../testing/wire/plain.ts";

/**
 * Prometheus' engine answers each query of the dashboard, over two scrapes of a server that has run real requests. The metrics of others
 * are made up here, of the names in foreign-metrics.yaml.
 */

const promtool = toolOrSkip("promtool") ?? "";

const read = (file: string): string => readFileSync(new URL(`../deploy/monitoring/${file}`, import.meta.url), "utf8");

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

/** What Grafana puts in place of the dashboard's variables. */
const variables: Readonly<Record<string, string>> = {
  $namespace: "crossplane-system",
  $job: "function-shared-infrastructure",
  $__rate_interval: "5m",
  $__range: "10m",
};

const queries = (JSON.parse(read("dashboard.json")) as Dashboard).panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr: expr.replaceAll(/\$\w+/g, (name) => variables[name] ?? name) })),
);

/** The labels that the PodMonitor's scrape adds. */
const SCRAPED = 'namespace="crossplane-system",job="function-shared-infrastructure",pod="a"';

/** The samples of a scrape, by series, in promtool's notation. */
async function scrape(port: number | undefined): Promise<ReadonlyMap<string, string>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const samples = text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm);
  const series = (name: string, labels: string | undefined) => `${name}{${labels ? `${labels},` : ""}${SCRAPED}}`;
  return new Map([...samples].map(([, name = "", labels, value = ""]) => [series(name, labels), value]));
}

/** Crossplane has looked, and found these shared resources. */
const answered = (...databases: readonly JsonObject[]): Uint8Array =>
  encodeRequest(
    v2Request(inputOf({ sharedResources: [fieldsOnly] }), stateOf(xr()), { [REQUIRED.database]: databases }),
  );
const fieldsOnly = withoutCopies({
  patches: [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.endpoint" }],
});
const shares = [answered(), answered(database()), answered(refused), answered(database({ status: {} }))];
const requests = [...corpus, ...shares];

interface Series {
  readonly series: string;
  readonly values: string;
}

/** The series of a run: all requests, a scrape, all requests again, a scrape. Each is taken to hold for five minutes. */
async function runAndScrape(): Promise<readonly Series[]> {
  const metricsAddress = { host: "127.0.0.1", port: 0 };
  const { target, metricsPort } = await serveLoopback({ metricsAddress }, { runFunction });
  const scrapeAfter = async (calls: number): Promise<ReadonlyMap<string, string>> => {
    for (const request of requests) await call(target, request);
    const handled = `grpc_server_handling_seconds_count\\{.*RunFunction.* ${calls}$`;
    const text = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    await until(async () => new RegExp(handled, "m").test(await text()));
    return scrape(metricsPort);
  };
  const before = await scrapeAfter(requests.length);
  const after = await scrapeAfter(2 * requests.length);
  const asked = queries.flatMap(({ expr }) => metricsIn(expr));
  return [...after]
    .filter(([series]) => asked.includes(series.split("{")[0] ?? ""))
    .map(([series, value]) => ({ series, values: `${before.get(series) ?? "_"}x5 ${value}x5` }));
}

const OTHERS = 'function_name="f",result_severity="Fatal",controller="c",gvk="g",service="s",operation="o"';
const XR_CONDITION = "kube_customresource_xr_condition";
const foreign: readonly Series[] = Object.keys(parse(read("foreign-metrics.yaml")) as object)
  .filter((name) => name !== XR_CONDITION)
  .flatMap((name) =>
    (name.endsWith("_bucket") ? ["1", "+Inf"] : [undefined]).map((le) => ({
      series: `${name}{${OTHERS}${le === undefined ? "" : `,le="${le}"`}}`,
      values: "0+1x11",
    })),
  );

/** An XR for each reason of a condition. */
const conditions = healthReasons.map(({ type, name: reason, state }, index) => ({
  state,
  labels: `customresource_kind="XApp", exported_namespace="team", name="app-${index}", reason="${reason}", type="${type}"`,
}));
/** Their conditions as kube-state-metrics shows them: once for each version that is served. */
const shown: readonly Series[] = conditions.flatMap(({ state, labels }) =>
  ["v1alpha1", "v1"].map((version) => ({
    series: `${XR_CONDITION}{customresource_version="${version}", ${labels}}`,
    values: state === "True" ? "1x11" : "0x11",
  })),
);

/** Has Prometheus' engine compute queries over these series. */
async function evaluate(series: readonly Series[], asked: readonly object[]): Promise<void> {
  const file = join(temporaryFolder(), "dashboard.test.yaml");
  const promql_expr_test = asked.map((query) => ({ eval_time: "8m", ...query }));
  const tests = [{ interval: "1m", input_series: series, promql_expr_test }];
  writeFileSync(file, stringify({ rule_files: [], evaluation_interval: "1m", tests }));
  const { exitCode, stdout, stderr } = await run(promtool, ["test", "rules", file]);
  expect(exitCode, stdout + stderr).toBe(0);
}

describe.skipIf(promtool === "")("as Prometheus' engine computes it", () => {
  test("every query of the dashboard has data after a run", async () => {
    const series = [...(await runAndScrape()), ...foreign, ...shown];
    const hasData = queries.map(({ expr }) => ({ expr: `count(${expr}) > bool 0`, exp_samples: [{ value: 1 }] }));
    await evaluate(series, hasData);
  });

  test("the table by name has the XRs on which a person has to act, each once, and no others", async () => {
    const rows = conditions.filter(({ state }) => state === "False" || state === "Stops");
    const query = queries.find(({ title }) => title === "XRs that wait for a person, by name");
    const samples = rows.map(({ labels }) => ({ labels: `{${labels}}`, value: 0 }));
    await evaluate(shown, [{ expr: query?.expr, exp_samples: samples }]);
  });
});
