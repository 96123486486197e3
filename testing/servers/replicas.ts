import { expect } from "vitest";
import { requestOf } from "../wire/messages.ts";
import { startServer } from "./process.ts";

export const CALLS_AT_A_TIME = 20;

/** An encoded request of 660 KB, like an XR's of a hundred composed resources. */
export const largeRequest = requestOf({ context: { "example.org/large": "x".repeat(660_000) } });

/** The calls of a client until it was told to stop. */
export interface Calls {
  readonly calls: number;
  readonly failures: readonly string[];
}

/** Starts to call both ports, twenty calls at a time; resolves when both are being called, with how to stop. */
export type StartCalling = (ports: readonly number[]) => Promise<() => Promise<Calls>>;

/** Starts two replicas, ends one of them while a client calls both, and expects that no call failed. */
export async function expectNoCallLost(startCalling: StartCalling): Promise<void> {
  const [leaving, staying] = await Promise.all([startServer(), startServer()]);
  const stopCalling = await startCalling([leaving.port, staying.port]);

  const code = await leaving.terminate();
  const { calls, failures } = await stopCalling();

  expect({ code, failures }).toEqual({ code: 0, failures: [] });
  expect(leaving.messages).not.toContain("the grace period is over: connections are cut off");
  expect(calls).toBeGreaterThan(2 * CALLS_AT_A_TIME);
}

/** The runs to make, which DRAIN_RUNS sets: `DRAIN_RUNS=20 npx vitest run test/server/drain`. */
export const drainRuns = Array.from({ length: Number(process.env["DRAIN_RUNS"] ?? 2) }, (_, run) => run + 1);
