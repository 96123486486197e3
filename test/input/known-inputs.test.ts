import { describe, expect, test } from "vitest";
import { parseInput, parseKnownInput } from "../../src/input/parse.ts";
import { inputOf } from "../../testing/builders/sharing.ts";

let sizes = 100;
/** A size that no other test has. */
const newSize = (): number => sizes++;

const input = (seconds: string) => inputOf({ responseTTL: seconds, adoption: {} });

describe("an input that was parsed before", () => {
  test("is not parsed again, in whatever order its fields come", () => {
    const size = newSize();
    const { apiVersion = "", kind = "" } = input("30s");
    const first = parseKnownInput({ apiVersion, kind, spec: { responseTTL: "30s", adoption: {} } }, size);
    const second = parseKnownInput({ spec: { adoption: {}, responseTTL: "30s" }, kind, apiVersion }, size);
    expect(second).toBe(first);
    expect(second).toEqual(parseInput(input("30s")));
  });

  test("does not stand for another one of the same size", () => {
    const size = newSize();
    parseKnownInput(input("30s"), size);
    expect(parseKnownInput(input("40s"), size)).toEqual(parseInput(input("40s")));
    expect(parseKnownInput(input("30s"), size)).toEqual(parseInput(input("30s")));
  });

  test("is parsed again where it was wrong", () => {
    const size = newSize();
    for (let times = 0; times < 2; times++) expect(() => parseKnownInput(input("soon"), size)).toThrow("responseTTL");
  });

  test.each([
    ["of 64 KB is kept", 64 * 1024, true],
    ["of more is not", 64 * 1024 + 1, false],
  ])("one %s", (_, bytes, isKept) => {
    const first = parseKnownInput(input("30s"), bytes);
    expect(Object.is(parseKnownInput(input("30s"), bytes), first)).toBe(isKept);
  });

  test("is forgotten with all others when 64 are known", () => {
    const size = newSize();
    const first = parseKnownInput(input("30s"), size);
    for (let others = 0; others < 64; others++) parseKnownInput(input("30s"), newSize());
    const again = parseKnownInput(input("30s"), size);
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });
});
