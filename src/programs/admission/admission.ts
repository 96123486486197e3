import type { Writable } from "node:stream";
import { toCluster } from "../../cluster/cluster.ts";
import { connect } from "../../cluster/connection.ts";
import type { Environment } from "../../config/read-flags.ts";
import { type Address, toAddress } from "../../config/values.ts";
import { FunctionError } from "../../errors.ts";
import { createLog } from "../../log.ts";
import { readMappings } from "../mappings.ts";
import { clusterFlags, durationOf, EXIT, type Io, invalidFlag, oneOf, parseFlags, runProgram } from "../program.ts";
import { help } from "./help.ts";
import { createMetrics } from "./metrics.ts";
import { createReviewer } from "./reviewer.ts";
import { type RunningServer, serve } from "./server.ts";

const { kubeconfig, context, help: helpFlag } = clusterFlags;

const flags = {
  kubeconfig,
  context,
  help: helpFlag,
  mapping: { type: "string", short: "m", multiple: true },
  address: { type: "string" },
  "metrics-address": { type: "string" },
  "tls-certs-dir": { type: "string" },
  "on-conflict": { type: "string" },
  "on-error": { type: "string" },
  "lookup-timeout": { type: "string" },
  debug: { type: "boolean" },
} as const;

type Flags = ReturnType<typeof parse>["values"];

const parse = (args: readonly string[]) => parseFlags(args, flags);

/** What a server has to do with the world beside a program's streams. */
export interface ServerIo extends Io {
  readonly env: Environment;
  /** Settles when the server is to end, with why. */
  readonly stopped: Promise<string>;
  readonly log: Writable;
  /** Told where it listens. */
  readonly onServing?: (server: RunningServer) => void;
}

/** `admission …`. @returns the exit code, when it was told to end. */
export const admission = (args: readonly string[], io: ServerIo): Promise<number> =>
  runProgram("admission", io, async () => {
    const { values, positionals } = parse(args);
    if (values.help) {
      io.out(help);
      return EXIT.fine;
    }
    if (positionals.length > 0) {
      throw new FunctionError("InvalidFlags", `cannot use the command line: unexpected ${positionals.join(" ")}`);
    }
    const log = createLog({ debug: values.debug === true }, io.log);
    const server = await start(values, io, log);
    io.onServing?.(server);
    log.info("shutting down", { signal: await io.stopped });
    await server.stop();
    return EXIT.fine;
  });

function start(values: Flags, io: ServerIo, log: ReturnType<typeof createLog>): Promise<RunningServer> {
  const policy = {
    onConflict: oneOf("on-conflict", values["on-conflict"], ["deny", "warn"]),
    onError: oneOf("on-error", values["on-error"], ["allow", "deny"]),
  };
  const certsDir = values["tls-certs-dir"] || io.env["TLS_SERVER_CERTS_DIR"];
  if (!certsDir) throw invalidFlag("tls-certs-dir", "a directory of tls.crt and tls.key (or TLS_SERVER_CERTS_DIR)", "");
  const addresses = {
    address: addressOf("address", values.address ?? ":8443"),
    metricsAddress: addressOf("metrics-address", values["metrics-address"] ?? ":8080"),
  };
  const mappings = readMappings(values.mapping ?? []);
  const forMs = durationOf("lookup-timeout", values["lookup-timeout"], 4000);
  const connection = connect({ kubeconfig: values.kubeconfig, context: values.context, requestTimeoutMs: forMs });
  const cluster = toCluster(connection, {
    retry: { forMs, firstMs: 100, maxMs: 1000 },
    onWait: ({ message }, waitMs) => log.warn("asking again", { reason: message, waitMs }),
  });
  const metrics = createMetrics();
  const reviewer = createReviewer({ cluster, mappings, policy, log, timeoutMs: forMs, observe: metrics.observe });
  return serve({ ...addresses, certsDir, reviewer, registry: metrics.registry, log });
}

function addressOf(flag: string, text: string): Address {
  const address = toAddress(text, "tcp");
  if (address !== undefined) return address;
  throw invalidFlag(flag, "an address such as :8443, 127.0.0.1:8443 or [::1]:8443", text);
}
