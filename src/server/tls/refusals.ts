import { Socket } from "node:net";
import type { Server, TLSSocket } from "node:tls";
import type { Log } from "../../log.ts";

/**
 * Logs why TLS refused a client, since Crossplane's log only says "connection reset". A client that closes the connection without
 * sending anything, as a TCP probe does, is logged at level debug.
 */
export function logRefusals(server: Server, log: Log): void {
  // Node keeps a socket's address after it is closed if it was read before.
  server.on("connection", (socket: Socket) => void socket.remoteAddress);
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    const reason = findReason(error, socket);
    const client = findAddress(socket);
    if (reason === undefined) log.debug("client closed the connection before TLS was set up", { client });
    else log.warn("client refused", { client, reason });
  });
}

/** Finds the client's address. A closed TLS socket has lost it; the TCP socket below, a private field of Node's, still has it. */
function findAddress(socket: TLSSocket): string | undefined {
  const below: unknown = "_parent" in socket ? socket._parent : undefined;
  return socket.remoteAddress ?? (below instanceof Socket ? below.remoteAddress : undefined);
}

/** Finds the reason. For a refused certificate it is in `authorizationError`, and the error only says that the socket was closed. */
function findReason(error: NodeJS.ErrnoException, { authorizationError }: TLSSocket): string | undefined {
  if (authorizationError) return String(authorizationError);
  return error.code === "ECONNRESET" ? undefined : (error.code ?? error.message);
}
