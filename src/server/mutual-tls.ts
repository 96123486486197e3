import type { EventEmitter } from "node:events";
import { Socket } from "node:net";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import { ServerCredentials } from "@grpc/grpc-js";
import type { Log } from "../log.ts";

/**
 * Credentials that require a client certificate of the CA. The server's certificates can be replaced while it runs.
 *
 * grpc-js's own credentials for changing files are experimental, and drop every connection while a file is missing.
 */
export class MutualTlsCredentials extends ServerCredentials {
  constructor(context: SecureContextOptions) {
    super({ requestCert: true, rejectUnauthorized: true }, context);
  }

  setSecureContext(context: SecureContextOptions): void {
    this.updateSecureContextOptions(context);
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/** Logs why TLS refused a client: Crossplane's log only says "connection reset". TCP probes are logged at level debug. */
export function logRefusals(server: EventEmitter, log: Log): void {
  // Node keeps the address of a closed socket only if it was read before.
  server.on("connection", (socket: Socket) => void socket.remoteAddress);
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    const reason = findReason(error, socket);
    const client = findAddress(socket);
    if (reason === undefined) log.debug("client closed the connection before TLS was set up", { client });
    else log.warn("TLS handshake failed", { client, reason });
  });
}

/** Finds the client's address. A closed TLS socket has lost it; the TCP socket in a private field of Node's still has it. */
function findAddress(socket: TLSSocket): string | undefined {
  const below: unknown = "_parent" in socket ? socket._parent : undefined;
  return socket.remoteAddress ?? (below instanceof Socket ? below.remoteAddress : undefined);
}

/** Finds the reason; undefined for a TCP probe. `authorizationError` has it if the certificate was refused. */
function findReason(error: NodeJS.ErrnoException, { authorizationError }: TLSSocket): string | undefined {
  if (authorizationError) return String(authorizationError);
  return error.code === "ECONNRESET" ? undefined : (error.code ?? error.message);
}
