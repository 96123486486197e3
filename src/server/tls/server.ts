import { createServer, type SecureContextOptions, type Server, type TLSSocket } from "node:tls";
import type { Log } from "../../log.ts";
import { logRefusals } from "./refusals.ts";

/** The time for a client to set up TLS. */
const HANDSHAKE_MS = 10_000;

/**
 * A server that gives away a connection once its client has shown a certificate of our authority. Not yet listening.
 *
 * Node's own and not grpc-js's: grpc-js's credentials do not say why a client was refused, and have certificates that
 * change as an experiment only, which drops every connection without a word while a file is missing.
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
