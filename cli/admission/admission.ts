import { createLog, type Log } from "../../src/log.ts";
import type { TcpAddress } from "../../src/server/address.ts";
import { toCluster } from "../cluster/cluster.ts";
import { connect } from "../cluster/connection.ts";
import { DURATION, EXIT, explainClusterError } from "../cluster.ts";
import type { CommandLine } from "../command-line.ts";
import type { Host } from "../host.ts";
import { readMappings } from "../mappings.ts";
import { toRun } from "../run.ts";
import { toMilliseconds, toTcpAddress } from "../values.ts";
import { admissionCommand } from "./command.ts";
import { createMetrics } from "./metrics.ts";
import type { Policy } from "./review.ts";
import { createReviewer } from "./reviewer.ts";
import { type RunningServer, serve } from "./server.ts";

/** `admission`: serves the webhook until a signal. */
export const run = toRun(
  admissionCommand,
  async (line, host) => {
    const options = readOptions(line);
    const log = createLog(options, host.log);
    const server = await start(options, log, host.env);
    log.info("shutting down", { signal: await host.nextSignal() });
    await server.stop();
    return EXIT.fine;
  },
  explainClusterError,
);

interface Options extends Policy {
  readonly mappings: readonly string[];
  readonly address: TcpAddress;
  readonly metricsAddress: TcpAddress;
  readonly certsDir: string;
  readonly lookupTimeoutMs: number;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly debug: boolean;
}

const ADDRESS = "an address such as :8443, 127.0.0.1:8443 or [::1]:8443";

/** @throws {FunctionError} `InvalidFlags` */
function readOptions(line: CommandLine<(typeof admissionCommand)["flags"][number]["name"]>): Options {
  line.expectNoMoreArguments();
  return line.finish({
    mappings: line.texts("mapping"),
    address: line.value("address", (text) => toTcpAddress(text), ADDRESS),
    metricsAddress: line.value("metrics-address", (text) => toTcpAddress(text), ADDRESS),
    certsDir: line.value(
      "tls-certs-dir",
      (text) => text || undefined,
      "a directory of tls.crt and tls.key (or TLS_SERVER_CERTS_DIR)",
    ),
    onConflict: line.choice("on-conflict", ["deny", "warn"]),
    onError: line.choice("on-error", ["allow", "deny"]),
    lookupTimeoutMs: line.value("lookup-timeout", toMilliseconds, DURATION),
    kubeconfig: line.optionalText("kubeconfig"),
    context: line.optionalText("context"),
    debug: line.isOn("debug"),
  });
}

function start(options: Options, log: Log, env: Host["env"]): Promise<RunningServer> {
  const { kubeconfig, context, lookupTimeoutMs: timeoutMs, address, metricsAddress, certsDir } = options;
  const mappings = readMappings(options.mappings);
  const cluster = toCluster(connect({ kubeconfig, context, env, requestTimeoutMs: timeoutMs }), {
    retry: { forMs: timeoutMs, firstMs: 100, maxMs: 1000 },
    onWait: ({ message }, waitMs) => log.warn("asking again", { reason: message, waitMs }),
  });
  const { registry, observe } = createMetrics();
  const reviewer = createReviewer({ cluster, mappings, policy: options, log, timeoutMs, observe });
  return serve({ address, metricsAddress, certsDir, reviewer, registry, log });
}
