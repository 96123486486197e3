import { expect, test } from "vitest";
import { run } from "../../src/pipeline.ts";
import { type CallParts, callOf, database, xr } from "../../testing/builders/sharing.ts";

const ttlOf = (parts: CallParts) => run(callOf(parts)).ttlSeconds;
const answers = { db: [database()] };

test.each<CallParts & { reason: string; ttl: number | undefined }>([
  { reason: "the default, for this XR", answers, ttl: 56 },
  { reason: "the same for the same XR", answers, ttl: 56 },
  {
    reason: "another XR is called at another time",
    xr: xr({ metadata: { name: "shop-2" } }),
    sharedResources: [],
    ttl: 63,
  },
  { reason: "as the input says", answers, responseTTL: "10m", ttl: 557 },
  { reason: "never less than a second", answers, responseTTL: "1s", ttl: 1 },
  { reason: "none", answers, responseTTL: "0s", ttl: undefined },
  { reason: "none while an answer is pending: v1.20 would replay this one", ttl: undefined },
])("$reason: $ttl", ({ reason: _, ttl, ...parts }) => {
  expect(ttlOf(parts)).toBe(ttl);
});

test("stays within 10 %, spread over the whole of it", () => {
  const ttls = Array.from({ length: 500 }, (_, i) =>
    ttlOf({ sharedResources: [], responseTTL: "1000s", xr: xr({ metadata: { name: `shop-${i}` } }) }),
  ).map(Number);
  expect(Math.min(...ttls)).toBeGreaterThanOrEqual(900);
  expect(Math.min(...ttls)).toBeLessThan(910);
  expect(Math.max(...ttls)).toBeLessThanOrEqual(1100);
  expect(Math.max(...ttls)).toBeGreaterThan(1090);
});
