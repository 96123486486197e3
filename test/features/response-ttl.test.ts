import { expect, test } from "vitest";
import { run } from "../../src/pipeline.ts";
import { runFeature } from "../../testing/builders/run-feature.ts";
import { type CallParts, callOf, database, xr } from "../../testing/builders/sharing.ts";

const ttlOf = (parts: CallParts) => runFeature(run, callOf(parts)).ttlSeconds;
const answers = { db: [database()] };

test.each<CallParts & { reason: string; ttl: number | undefined }>([
  { reason: "that is the default of 60s, spread for this XR", answers, ttl: 56 },
  { reason: "the same XR always has the same one", answers, ttl: 56 },
  {
    reason: "another XR is called at another time",
    xr: xr({ metadata: { name: "shop-2" } }),
    sharedResources: [],
    ttl: 63,
  },
  { reason: "the input sets 10m, spread for this XR", answers, responseTTL: "10m", ttl: 557 },
  { reason: "it is never less than a second", answers, responseTTL: "1s", ttl: 1 },
  { reason: "0s turns it off", answers, responseTTL: "0s", ttl: undefined },
  { reason: "v1.20 would replay a response while an answer is pending", ttl: undefined },
])("the TTL of a response is $ttl, because $reason", ({ reason: _, ttl, ...parts }) => {
  expect(ttlOf(parts)).toBe(ttl);
});

test("the TTL of a response is spread over the whole of 10 % around the input's, and stays within it", () => {
  const ttls = Array.from({ length: 500 }, (_, i) =>
    ttlOf({ sharedResources: [], responseTTL: "1000s", xr: xr({ metadata: { name: `shop-${i}` } }) }),
  ).map(Number);
  expect(Math.min(...ttls)).toBeGreaterThanOrEqual(900);
  expect(Math.min(...ttls)).toBeLessThan(910);
  expect(Math.max(...ttls)).toBeLessThanOrEqual(1100);
  expect(Math.max(...ttls)).toBeGreaterThan(1090);
});
