import { createLog } from "../../src/log.ts";
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
  const { kubeconfig, context, lookupTimeout: timeoutMs } = options;
  const certsDir = options.tlsCertsDir || host.env["TLS_SERVER_CERTS_DIR"];
  if (!certsDir)
    throw invalidFlags("--tls-certs-dir: give a directory of tls.crt and tls.key (or TLS_SERVER_CERTS_DIR)");
  const mappings = readMappings(options.mapping);
  const client = toClient(connect({ kubeconfig, context, env: host.env, requestTimeoutMs: timeoutMs }), {
    retry: { forMs: timeoutMs, firstMs: 100, maxMs: 1000 },
    onWait: ({ message }, waitMs) => log.warn("asking again", { reason: message, waitMs }),
  });
  const metrics = createMetrics();
  const stop = await serve(certsDir, options, createReviewer(client, mappings, options, metrics, log), metrics, log);
  log.info("shutting down", { signal: await host.nextSignal() });
  await stop();
  return EXIT.fine;
}
