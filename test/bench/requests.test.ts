import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { ownedTagRequests, selectRequests, tagRequests } from "../../bench/requests/peers.ts";
import { idleRequest, requestOf, smallRequest } from "../../bench/requests/requests.ts";
import { runFunction } from "../../src/run-function.ts";
import { decodeRequest } from "../../testing/wire/oracle.ts";

const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

test("requests are the same bytes each time they are made", () => {
  expect(hashOf(requestOf(10))).toBe(hashOf(requestOf(10)));
});

test("a request has as many resources as it says, of the size that the tables name", () => {
  const { observed, desired } = decodeRequest(requestOf(100));
  expect([observed.resources.size, desired.resources.size]).toEqual([100, 100]);
  expect(decodeRequest(selectRequests(20, 100).theirs).required.get("shared")).toHaveLength(20);
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
