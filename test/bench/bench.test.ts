import { expect, test } from "vitest";
import { copyInto, serving } from "../../bench/cost/consumers.ts";
import { isMet } from "../../bench/report.ts";
import { lastCall } from "../../bench/requests/last-call.ts";
import { ownedTagRequests, selectRequests, tagRequests } from "../../bench/requests/peers.ts";
import { idleRequest, requestOf, smallRequest } from "../../bench/requests/requests.ts";
import { exponentOf } from "../../bench/rig/statistics.ts";
import { runFunction } from "../../src/run-function.ts";
import { readRequest } from "../../src/wire/request.ts";
import { ALLOWED } from "../../testing/builders/sharing.ts";

test("a request has as many resources as it says, of the size that the tables name", () => {
  const { observed, desired } = readRequest(requestOf(100));
  expect([observed.resources.size, desired.resources.size]).toEqual([100, 100]);
  expect(readRequest(selectRequests(20, 100).theirs).required("shared")).toMatchObject({ items: { length: 20 } });
  const kilobytes = [smallRequest(), requestOf(21), requestOf(100), requestOf(500)].map(({ length }) =>
    Math.round(length / 1000),
  );
  expect(kilobytes).toEqual([3, 144, 681, 3402]);
});

test.each([
  { name: "no section turned on", request: idleRequest(10) },
  { name: "tags", request: tagRequests(10).ours },
  { name: "tags and ownership", request: ownedTagRequests(10).ours },
  { name: "select", request: selectRequests(10, 10).ours },
])("$name: what is timed does its work", ({ request }) => {
  const { results, conditions } = runFunction(request);
  expect(results.filter(({ severity }) => severity === "Fatal")).toEqual([]);
  expect(conditions.map(({ reason }) => reason)).not.toContain("WaitingForRequiredResources");
});

test("a thousand consumers with the longest names, each with a credential, fit into an answer", () => {
  const namespaces = Array.from({ length: 1000 }, (_, index) => `${"n".repeat(58)}-${index + 1000}`);
  const cluster = namespaces.map((namespace) => copyInto(namespace, "s".repeat(253)));
  const request = lastCall(serving({ [ALLOWED]: namespaces.join(",") }, { cluster }));
  const { response, conditions } = runFunction(request);
  expect(conditions.map(({ type, reason }) => `${type} ${reason}`)).toEqual(["ConsumersServed WaitingForCredentials"]);
  expect(response.byteLength).toBeGreaterThan(400_000);
  expect(response.byteLength).toBeLessThan(4 * 1024 * 1024);
});

test.each([
  { reason: "linear", cost: (n: number) => 3 * n, exponent: 1 },
  { reason: "quadratic", cost: (n: number) => n * n, exponent: 2 },
  { reason: "the same however many", cost: () => 7, exponent: 0 },
])("the exponent of what grows: $reason", ({ cost, exponent }) => {
  expect(exponentOf([100, 200, 400, 800].map((n) => [n, cost(n)]))).toBeCloseTo(exponent);
});

test.each([
  { reason: "above the least that is wanted", is: 3, atLeast: { is: 2 }, met: true },
  { reason: "below it", is: 1.9, atLeast: { is: 2 }, met: false },
  { reason: "above the most that is allowed", is: 1.4, atMost: { is: 1.3 }, met: false },
  { reason: "not measured", is: Number.NaN, atLeast: { is: 2 }, met: false },
])("a target is met or not: $reason", ({ met, reason, is, ...bounds }) => {
  expect(isMet({ name: reason, figures: { is }, ...bounds })).toBe(met);
});
