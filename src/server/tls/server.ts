import { createServer, type SecureContextOptions, type Server, type TLSSocket } from "node:tls";
import type { Log } from "../../log.ts";
import { logRefusals } from "./refusals.ts";

/** The time for a client to set up TLS. */
const HANDSHAKE_MS = 10_000;

/**
 * Creates a TLS server that accepts clients with a certificate of our CA, not yet listening.
 *
 * It is Node's and not grpc-js's, because grpc-js's credentials do not report why a client was refused, and reload certificates only
 * as an experiment, which silently drops every connection while a file is missing.
 */
export function createMutualTlsServer(
  secureContext: SecureContextOptions,
  accept: (connection: TLSSocket) => void,
  log: Log,
): Server {
  const server = createServer(
    {
      ...secureContext,
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ["h2"],
      handshakeTimeout: HANDSHAKE_MS,
      noDelay: true,
    },
    accept,
  );
  logRefusals(server, log);
  return server;
}
