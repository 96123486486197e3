import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Registry } from "prom-client";

export interface Pages {
  readonly registry: Registry;
  /** False once the server shuts down. */
  readonly isReady: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** Creates an HTTP server for GET /metrics and GET /readyz, not yet listening. */
export function createMetricsServer(pages: Pages): Server {
  return createServer((request, response) => {
    answer(pages, request, response).catch((error: unknown) => {
      pages.onError(error);
      response.writeHead(500).end();
    });
  });
}

async function answer(pages: Pages, { method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  const { registry, isReady } = pages;
  const [path = ""] = (url ?? "").split("?");
  if (method === "GET" && path === "/metrics") {
    const text = await registry.metrics();
    response.writeHead(200, { "content-type": registry.contentType }).end(text);
  } else if (method === "GET" && path === "/readyz") {
    response.writeHead(isReady() ? 200 : 503, { "content-type": "text/plain" }).end(isReady() ? "ok\n" : "draining\n");
  } else {
    response.writeHead(404).end();
  }
}
