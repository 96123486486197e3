import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer, type Server } from "node:https";
import type { Registry } from "prom-client";
import type { Log } from "../../src/log.ts";
import { parseJson } from "../../src/model/json.ts";
import { addressToText, type TcpAddress } from "../../src/server/address.ts";
import { listen } from "../../src/server/listen.ts";
import { readCredentials } from "../../src/server/tls/credentials.ts";
import { toAdmissionRequest, toReview } from "./review.ts";
import type { Reviewer } from "./reviewer.ts";

/** An AdmissionReview holds at most two versions of an object, and etcd limits each to about 1.5 MB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

export interface ServerOptions {
  readonly address: TcpAddress;
  readonly metricsAddress: TcpAddress;
  readonly certsDir: string;
  readonly reviewer: Reviewer;
  readonly registry: Registry;
  readonly log: Log;
  readonly refreshMs?: number;
}

export interface RunningServer {
  /** The bound port. */
  readonly port: number;
  readonly metricsPort: number;
  /** Becomes unready, and resolves once all open requests are answered. */
  stop(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** @throws {FunctionError} `CannotServe` */
export async function serve(options: ServerOptions): Promise<RunningServer> {
  const { certsDir, log, address, metricsAddress, reviewer, registry, refreshMs } = options;
  const credentials = readCredentials({ certsDir, requestCert: false, log, refreshMs });
  const state = { isStopping: false };
  const pages = toPages(reviewer, registry, state);
  const review: Handler = (request, response) => answerReview(reviewer, request, response);
  const webhook = createServer(
    credentials.secureContext,
    handled(log, (request, response) =>
      request.method === "POST" && readPath(request) === "/validate"
        ? review(request, response)
        : pages(request, response),
    ),
  );
  const plain = createHttpServer(handled(log, pages));
  const port = await listen(webhook, address, "the webhook");
  const metricsPort = await listen(plain, metricsAddress, "metrics");
  const unfollow = credentials.follow(webhook);
  log.info("serving", {
    address: addressToText({ ...address, port }),
    metricsAddress: addressToText({ ...metricsAddress, port: metricsPort }),
  });
  return {
    port,
    metricsPort,
    stop: async () => {
      state.isStopping = true;
      unfollow();
      await Promise.all([close(webhook), close(plain)]);
    },
  };
}

const readPath = ({ url }: IncomingMessage): string => (url ?? "").split("?")[0] ?? "";

/** Turns a bug into a 500: the API server then applies the webhook's failurePolicy. */
const handled =
  (log: Log, handler: Handler) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    handler(request, response).catch((error: unknown) => {
      log.error("cannot answer", { path: readPath(request), reason: String(error) });
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  };

/** Serves /healthz (the process answers), /readyz (owners can be looked up, and it is not stopping) and /metrics. */
function toPages(reviewer: Reviewer, registry: Registry, state: { readonly isStopping: boolean }): Handler {
  const say = (response: ServerResponse, status: number, text: string, contentType = "text/plain"): void => {
    response.writeHead(status, { "content-type": contentType }).end(text);
  };
  return async (request, response) => {
    if (request.method !== "GET") return say(response, 404, "not found\n");
    switch (readPath(request)) {
      case "/healthz":
        return say(response, 200, "ok\n");
      case "/readyz":
        return say(response, ...(await readiness(reviewer, state.isStopping)));
      case "/metrics":
        return say(response, 200, await registry.metrics(), registry.contentType);
      default:
        return say(response, 404, "not found\n");
    }
  };
}

async function readiness(reviewer: Reviewer, isStopping: boolean): Promise<[status: number, text: string]> {
  if (isStopping) return [503, "stopping\n"];
  try {
    await reviewer.prepare();
    return [200, "ok\n"];
  } catch (error) {
    return [503, `${error instanceof Error ? error.message : String(error)}\n`];
  }
}

async function answerReview(reviewer: Reviewer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  if (body === undefined) {
    response.writeHead(413, { connection: "close" }).end(`more than ${MAX_BODY_BYTES} bytes\n`);
    return;
  }
  const admissionRequest = toAdmissionRequest(parseJson(body));
  if (admissionRequest === undefined) {
    response.writeHead(400).end("no AdmissionReview of admission.k8s.io/v1 with a request\n");
    return;
  }
  const review = toReview(admissionRequest.uid, await reviewer.review(admissionRequest));
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(review));
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function close(server: Server | HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
