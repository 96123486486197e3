import { isDeepStrictEqual } from "node:util";
import { Registry } from "prom-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { readVersion } from "../../src/package.ts";
import { runFunction } from "../../src/run-function.ts";
import { metricsOf, servePages } from "../../src/server/pages.ts";
import { connectHttp2, frame, openStream, V1 } from "../../testing/servers/http2.ts";
import { call, echo, logTo, serveLoopback, until, V1BETA1 } from "../../testing/servers/loopback.ts";

const free = { metricsAddress: { host: "127.0.0.1", port: 0 } } as const;

/** The samples whose names match, as `name{labels}` and value, without histograms' buckets. */
async function samples(port: number | undefined, names: RegExp): Promise<Record<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lines = text.split("\n").filter((line) => names.test(line) && !line.includes("_bucket{"));
  return Object.fromEntries(lines.map((line) => [line.replace(/ \S+$/, ""), Number(line.split(" ").at(-1))]));
}

const labels = (version: string, code?: string): string =>
  `{grpc_type="unary",grpc_service="apiextensions.fn.proto.${version}.FunctionRunnerService",grpc_method="RunFunction"${
    code === undefined ? "" : `,grpc_code="${code}"`
  }}`;

describe("metrics", () => {
  test("calls are counted by version and code, also those that are refused before the function is asked", async () => {
    const { target, metricsPort } = await serveLoopback({ ...free, maxRecvMessageBytes: 1024 }, { runFunction });
    await call(target, Buffer.alloc(0));
    await call(target, Buffer.alloc(0), { path: V1BETA1 });
    await call(target, Buffer.from([0x0a, 0xff]));
    await call(target, Buffer.alloc(2000));

    await until(async () => Object.keys(await samples(metricsPort, /^grpc_server_handled/)).length === 4);
    expect(await samples(metricsPort, /^grpc_server_(started|handled)/)).toEqual({
      [`grpc_server_started_total${labels("v1")}`]: 3,
      [`grpc_server_started_total${labels("v1beta1")}`]: 1,
      [`grpc_server_handled_total${labels("v1", "OK")}`]: 1,
      [`grpc_server_handled_total${labels("v1", "InvalidArgument")}`]: 1,
      [`grpc_server_handled_total${labels("v1", "ResourceExhausted")}`]: 1,
      [`grpc_server_handled_total${labels("v1beta1", "OK")}`]: 1,
    });
    const timed = await samples(metricsPort, /^grpc_server_handling_seconds_count/);
    expect(timed).toMatchObject({ [`grpc_server_handling_seconds_count${labels("v1")}`]: 3 });
  });

  test("what clients call without its being there leaves no label", async () => {
    const { target, metricsPort } = await serveLoopback(free);
    await call(target, Buffer.alloc(0), { path: "/of.their/Choice" });
    await call(target, Buffer.alloc(0), { path: "/grpc.health.v1.Health/Check" });
    const text = JSON.stringify(await samples(metricsPort, /./));
    expect(text).not.toMatch(/Choice|Health/);
  });

  test("sizes, severities, conditions and shares are counted", async () => {
    const target = "Composite" as const;
    const outcome = (bytes: Buffer) => ({
      ...echo(bytes),
      results: ["1", "2"].map((message) => ({ severity: "Warning", message, target }) as const),
      conditions: [{ type: "SharedResourcesReady", status: "False", reason: "NotGranted", target }] as const,
      shares: [{ kind: "XPostgres.data.example.org", reason: "AccessNotGranted" }],
    });
    const server = await serveLoopback(free, { runFunction: outcome });
    await call(server.target, Buffer.alloc(300), { path: V1 });
    expect(await samples(server.metricsPort, /^function_shared_infrastructure_(?!build)/)).toEqual({
      function_shared_infrastructure_request_size_bytes_sum: 300,
      function_shared_infrastructure_request_size_bytes_count: 1,
      function_shared_infrastructure_response_size_bytes_sum: 300,
      function_shared_infrastructure_response_size_bytes_count: 1,
      'function_shared_infrastructure_results_total{severity="Fatal"}': 0,
      'function_shared_infrastructure_results_total{severity="Warning"}': 2,
      'function_shared_infrastructure_results_total{severity="Normal"}': 0,
      'function_shared_infrastructure_conditions_total{type="SharedResourcesReady",status="False",reason="NotGranted"}': 1,
      'function_shared_infrastructure_shares_total{kind="XPostgres.data.example.org",reason="AccessNotGranted"}': 1,
    });
  });

  test("a call whose client goes away is counted as Canceled", async () => {
    const { port, metricsPort } = await serveLoopback(free);
    const session = await connectHttp2(`http://localhost:${port}`);
    openStream(session)
      .on("error", () => {})
      .write(frame(Buffer.alloc(9)).subarray(0, 7));
    const started = { [`grpc_server_started_total${labels("v1")}`]: 1 };
    await until(async () => isDeepStrictEqual(await samples(metricsPort, /^grpc_server_started.*\.v1\./), started));
    session.destroy();
    const handled = { [`grpc_server_handled_total${labels("v1", "Canceled")}`]: 1 };
    await until(async () => isDeepStrictEqual(await samples(metricsPort, /^grpc_server_handled/), handled));
  });

  test("that cannot be collected are an error of the server, which the log tells", async () => {
    const registry = new Registry();
    registry.metrics = () => Promise.reject(new Error("broken"));
    const errors: unknown[] = [];
    const log = logTo((level, _message, fields) => level === "error" && errors.push(fields));
    const endpoint = await servePages({ host: "127.0.0.1", port: 0 }, { "GET /metrics": metricsOf(registry) }, log);
    onTestFinished(endpoint.close);
    const { status: code } = await fetch(`http://127.0.0.1:${endpoint.port}/metrics`);
    expect({ code, errors }).toEqual({ code: 500, errors: [{ error: "Error: broken" }] });
  });

  test("come with their content type, without which Prometheus 3 reads none", async () => {
    const { metricsPort } = await serveLoopback(free);
    const { headers } = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  });

  test("the process and the build describe themselves", async () => {
    const { metricsPort } = await serveLoopback(free);
    expect(await samples(metricsPort, /^(process_start_time|function_shared_infrastructure_build)/)).toEqual({
      process_start_time_seconds: expect.any(Number),
      [`function_shared_infrastructure_build_info{version="${readVersion()}"}`]: 1,
    });
  });

  test.each([
    { method: "GET", path: "/metrics?name[]=a", status: 200 },
    { method: "GET", path: "/readyz", status: 200 },
    { method: "POST", path: "/readyz", status: 404 },
    { method: "GET", path: "/", status: 404 },
    { method: "GET", path: "/metrics/", status: 404 },
    { method: "POST", path: "/metrics", status: 404 },
  ])("$method $path is $status", async ({ method, path, status }) => {
    const { metricsPort } = await serveLoopback(free);
    expect((await fetch(`http://127.0.0.1:${metricsPort}${path}`, { method })).status).toBe(status);
  });

  test("there are none where the address is empty", async () => {
    const { metricsPort } = await serveLoopback({ metricsAddress: "off" });
    expect(metricsPort).toBeUndefined();
  });
});
