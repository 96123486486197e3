import { setTimeout as sleep } from "node:timers/promises";

/** The time limit and the pace of repeated requests. */
export interface RetryPolicy {
  /** Time limit for all attempts and waits; 0 allows one attempt. */
  readonly forMs: number;
  /** The wait before the second attempt; doubled for each later one. */
  readonly firstMs: number;
  readonly maxMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { forMs: 60_000, firstMs: 250, maxMs: 10_000 };

/**
 * Calculates the wait before the next attempt: exponential backoff, or the server's Retry-After if that is longer. Undefined if the
 * time is up.
 *
 * @param attempts the number of attempts so far.
 * @param passedMs the time since the first attempt began.
 */
export function waitBefore(
  attempts: number,
  passedMs: number,
  retryAfterMs: number | undefined,
  { forMs, firstMs, maxMs }: RetryPolicy,
): number | undefined {
  const backoff = Math.min(maxMs, firstMs * 2 ** (attempts - 1));
  const wait = Math.max(backoff, retryAfterMs ?? 0);
  return passedMs + wait > forMs ? undefined : wait;
}

/** Parses Retry-After, which has seconds or a date. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.trim() === "") return undefined;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

/** The outcome of one attempt: an answer, or a failure that may pass. */
export type Attempt<T> =
  | { readonly is: "done"; readonly value: T }
  | { readonly is: "failed"; readonly error: Error; readonly retryAfterMs: number | undefined };

/**
 * Repeats attempts until there is an answer or the time is up.
 *
 * @param onWait called with the failure and the wait before each further attempt.
 * @throws the last attempt's error.
 */
export async function insist<T>(
  attempt: () => Promise<Attempt<T>>,
  policy: RetryPolicy,
  onWait: (error: Error, waitMs: number) => void,
): Promise<T> {
  const start = Date.now();
  for (let attempts = 1; ; attempts++) {
    const outcome = await attempt();
    if (outcome.is === "done") return outcome.value;
    const wait = waitBefore(attempts, Date.now() - start, outcome.retryAfterMs, policy);
    if (wait === undefined) throw outcome.error;
    onWait(outcome.error, wait);
    await sleep(wait);
  }
}
