import { expect, test } from "vitest";
import { run } from "../../src/pipeline.ts";
import { type CallParts, callOf } from "../../testing/builders/calls.ts";
import { runFeature } from "../../testing/builders/run-feature.ts";
import { database, xr } from "../../testing/builders/sharing.ts";

const ttlOf = (parts: CallParts) => runFeature(run, callOf(parts)).ttlSeconds;
const answers = { db: [database()] };

const shop2 = { xr: xr({ metadata: { name: "shop-2" } }), sharedResources: [] };
test.each<[ttl: number | undefined, reason: string, parts: CallParts]>([
  [56, "that is the default of 60s, spread for this XR", { answers }],
  [63, "another XR is called at another time", shop2],
  [557, "the input sets 10m, spread for this XR", { answers, responseTTL: "10m" }],
  [1, "it is never less than a second", { answers, responseTTL: "1s" }],
  [undefined, "0s turns it off", { answers, responseTTL: "0s" }],
  [undefined, "v1.20 would replay a response while an answer is pending", {}],
])("the TTL of a response is %s, because %s", (ttl, _reason, parts) => {
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
