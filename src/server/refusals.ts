import type { EventEmitter } from "node:events";
import { TLSSocket } from "node:tls";
import type { Log } from "../log.ts";

/**
 * Logs why TLS refused a client: an XR whose function cannot be reached has no conditions at all for minutes, and Crossplane's
 * log says "connection reset". Who hangs up without a word, as a TCP probe does, is not worth a warning.
 */
export function logRefusals(server: EventEmitter, log: Log): void {
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    const reason = reasonOf(error, socket);
    const client = socket.remoteAddress;
    if (reason === undefined) log.debug("client hung up before TLS was set up", { client });
    else log.warn("client refused", { client, reason });
  });
}

/** A certificate that does not convince is in `authorizationError`; the error then tells only that the socket was closed. */
function reasonOf(error: NodeJS.ErrnoException, socket: TLSSocket): string | undefined {
  const authorizationError: unknown = socket instanceof TLSSocket ? socket.authorizationError : undefined;
  if (authorizationError) return String(authorizationError);
  return error.code === "ECONNRESET" ? undefined : (error.code ?? error.message);
}
