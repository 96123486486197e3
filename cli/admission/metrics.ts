import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import type { Decision } from "./review.ts";

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
