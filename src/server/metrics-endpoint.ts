import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Registry } from "prom-client";

/** An HTTP server that knows one page: GET /metrics. Not yet listening. */
export function createMetricsServer(registry: Registry, onError: (error: unknown) => void): Server {
  return createServer((request, response) => {
    answer(registry, request, response).catch((error: unknown) => {
      onError(error);
      response.writeHead(500).end();
    });
  });
}

async function answer(registry: Registry, { method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path] = (url ?? "").split("?");
  if (method !== "GET" || path !== "/metrics") {
    response.writeHead(404).end();
    return;
  }
  const text = await registry.metrics();
  response.writeHead(200, { "content-type": registry.contentType }).end(text);
}
