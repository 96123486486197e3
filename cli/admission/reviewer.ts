import type { Log } from "../../src/log.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { ClusterError } from "../cluster/error.ts";
import type { Mapping } from "../lookup/mapping.ts";
import { check } from "../lookup/ownership.ts";
import { Departures, rememberKinds } from "./departures.ts";
import type { Reviewed } from "./metrics.ts";
import { type AdmissionRequest, type Decision, type Policy, toDecision, toInquiry, withoutAnswer } from "./review.ts";

export interface ReviewerOptions {
  readonly cluster: Cluster;
  readonly mappings: readonly Mapping[];
  /** The users whose ownership marks count. */
  readonly trusted: ReadonlySet<string>;
  readonly policy: Policy;
  readonly log: Log;
  /** The time limit of one request's look-ups; the API server waits for timeoutSeconds only. */
  readonly timeoutMs: number;
  readonly observe: (outcome: Reviewed) => void;
}

/** Answers requests from the registry. */
export interface Reviewer {
  review(request: AdmissionRequest): Promise<Decision>;
  /** Reads the kinds, as a readiness check. @throws {ClusterError} where the API server does not answer. */
  prepare(): Promise<void>;
}

export function createReviewer({
  cluster,
  mappings,
  trusted,
  policy,
  log,
  timeoutMs,
  observe,
}: ReviewerOptions): Reviewer {
  const kinds = rememberKinds(cluster);
  const departures = new Departures(cluster, kinds);
  const answer = async (request: AdmissionRequest): Promise<Decision> => {
    if (request.operation === "DELETE") return within(timeoutMs, departures.decide(request));
    const inquiry = toInquiry(request, mappings, trusted);
    const { declarations } = inquiry;
    const ask = async () => check(cluster, await kinds(declarations.map(({ query }) => query)), declarations);
    const checked = declarations.length === 0 ? [] : await within(timeoutMs, ask());
    return toDecision(inquiry, checked, policy);
  };
  const decide = async (request: AdmissionRequest) => {
    try {
      return { decision: await answer(request), failed: false };
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      log.error("cannot look up who owns it", { reason: error.message, onError: policy.onError });
      return { decision: withoutAnswer(error.message, policy), failed: true };
    }
  };
  return {
    prepare: async () => {
      await kinds([]);
    },
    review: async (request) => {
      const start = performance.now();
      const { decision, failed } = await decide(request);
      observe({ operation: request.operation, decision, failed, seconds: (performance.now() - start) / 1000 });
      const { operation, namespace, name, dryRun } = request;
      const fields = { operation, namespace, name, dryRun, message: decision.message, warnings: decision.warnings };
      if (decision.is === "denied" || decision.warnings.length > 0) log.info(`admission: ${decision.is}`, fields);
      return decision;
    },
  };
}

/** @throws {ClusterError} `Unavailable` after the time limit. */
async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new ClusterError("Unavailable", `cannot look up owners: no answer in ${timeoutMs} ms`);
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  work.catch(() => {}); // or a late failure would be an unhandled rejection
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
