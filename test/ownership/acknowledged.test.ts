import { describe, expect, test } from "vitest";
import { documentOf } from "../../src/model/document.ts";
import { CONTENDERS } from "../../src/ownership/annotations.ts";
import { type Contender, formatAcknowledged, isAcknowledgedBy, toContender } from "../../src/ownership/contender.ts";

const contender = (name: string): Contender => toContender(documentOf({ metadata: { name } }));
const ownerWith = (text: string): Contender =>
  toContender(documentOf({ metadata: { name: "owner", annotations: { [CONTENDERS]: text } } }));
const named = (count: number, length: number): readonly Contender[] =>
  Array.from({ length: count }, (_, index) => contender(`bucket-${String(index).padStart(length - 7, "0")}`));

describe("the list of those that an owner leaves its cloud resource to", () => {
  test("has their names, sorted", () => {
    expect(formatAcknowledged([contender("b"), contender("a")])).toBe("a,b");
  });

  test.each([
    { reason: "1,000 contenders with names of 253 characters", others: named(1_000, 253), acknowledged: 1_000 },
    { reason: "50,000 contenders", others: named(50_000, 20), acknowledged: 10_000 },
  ])("fits into an annotation with $reason, and names the first successors", ({ others, acknowledged }) => {
    const text = formatAcknowledged(others);
    const owner = ownerWith(text);
    expect(text.length).toBeLessThan(200 * 1024);
    expect(formatAcknowledged(others)).toBe(text);
    expect(others.map((other) => isAcknowledgedBy(owner, other))).toEqual(
      others.map((_, index) => index < acknowledged),
    );
  });

  test("names nobody who takes the hash of another for a name", () => {
    const [hash = ""] = formatAcknowledged(named(1_000, 253)).split(",");
    expect(isAcknowledgedBy(ownerWith(hash), contender(hash.slice(1)))).toBe(false);
  });
});
