import { createLog, type Log } from "../../src/log.ts";
import { toClient } from "../cluster/cluster.ts";
import { connect } from "../cluster/connection.ts";
import { EXIT, invalidFlags } from "../command.ts";
import { readMappings } from "../files.ts";
import type { Host } from "../host.ts";
import type { AdmissionOptions } from "./command.ts";
import { createMetrics } from "./metrics.ts";
import { createReviewer } from "./reviewer.ts";
import { serve } from "./server.ts";

/** Serves the webhook until a signal. @returns the exit code. */
export async function admission(options: AdmissionOptions, host: Host): Promise<number> {
  const log = createLog({ debug: options.debug === true }, host.log);
  const stop = await start(options, log, host.env);
  log.info("shutting down", { signal: await host.nextSignal() });
  await stop();
  return EXIT.fine;
}

function start(options: AdmissionOptions, log: Log, env: Host["env"]): Promise<() => Promise<void>> {
  const { kubeconfig, context, lookupTimeout: timeoutMs, address, metricsAddress } = options;
  const certsDir = options.tlsCertsDir || env["TLS_SERVER_CERTS_DIR"];
  if (!certsDir)
    throw invalidFlags("--tls-certs-dir: give a directory of tls.crt and tls.key (or TLS_SERVER_CERTS_DIR)");
  const mappings = readMappings(options.mapping);
  const client = toClient(connect({ kubeconfig, context, env, requestTimeoutMs: timeoutMs }), {
    retry: { forMs: timeoutMs, firstMs: 100, maxMs: 1000 },
    onWait: ({ message }, waitMs) => log.warn("asking again", { reason: message, waitMs }),
  });
  const { registry, observe } = createMetrics();
  const trusted = new Set(options.trust);
  const reviewer = createReviewer({ client, mappings, trusted, policy: options, log, timeoutMs, observe });
  return serve({ address, metricsAddress, certsDir, reviewer, registry, log });
}
