import { expect, test } from "vitest";
import { isMet } from "../../bench/report.ts";
import { exponentOf, medianOf } from "../../bench/rig/statistics.ts";

test("the median of samples, whatever their order", () => {
  const samples = [9, 1, 8, 2, 7, 3, 6, 4, 5, 10, 0];
  expect(medianOf(samples)).toBe(5);
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
