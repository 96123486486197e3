import { Socket } from "node:net";
import type { Server, TLSSocket } from "node:tls";
import type { Log } from "../../log.ts";

/**
 * Logs why TLS refused a client: an XR whose function cannot be reached has no conditions at all for minutes, and Crossplane's
 * log says "connection reset". A client that hangs up without a word, as a TCP probe does, is a debug line.
 */
export function logRefusals(server: Server, log: Log): void {
  // A socket remembers an address that somebody asked for, also when it is closed.
  server.on("connection", (socket: Socket) => void socket.remoteAddress);
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    const reason = reasonOf(error, socket);
    const client = addressOf(socket);
    if (reason === undefined) log.debug("client hung up before TLS was set up", { client });
    else log.warn("client refused", { client, reason });
  });
}

/** TLS forgets the address when it closes a connection; the TCP socket below, a private field of Node's, has it still. */
function addressOf(socket: TLSSocket): string | undefined {
  const below: unknown = "_parent" in socket ? socket._parent : undefined;
  return socket.remoteAddress ?? (below instanceof Socket ? below.remoteAddress : undefined);
}

/** A certificate that is not accepted is in `authorizationError`; the error then says only that the socket was closed. */
function reasonOf(error: NodeJS.ErrnoException, { authorizationError }: TLSSocket): string | undefined {
  if (authorizationError) return String(authorizationError);
  return error.code === "ECONNRESET" ? undefined : (error.code ?? error.message);
}
