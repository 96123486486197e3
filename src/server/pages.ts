import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo, Server } from "node:net";
import type { Registry } from "prom-client";
import { FunctionError, toMessage } from "../errors.ts";
import type { Log } from "../log.ts";
import { addressToText, type TcpAddress } from "./config.ts";

/** An answer; plain text unless it has a content type. */
export type Answer = readonly [status: number, body: string, contentType?: string];

/** The handlers of HTTP requests by method and path, such as `GET /metrics`. */
export type Pages = Readonly<Record<string, (request: IncomingMessage) => Promise<Answer>>>;

export const metricsOf = (registry: Registry) => async (): Promise<Answer> => [
  200,
  await registry.metrics(),
  registry.contentType,
];

/** Answers requests by pages, and with 500 if a page throws: for a webhook the API server then applies its failurePolicy. */
export function toListener(pages: Pages, log: Log): RequestListener {
  return async (request, response) => {
    const [path] = (request.url ?? "").split("?");
    const fail = (error: unknown): Answer => {
      log.error("cannot answer an HTTP request", { error: String(error) });
      return [500, ""];
    };
    const answer = await pages[`${request.method} ${path}`]?.(request).catch(fail);
    const [status, body, contentType = "text/plain"] = answer ?? [404, "not found\n"];
    const headers = { "content-type": contentType, ...(status === 413 && { connection: "close" }) };
    response.writeHead(status, headers).end(body);
  };
}

/** Serves pages over HTTP; `close` also cuts off open connections. @throws {FunctionError} `CannotServe` for an address that cannot be bound. */
export async function servePages(address: TcpAddress, pages: Pages, log: Log) {
  const server = createServer(toListener(pages, log));
  const port = await listen(server, address, "metrics");
  server.on("error", (error) => log.error("cannot accept a connection for metrics", { error: String(error) }));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { port, close };
}

/** Makes an HTTP server listen. @returns the port. @throws {FunctionError} `CannotServe` for an address that cannot be bound. */
export async function listen(server: Server, address: TcpAddress, purpose: string): Promise<number> {
  try {
    server.listen({ ...address });
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  } catch (cause) {
    throw cannotListen(purpose, address, cause);
  }
}

export function cannotListen(purpose: string, address: TcpAddress, cause: unknown): FunctionError {
  const message = toMessage(cause);
  const reason = /errors: \[(.*)\]$/.exec(message)?.[1] ?? message; // grpc-js has a list of them
  return new FunctionError("CannotServe", `cannot listen for ${purpose} at ${addressToText(address)}: ${reason}`, {
    cause,
  });
}
