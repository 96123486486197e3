import { Counter, collectDefaultMetrics, exponentialBuckets, Gauge, Histogram, Registry } from "prom-client";
import type { Outcome } from "../run-function.ts";
import { inNextTurn } from "./next-turn.ts";
import { toCodeName } from "./status.ts";
import type { CallObserver } from "./transport/calls.ts";

/** The server's metrics; `registry` is scraped. */
export interface Metrics extends CallObserver {
  readonly registry: Registry;
  /** Counts the outcome of one RunFunction. */
  ran(requestBytes: number, outcome: Outcome): void;
  /** Records when the server's certificate expires. */
  certificateExpires(end: Date): void;
}

const PREFIX = "function_shared_infrastructure";

/** From about the time of an echo (70 µs) to 10 s, Crossplane's timeout. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** 1 KiB to 64 MiB. */
const BYTES = exponentialBuckets(1024, 4, 9);

/**
 * Creates the metrics.
 *
 * gRPC's metrics have the names and labels of go-grpc-middleware, which function-sdk-go uses too, so that one dashboard fits all
 * functions. No label's value comes from a client: calls of other paths than `paths` are not counted, and the types and reasons of
 * conditions are a fixed set.
 *
 * @param paths the served methods, as `/package.Service/Method`.
 */
export function createMetrics(version: string, paths: readonly string[]): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const info = { name: `${PREFIX}_build_info`, help: "Version of the function; always 1.", registers: [registry] };
  new Gauge({ ...info, labelNames: ["version"] }).set({ version }, 1);
  const tally = createTally();
  const to = { registers: [registry], collect: tally.count };
  return {
    registry,
    ...countCalls(to, tally, paths),
    ran: countOutcomes(to, tally),
    certificateExpires: showCertificate(registry),
  };
}

/** Calls that are not counted yet. */
interface Tally {
  readonly add: (count: () => void) => void;
  /** Counts all that was added. */
  readonly count: () => void;
  readonly countSoon: () => void;
}

/** More than what open calls add, so that they do not fill memory where nothing tells their end (transport/http2.ts). */
const MOST_ADDED = 1000;

/**
 * Counts when an answer has left: a small call would wait for it as long as for its own computation. A scrape counts first, too, so that
 * it misses nothing.
 */
function createTally(): Tally {
  let added: (() => void)[] = [];
  const count = (): void => {
    const counts = added;
    added = [];
    for (const one of counts) one();
  };
  const add = (one: () => void): void => {
    if (added.push(one) > MOST_ADDED) count();
  };
  return { add, count, countSoon: inNextTurn(count) };
}

/** Where a metric belongs, and what it does before a scrape. */
interface Place {
  readonly registers: Registry[];
  readonly collect: () => void;
}

/** Without TLS the metric has no value: 0 would be the year 1970. */
function showCertificate(registry: Registry): Metrics["certificateExpires"] {
  const name = `${PREFIX}_certificate_expiry_timestamp_seconds`;
  const gauge = new Gauge({
    name,
    help: "Expiry of the server's own certificate, in seconds since 1970.",
    registers: [registry],
  });
  gauge.remove();
  return (end) => gauge.set(end.getTime() / 1000);
}

function countCalls(to: Place, tally: Tally, paths: readonly string[]): CallObserver {
  const methodLabels = ["grpc_type", "grpc_service", "grpc_method"] as const;
  const codeLabels = [...methodLabels, "grpc_code"] as const;
  const help = { started: "Calls started.", handled: "Calls completed, by code.", seconds: "Duration of calls." };
  const started = new Counter({
    name: "grpc_server_started_total",
    help: help.started,
    labelNames: methodLabels,
    ...to,
  });
  const handled = new Counter({ name: "grpc_server_handled_total", help: help.handled, labelNames: codeLabels, ...to });
  const name = "grpc_server_handling_seconds";
  const seconds = new Histogram({ name, help: help.seconds, labelNames: methodLabels, buckets: SECONDS, ...to });

  const methods = new Map(paths.map((path) => [path, toMethodLabels(path)]));
  for (const method of methods.values()) started.inc(method, 0);
  return {
    started: (path) => {
      const method = methods.get(path);
      if (method) tally.add(() => started.inc(method));
    },
    ended: (call) => {
      const method = methods.get(call.path);
      if (!method) return;
      tally.add(() => {
        handled.inc({ ...method, grpc_code: toCodeName(call.code) });
        seconds.observe(method, call.seconds);
      });
      tally.countSoon();
    },
  };
}

function toMethodLabels(path: string): Record<"grpc_type" | "grpc_service" | "grpc_method", string> {
  const [, service = "", method = ""] = path.split("/");
  return { grpc_type: "unary", grpc_service: service, grpc_method: method };
}

function countOutcomes(to: Place, tally: Tally): Metrics["ran"] {
  const size = (what: string) =>
    new Histogram({ name: `${PREFIX}_${what}_size_bytes`, help: `Size of ${what}s in bytes.`, buckets: BYTES, ...to });
  const requests = size("request");
  const responses = size("response");
  const severity = { name: `${PREFIX}_results_total`, help: "Results returned, by severity.", ...to };
  const results = new Counter({ ...severity, labelNames: ["severity"] as const });
  const outcome = {
    name: `${PREFIX}_conditions_total`,
    help: "Conditions returned, by type, status and reason.",
    ...to,
  };
  const conditions = new Counter({ ...outcome, labelNames: ["type", "status", "reason"] as const });

  for (const level of ["Fatal", "Warning", "Normal"]) results.inc({ severity: level }, 0);
  return (requestBytes, { response, ...came }) => {
    const responseBytes = response.byteLength; // the response itself would stay in memory
    tally.add(() => {
      requests.observe(requestBytes);
      responses.observe(responseBytes);
      for (const result of came.results) results.inc({ severity: result.severity });
      for (const { type, status, reason } of came.conditions) conditions.inc({ type, status, reason });
    });
  };
}
