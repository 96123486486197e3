import { setTimeout as sleep } from "node:timers/promises";
import { createLog, type Log } from "../../src/log.ts";
import { type ApiClient, toClient } from "../cluster/cluster.ts";
import { connect } from "../cluster/connection.ts";
import { ClusterError } from "../cluster/error.ts";
import { EXIT, invalidFlags } from "../command.ts";
import { readMappings } from "../files.ts";
import type { Host } from "../host.ts";
import { check } from "../lookup/ownership.ts";
import type { AdmissionOptions } from "./command.ts";
import { type Departed, decideDeparture, rememberKinds } from "./departures.ts";
import { type AdmissionRequest, type Decision, toDecision, toInquiry, withoutAnswer } from "./review.ts";
import { createMetrics, type Metrics, serve } from "./server.ts";

/** Serves the webhook until a signal. @returns the exit code. */
export async function admission(options: AdmissionOptions, host: Host): Promise<number> {
  const log = createLog({ debug: options.debug === true }, host.log);
  const { kubeconfig, context, lookupTimeout: timeoutMs } = options;
  const certsDir = options.tlsCertsDir || host.env["TLS_SERVER_CERTS_DIR"];
  if (!certsDir)
    throw invalidFlags("--tls-certs-dir: give a directory of tls.crt and tls.key (or TLS_SERVER_CERTS_DIR)");
  const client = toClient(connect({ kubeconfig, context, env: host.env, requestTimeoutMs: timeoutMs }), {
    retry: { forMs: timeoutMs, firstMs: 100, maxMs: 1000 },
    onWait: ({ message }, waitMs) => log.warn("asking again", { reason: message, waitMs }),
  });
  const metrics = createMetrics();
  const stop = await serve(certsDir, options, createReviewer(client, options, metrics, log), metrics, log);
  log.info("shutting down", { signal: await host.nextSignal() });
  await stop();
  return EXIT.fine;
}

export type Reviewer = ReturnType<typeof createReviewer>;

/** Answers requests from the registry. */
function createReviewer(client: ApiClient, options: AdmissionOptions, metrics: Metrics, log: Log) {
  const mappings = readMappings(options.mapping);
  const trusted = new Set(options.trust);
  const read = rememberKinds(client);
  const departed: Departed = new Map();
  const answer = async (request: AdmissionRequest): Promise<Decision> => {
    if (request.operation === "DELETE") return decideDeparture(request, departed, read);
    const inquiry = toInquiry(request, mappings, trusted);
    const { declarations, doubts } = inquiry;
    if (declarations.length === 0) return { is: "allowed", warnings: doubts };
    const cluster = await read(declarations.map(({ query }) => query));
    return toDecision(inquiry, await check(cluster, declarations), options.onConflict);
  };
  const decide = (request: AdmissionRequest): Promise<Decision> =>
    within(options.lookupTimeout, answer(request)).catch((error: unknown) => {
      if (!(error instanceof ClusterError)) throw error;
      log.error("cannot look up who owns it", { reason: error.message, onError: options.onError });
      metrics.failures.inc();
      return withoutAnswer(error.message, options.onError);
    });
  return {
    /** Reads the kinds, as a readiness check. @throws {ClusterError} where the API server does not answer. */
    prepare: () => read([]),
    review: async (request: AdmissionRequest): Promise<Decision> => {
      const start = performance.now();
      const decision = await decide(request);
      const { operation, namespace, name, dryRun } = request;
      metrics.observe(operation, decision, performance.now() - start);
      const fields = { operation, namespace, name, dryRun, message: decision.message, warnings: decision.warnings };
      if (decision.is === "denied" || decision.warnings.length > 0) log.info(`admission: ${decision.is}`, fields);
      return decision;
    },
  };
}

/** @throws {ClusterError} `Unavailable` after the time limit: the API server waits for timeoutSeconds only. */
function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const late = sleep(timeoutMs, undefined, { ref: false }).then(() => {
    throw new ClusterError("Unavailable", `cannot look up owners: no answer in ${timeoutMs} ms`);
  });
  return Promise.race([work, late]);
}
