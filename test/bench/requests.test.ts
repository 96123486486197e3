import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { featureCases } from "../../bench/features.ts";
import { requestOf, smallRequest } from "../../bench/requests.ts";
import { runFunction } from "../../src/run-function.ts";
import { decodeRequest } from "../../testing/wire/oracle.ts";

const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

test("requests are the same bytes each time they are made", () => {
  expect(hashOf(requestOf(10, 2))).toBe(hashOf(requestOf(10, 2)));
});

test("a request has as many resources as it says, of the size that the tables name", () => {
  const { observed, desired, required } = decodeRequest(requestOf(100, 10));
  expect([observed.resources.size, desired.resources.size, required.get("shared")?.length]).toEqual([100, 100, 10]);
  const kilobytes = [smallRequest(), requestOf(21), requestOf(100), requestOf(500)].map(({ length }) =>
    Math.round(length / 1000),
  );
  expect(kilobytes).toEqual([3, 144, 681, 3402]);
});

test.each(featureCases)("$name: what is timed does its work", ({ request }) => {
  const { results, conditions } = runFunction(request());
  expect(results.filter(({ severity }) => severity === "Fatal")).toEqual([]);
  expect(conditions.map(({ reason }) => reason)).not.toContain("WaitingForRequiredResources");
});
