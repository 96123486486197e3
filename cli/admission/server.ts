import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import type { Log } from "../../src/log.ts";
import { parseJson } from "../../src/model/json.ts";
import { addressToText, listen } from "../../src/server/address.ts";
import { readCredentials } from "../../src/server/credentials.ts";
import { type Answer, metricsOf, servePages, toListener } from "../../src/server/pages.ts";
import type { Reviewer } from "./admission.ts";
import type { AdmissionOptions } from "./command.ts";
import { type Decision, readAdmissionRequest, toReview } from "./review.ts";

/** An AdmissionReview holds at most two versions of an object, and etcd limits each to about 1.5 MB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Serves the webhook over TLS, and how it is over HTTP. @returns what stops it. @throws {FunctionError} `CannotServe` */
export async function serve(
  certsDir: string,
  { address, metricsAddress }: Pick<AdmissionOptions, "address" | "metricsAddress">,
  reviewer: Reviewer,
  { registry }: Metrics,
  log: Log,
): Promise<() => Promise<void>> {
  const credentials = readCredentials({ certsDir, requestCert: false, log });
  const state = { isStopping: false };
  const webhook = createServer(
    credentials.secureContext,
    toListener({ "POST /validate": (request) => answerReview(reviewer, request) }, log),
  );
  const pages = {
    "GET /healthz": async (): Promise<Answer> => [200, "ok\n"],
    "GET /readyz": () => readiness(reviewer, state.isStopping),
    "GET /metrics": metricsOf(registry),
  };
  const port = await listen(webhook, address, "the webhook");
  const { port: metricsPort, close: closePages } = await servePages(metricsAddress, pages, log);
  const unfollow = credentials.follow(webhook);
  log.info("serving", {
    address: addressToText({ ...address, port }),
    metricsAddress: addressToText({ ...metricsAddress, port: metricsPort }),
  });
  return async () => {
    state.isStopping = true;
    unfollow();
    await new Promise((resolve) => webhook.close(resolve));
    closePages();
  };
}

/** Ready if owners can be looked up, and it is not stopping. */
async function readiness(reviewer: Reviewer, isStopping: boolean): Promise<Answer> {
  if (isStopping) return [503, "stopping\n"];
  const fail = (error: unknown): Answer => [503, `${error instanceof Error ? error.message : String(error)}\n`];
  return reviewer.prepare().then((): Answer => [200, "ok\n"], fail);
}

async function answerReview(reviewer: Reviewer, request: IncomingMessage): Promise<Answer> {
  const body = await readBody(request);
  if (body === undefined) return [413, `more than ${MAX_BODY_BYTES} bytes\n`];
  const asked = readAdmissionRequest(parseJson(body));
  if (asked === undefined) return [400, "no AdmissionReview of admission.k8s.io/v1 with a request\n"];
  return [200, JSON.stringify(toReview(asked.uid, await reviewer.review(asked))), "application/json"];
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

export type Metrics = ReturnType<typeof createMetrics>;

const PREFIX = "function_shared_infrastructure_admission";

/** Creates the webhook's metrics. The API server's `apiserver_admission_webhook_*` add others, such as failed calls. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const to = { registers: [registry] };
  const requests = new Counter({
    name: `${PREFIX}_requests_total`,
    help: "Requests answered, by operation and decision: allowed, warned or denied.",
    labelNames: ["operation", "decision"] as const,
    ...to,
  });
  const failures = new Counter({
    name: `${PREFIX}_lookup_failures_total`,
    help: "Requests for which the registry could not be asked; --on-error decides about them.",
    ...to,
  });
  const seconds = new Histogram({
    name: `${PREFIX}_duration_seconds`,
    help: "How long requests took.",
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    ...to,
  });
  return {
    registry,
    failures,
    /** Counts and times the answer to a request. */
    observe: (operation: string, { is, warnings }: Decision, elapsedMs: number): void => {
      requests.inc({ operation, decision: is === "allowed" && warnings.length > 0 ? "warned" : is });
      seconds.observe(elapsedMs / 1000);
    },
  };
}
