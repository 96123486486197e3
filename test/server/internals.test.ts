import { Registry } from "prom-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { runFunction } from "../../src/run-function.ts";
import { serveMetrics } from "../../src/server/metrics-endpoint.ts";
import { inputOf } from "../../testing/builders/sharing.ts";
import { frame } from "../../testing/servers/frames.ts";
import { connectHttp2, openStream } from "../../testing/servers/http2.ts";
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
  const log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (_: string, fields?: object) => errors.push(fields),
  };
  const endpoint = await serveMetrics({ host: "127.0.0.1", port: 0 }, { registry, isReady: () => true, log });
  onTestFinished(endpoint.close);
  const { status: code } = await fetch(`http://127.0.0.1:${endpoint.port}/metrics`);
  expect({ code, errors }).toEqual({ code: 500, errors: [{ error: "Error: broken" }] });
});

test("the memory of a large request and its response is free once the response has been sent whole", async () => {
  const seen: Uint8Array[] = [];
  const answer = Buffer.alloc(300_000, "answer");
  const remember = (message: Uint8Array) => {
    const response = Buffer.from(answer);
    seen.push(message, response);
    return echo(response);
  };
  const { target } = await serveLoopback({}, { runFunction: remember });
  const { response } = await call(target, Buffer.alloc(200_000));
  expect(response).toEqual(answer);
  const isFreed = "transfer" in ArrayBuffer.prototype; // from Node 22 on
  expect(seen.map(({ length }) => length)).toEqual(isFreed ? [0, 0] : [200_000, 300_000]);
});

test("a large request may be its own response", async () => {
  const { target } = await serveLoopback();
  const request = Buffer.alloc(200_000, "request");
  expect((await call(target, request)).response).toEqual(request);
});
