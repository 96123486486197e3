import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { createLog, type Log } from "../../src/log.ts";
import { parseJson } from "../../src/model/json.ts";
import { loadCertificates } from "../../src/server/certificates.ts";
import { addressToText, type TcpAddress } from "../../src/server/config.ts";
import { type Answer, listen, metricsOf, servePages, toListener } from "../../src/server/pages.ts";
import { type ApiClient, toClient } from "../cluster/cluster.ts";
import { connect } from "../cluster/connection.ts";
import { ClusterError } from "../cluster/error.ts";
import { type ConnectionFlags, EXIT, invalidFlags } from "../command.ts";
import { readMappings } from "../files.ts";
import type { Host } from "../host.ts";
import { check } from "../lookup/ownership.ts";
import { cacheKinds, type Departed, decideDeparture } from "./departures.ts";
import {
  type AdmissionRequest,
  type Decision,
  decideUnchecked,
  findNewDeclarations,
  readAdmissionRequest,
  toDecision,
  toReview,
} from "./review.ts";

export interface AdmissionOptions extends ConnectionFlags {
  readonly mapping?: readonly string[];
  readonly address: TcpAddress;
  readonly metricsAddress: TcpAddress;
  readonly tlsCertsDir?: string;
  readonly onConflict: "deny" | "warn";
  readonly onError: "allow" | "deny";
  /** In milliseconds. */
  readonly lookupTimeout: number;
  readonly trust: readonly string[];
  readonly debug?: true;
}

/** Serves the webhook over TLS, and its metrics over HTTP, until a signal. @returns the exit code. @throws {FunctionError} */
export async function admission(options: AdmissionOptions, host: Host): Promise<number> {
  const log = createLog({ debug: options.debug === true }, host.log);
  const { kubeconfig, context, lookupTimeout: timeoutMs, address, metricsAddress } = options;
  const certsDir = options.tlsCertsDir || host.env["TLS_SERVER_CERTS_DIR"];
  if (!certsDir)
    throw invalidFlags("--tls-certs-dir: give a directory of tls.crt and tls.key (or TLS_SERVER_CERTS_DIR)");
  const client = toClient(connect({ kubeconfig, context, env: host.env, requestTimeoutMs: timeoutMs }), {
    retry: { forMs: timeoutMs, firstMs: 100, maxMs: 1000 },
    onWait: ({ message }, waitMs) => log.warn("asking again", { reason: message, waitMs }),
  });
  const metrics = createMetrics();
  const reviewer = createReviewer(client, options, metrics, log);
  const certificates = loadCertificates({ certsDir, requestCert: false, log });
  const review = (request: IncomingMessage) => answerReview(reviewer, request);
  const webhook = createServer(certificates.secureContext, toListener({ "POST /validate": review }, log));
  let isStopping = false;
  const pages = {
    "GET /healthz": async (): Promise<Answer> => [200, "ok\n"],
    "GET /readyz": async (): Promise<Answer> => (isStopping ? [503, "stopping\n"] : readiness(reviewer)),
    "GET /metrics": metricsOf(metrics.registry),
  };
  const port = await listen(webhook, address, "the webhook");
  const { port: metricsPort, close: closePages } = await servePages(metricsAddress, pages, log);
  const stopReloading = certificates.reloadInto(webhook);
  log.info("serving", {
    address: addressToText({ ...address, port }),
    metricsAddress: addressToText({ ...metricsAddress, port: metricsPort }),
  });
  log.info("shutting down", { signal: await host.nextSignal() });
  isStopping = true;
  stopReloading();
  await new Promise((resolve) => webhook.close(resolve));
  closePages();
  return EXIT.fine;
}

type Reviewer = ReturnType<typeof createReviewer>;

function createReviewer(client: ApiClient, options: AdmissionOptions, metrics: Metrics, log: Log) {
  const mappings = readMappings(options.mapping);
  const trusted = new Set(options.trust);
  const read = cacheKinds(client);
  const departed: Departed = new Map();
  const answer = async (request: AdmissionRequest): Promise<Decision> => {
    if (request.operation === "DELETE") return decideDeparture(request, departed, read);
    const { declarations, doubts } = findNewDeclarations(request, mappings, trusted);
    if (declarations.length === 0) return { is: "allowed", warnings: doubts };
    const cluster = await read(declarations.map(({ query }) => query));
    return toDecision(doubts, await check(cluster, declarations), options.onConflict);
  };
  const decide = (request: AdmissionRequest): Promise<Decision> =>
    withTimeLimit(options.lookupTimeout, answer(request)).catch((error: unknown) => {
      if (!(error instanceof ClusterError)) throw error;
      log.error("cannot look up the owner of the cloud resource", { reason: error.message, onError: options.onError });
      metrics.failures.inc();
      return decideUnchecked(error.message, options.onError);
    });
  return {
    /** Reads the kinds, as a readiness check. @throws {ClusterError} where the API server does not answer. */
    prepare: () => read([]),
    review: async (request: AdmissionRequest): Promise<Decision> => {
      const end = metrics.seconds.startTimer();
      const decision = await decide(request);
      end();
      const { operation, namespace, name, dryRun } = request;
      const { is, message, warnings } = decision;
      metrics.requests.inc({ operation, decision: is === "allowed" && warnings.length > 0 ? "warned" : is });
      const fields = { operation, namespace, name, dryRun, message, warnings };
      if (is === "denied" || warnings.length > 0) log.info(`admission: ${is}`, fields);
      return decision;
    },
  };
}

/** @throws {ClusterError} `Unavailable` after the time limit: the API server waits only for timeoutSeconds. */
function withTimeLimit<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const late = sleep(timeoutMs, undefined, { ref: false }).then(() => {
    throw new ClusterError("Unavailable", `cannot look up owners: no answer in ${timeoutMs} ms`);
  });
  return Promise.race([work, late]);
}

/** An AdmissionReview holds at most two versions of an object, and etcd limits each to about 1.5 MB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

const readiness = ({ prepare }: Reviewer): Promise<Answer> =>
  prepare().then(
    () => [200, "ok\n"],
    (error: unknown) => [503, `${error instanceof Error ? error.message : String(error)}\n`],
  );

async function answerReview(reviewer: Reviewer, request: IncomingMessage): Promise<Answer> {
  const body = await readBody(request);
  if (body === undefined) return [413, `more than ${MAX_BODY_BYTES} bytes\n`];
  const asked = readAdmissionRequest(parseJson(body));
  if (asked === undefined) return [400, "no AdmissionReview of admission.k8s.io/v1 with a request\n"];
  return [200, JSON.stringify(toReview(asked.uid, await reviewer.review(asked))), "application/json"];
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

type Metrics = ReturnType<typeof createMetrics>;

const PREFIX = "function_shared_infrastructure_admission";

/** Creates the webhook's metrics. The API server's `apiserver_admission_webhook_*` add others, such as failed calls. */
function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const to = { registers: [registry] };
  const requests = new Counter({
    name: `${PREFIX}_requests_total`,
    help: "Requests answered, by operation and decision: allowed, warned or denied.",
    labelNames: ["operation", "decision"] as const,
    ...to,
  });
  const failures = new Counter({
    name: `${PREFIX}_lookup_failures_total`,
    help: "Requests whose owner could not be looked up; --on-error decides about them.",
    ...to,
  });
  const seconds = new Histogram({
    name: `${PREFIX}_duration_seconds`,
    help: "How long requests took.",
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    ...to,
  });
  return { registry, requests, failures, seconds };
}
