import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Registry } from "prom-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { runFunction } from "../../src/run-function.ts";
import { createMetricsServer } from "../../src/server/metrics-endpoint.ts";
import { inputOf } from "../../testing/builders/sharing.ts";
import { frame } from "../../testing/servers/frames.ts";
import { connectHttp2, endOf, openStream } from "../../testing/servers/http2.ts";
import { call, echo, serveLoopback, until } from "../../testing/servers/loopback.ts";
import { requestOf } from "../../testing/wire/messages.ts";

const MEGABYTE = 1024 * 1024;
const free = { metricsAddress: { host: "127.0.0.1", port: 0 } } as const;
const scrape = async (port = 0): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

describe("the real function, over the wire", () => {
  test("what a user got wrong is OK for gRPC, and counted as Fatal", async () => {
    const server = await serveLoopback(free, { runFunction });
    const request = requestOf({ input: inputOf({ colour: "blue" }) });
    expect(await call(server.target, request)).toMatchObject({ code: "OK" });

    const text = await scrape(server.metricsPort);
    expect(text).toContain('function_shared_infrastructure_results_total{severity="Fatal"} 1\n');
    expect(text).toContain(`function_shared_infrastructure_request_size_bytes_sum ${request.byteLength}\n`);
    await until(async () => /grpc_server_handled_total\{.*grpc_code="OK"\} 1\n/.test(await scrape(server.metricsPort)));
    expect(server.lines.at(-1)).toMatchObject({ level: "warn", message: "returned a fatal result" });
  });

  test("a request of 3 MB is answered, with its context as it was", async () => {
    const { target } = await serveLoopback({}, { runFunction });
    const answer = await call(target, requestOf({ context: { "example.org/large": "x".repeat(3 * MEGABYTE) } }));
    expect(answer).toMatchObject({ code: "OK" });
    expect(answer.response.byteLength).toBeGreaterThan(3 * MEGABYTE);
  });
});

test("a response of 8 MB passes the server", async () => {
  const { port } = await serveLoopback({}, { runFunction: () => echo(Buffer.alloc(8 * MEGABYTE)) });
  const stream = openStream(await connectHttp2(`http://localhost:${port}`));
  stream.end(frame(Buffer.alloc(0)));
  const { data, status: code } = await endOf(stream);
  expect({ bytes: data.byteLength, code }).toEqual({ bytes: 8 * MEGABYTE + 5, code: "0" });
});

test("a call whose client goes away is counted as Canceled", async () => {
  const { port, metricsPort } = await serveLoopback(free);
  const session = await connectHttp2(`http://localhost:${port}`);
  openStream(session)
    .on("error", () => {})
    .write(frame(Buffer.alloc(9)).subarray(0, 7));
  await until(async () => /grpc_server_started_total\{.*\.v1\..*\} 1\n/.test(await scrape(metricsPort)));
  session.destroy();
  await until(async () => /grpc_server_handled_total\{/.test(await scrape(metricsPort)));
  expect(await scrape(metricsPort)).toMatch(/grpc_server_handled_total\{.*\.v1\..*grpc_code="Canceled"\} 1\n/);
});

test("metrics that cannot be collected are an error of the server, which the log tells", async () => {
  const registry = new Registry();
  registry.metrics = () => Promise.reject(new Error("broken"));
  const errors: unknown[] = [];
  const server = createMetricsServer({ registry, isReady: () => true, onError: (error) => errors.push(error) }).listen(
    0,
    "127.0.0.1",
  );
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { status: code } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
  expect({ code, errors }).toEqual({ code: 500, errors: [new Error("broken")] });
});
