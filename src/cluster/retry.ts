import { setTimeout as sleep } from "node:timers/promises";

/** The time to go on asking for, and the pace. */
export interface RetryPolicy {
  /** All attempts and the waits between them end within this; 0 asks once. */
  readonly forMs: number;
  /** Before the second attempt; doubled before each one after that. */
  readonly firstMs: number;
  readonly maxMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { forMs: 60_000, firstMs: 250, maxMs: 10_000 };

/**
 * The wait before the next attempt; undefined where the time is up.
 *
 * The server's Retry-After counts, where that is longer: it knows how busy it is.
 *
 * @param attempts how many there were.
 * @param passedMs since the first one began.
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

/** Retry-After, in seconds or as a date. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.trim() === "") return undefined;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

/** The outcome of one attempt: an answer, or why there is none yet. */
export type Attempt<T> =
  | { readonly is: "done"; readonly value: T }
  | { readonly is: "failed"; readonly error: Error; readonly retryAfterMs: number | undefined };

/**
 * Attempts until there is an answer or the time is up.
 *
 * @param onWait told what went wrong and how long is waited, for whoever watches.
 * @throws the last attempt's error.
 */
export async function insist<T>(
  attempt: () => Promise<Attempt<T>>,
  policy: RetryPolicy,
  onWait: (error: Error, waitMs: number) => void,
): Promise<T> {
  const start = Date.now();
  for (let attempts = 1; ; attempts++) {
    const came = await attempt();
    if (came.is === "done") return came.value;
    const wait = waitBefore(attempts, Date.now() - start, came.retryAfterMs, policy);
    if (wait === undefined) throw came.error;
    onWait(came.error, wait);
    await sleep(wait);
  }
}
