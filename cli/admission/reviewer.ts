import type { Log } from "../../src/log.ts";
import type { ApiClient } from "../cluster/cluster.ts";
import { ClusterError } from "../cluster/error.ts";
import type { Mapping } from "../lookup/mapping.ts";
import { check } from "../lookup/ownership.ts";
import { Departures, rememberKinds } from "./departures.ts";
import type { Reviewed } from "./metrics.ts";
import { type AdmissionRequest, type Decision, type Policy, toDecision, toInquiry, withoutAnswer } from "./review.ts";

export interface ReviewerOptions {
  readonly client: ApiClient;
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

export function createReviewer(options: ReviewerOptions): Reviewer {
  const { client, mappings, trusted, policy, log, timeoutMs, observe } = options;
  const read = rememberKinds(client);
  const departures = new Departures(read);
  const answer = async (request: AdmissionRequest): Promise<Decision> => {
    if (request.operation === "DELETE") return departures.decide(request);
    const inquiry = toInquiry(request, mappings, trusted);
    const { declarations } = inquiry;
    if (declarations.length === 0) return toDecision(inquiry, [], policy);
    const cluster = await read(declarations.map(({ query }) => query));
    return toDecision(inquiry, await check(cluster, declarations), policy);
  };
  const decide = async (request: AdmissionRequest) => {
    try {
      return { decision: await within(timeoutMs, answer(request)), failed: false };
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      log.error("cannot look up who owns it", { reason: error.message, onError: policy.onError });
      return { decision: withoutAnswer(error.message, policy), failed: true };
    }
  };
  return {
    prepare: async () => {
      await read([]);
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
