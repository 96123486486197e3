import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { status } from "@grpc/grpc-js";
import { Counter, collectDefaultMetrics, exponentialBuckets, Gauge, Histogram, Registry } from "prom-client";
import type { Outcome } from "../run-function.ts";

const PREFIX = "function_shared_infrastructure";

/** Buckets up to 10 s, Crossplane's timeout. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** Buckets from 1 KiB to 64 MiB. */
const BYTES = exponentialBuckets(1024, 4, 9);

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Creates the server's metrics.
 *
 * Metrics of gRPC have the names and labels of go-grpc-middleware, which function-sdk-go uses: one dashboard fits all
 * functions. No label has a value from a client: only calls of `paths` are counted, condition types and reasons are a
 * fixed set, and Compositions name the kinds of shared resources.
 *
 * @param paths the served methods, as `/package.Service/Method`.
 */
export function createMetrics(version: string, paths: readonly string[]) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const info = { name: `${PREFIX}_build_info`, help: "Version of the function; always 1.", registers: [registry] };
  new Gauge({ ...info, labelNames: ["version"] }).set({ version }, 1);
  return {
    registry,
    observe: countCalls(registry, paths),
    ran: countOutcomes(registry),
    certificateExpires: showCertificate(registry),
  };
}

/** Shows the certificate's expiry. Without TLS the metric has no value: 0 would be the year 1970. */
function showCertificate(registry: Registry) {
  const name = `${PREFIX}_certificate_expiry_timestamp_seconds`;
  const help = "Expiry of the server's own certificate, in seconds since 1970.";
  const gauge = new Gauge({ name, help, registers: [registry] });
  gauge.remove();
  return (end: Date): void => gauge.set(end.getTime() / 1000);
}

/** Counts HTTP/2 streams. An interceptor would miss calls that grpc-js refuses as too large or past their deadline. */
function countCalls(registry: Registry, paths: readonly string[]) {
  const labelNames = ["grpc_type", "grpc_service", "grpc_method"] as const;
  const to = { labelNames, registers: [registry] };
  const started = new Counter({ ...to, name: "grpc_server_started_total", help: "Calls started." });
  const coded = { ...to, labelNames: [...labelNames, "grpc_code"] as const };
  const handled = new Counter({ ...coded, name: "grpc_server_handled_total", help: "Calls completed, by code." });
  const name = "grpc_server_handling_seconds";
  const seconds = new Histogram({ ...to, name, help: "Duration of calls.", buckets: SECONDS });

  const methods = new Map(
    paths.map((path) => {
      const [, service = "", method = ""] = path.split("/");
      return [path, { grpc_type: "unary", grpc_service: service, grpc_method: method }];
    }),
  );
  for (const method of methods.values()) started.inc(method, 0);
  return (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
    const method = methods.get(headers[":path"] ?? "");
    if (method === undefined) return;
    const end = seconds.startTimer(method);
    started.inc(method);
    stream.once("close", () => {
      handled.inc({ ...method, grpc_code: toCodeName(readCode(stream)) });
      end();
    });
  };
}

/** Reads the code from the trailers, or from the headers of a refused call. A stream without one was cancelled. */
const readCode = ({ sentTrailers, sentHeaders }: ServerHttp2Stream): status =>
  Number(sentTrailers?.["grpc-status"] ?? sentHeaders?.["grpc-status"] ?? status.CANCELLED);

/** Counts the sizes, results, conditions and shared resources of RunFunction calls. */
function countOutcomes(registry: Registry) {
  const to = { registers: [registry] };
  const size = (what: string) =>
    new Histogram({ ...to, name: `${PREFIX}_${what}_size_bytes`, help: `Size of ${what}s in bytes.`, buckets: BYTES });
  const counter = <Label extends string>(what: string, help: string, ...labelNames: readonly Label[]) =>
    new Counter({ ...to, name: `${PREFIX}_${what}_total`, help, labelNames });
  const [requests, responses] = [size("request"), size("response")];
  const results = counter("results", "Results returned.", "severity");
  const conditions = counter("conditions", "Conditions returned.", "type", "status", "reason");
  const shares = counter("shares", "Outcomes of shared resources.", "kind", "reason");

  for (const severity of ["Fatal", "Warning", "Normal"]) results.inc({ severity }, 0);
  return (requestBytes: number, ran: Outcome): void => {
    requests.observe(requestBytes);
    responses.observe(ran.response.byteLength);
    for (const { severity } of ran.results) results.inc({ severity });
    for (const { type, status, reason } of ran.conditions) conditions.inc({ type, status, reason });
    for (const { kind, reason } of ran.shares) shares.inc({ kind, reason });
  };
}

/** Names a status code as grpc-go does, for the label grpc_code: `InvalidArgument`. */
function toCodeName(code: status): string {
  if (code === status.OK) return "OK";
  if (code === status.CANCELLED) return "Canceled";
  const words = (status[code] ?? "UNKNOWN").toLowerCase().split("_");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
