import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Registry } from "prom-client";
import type { Log } from "../log.ts";
import { listen, type TcpAddress } from "./address.ts";

interface Pages {
  readonly registry: Registry;
  /** False once the server shuts down. */
  readonly isReady: () => boolean;
  readonly log: Log;
}

/**
 * Serves GET /metrics and GET /readyz over HTTP.
 *
 * @returns the bound port, and a function that stops listening and cuts off open connections.
 * @throws {FunctionError} `CannotServe` for an address that cannot be bound.
 */
export async function serveMetrics(address: TcpAddress, pages: Pages) {
  const server = createServer((request, response) => {
    answer(pages, request, response).catch((error: unknown) => {
      pages.log.error("cannot answer a request for metrics", { error: String(error) });
      response.writeHead(500).end();
    });
  });
  const port = await listen(server, address, "metrics");
  server.on("error", (error) => pages.log.error("cannot accept a connection for metrics", { error: String(error) }));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { port, close };
}

async function answer({ registry, isReady }: Pages, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = ""] = (request.url ?? "").split("?");
  if (request.method === "GET" && path === "/metrics") {
    const text = await registry.metrics();
    response.writeHead(200, { "content-type": registry.contentType }).end(text);
  } else if (request.method === "GET" && path === "/readyz") {
    response.writeHead(isReady() ? 200 : 503, { "content-type": "text/plain" }).end(isReady() ? "ok\n" : "draining\n");
  } else {
    response.writeHead(404).end();
  }
}
