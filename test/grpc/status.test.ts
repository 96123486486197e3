import { status } from "@grpc/grpc-js";
import { describe, expect, test } from "vitest";
import { codes, trailersOf } from "../../src/grpc/status.ts";
import { toMilliseconds } from "../../src/grpc/timeout.ts";

test("codes have gRPC's numbers, and grpc-go's names", () => {
  const camelCase = (name: string): string => name.toLowerCase().replace(/_?([a-z]+)/g, (_, word) => upper(word));
  const upper = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const known = Object.entries(status).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  const ours = Object.fromEntries(known.map(([name]) => [codes[status[name as keyof typeof status]], camelCase(name)]));
  expect(known).toHaveLength(codes.length);
  // The two that grpc-go spells in another way.
  expect(ours).toEqual({ ...Object.fromEntries(codes.map((code) => [code, code])), OK: "Ok", Canceled: "Cancelled" });
});

describe("details are printable ASCII on the wire", () => {
  test.each([
    { details: 'as it is: [a-z], "quoted" ~', message: 'as it is: [a-z], "quoted" ~' },
    { details: "100 %", message: "100 %25" },
    { details: "two\nlines", message: "two%0Alines" },
    { details: "für", message: "f%C3%BCr" },
    { details: "half a pair: \ud83d", message: "half a pair: %EF%BF%BD" },
  ])("$details", ({ details, message }) => {
    expect(trailersOf({ code: "NotFound", details })).toEqual({ "grpc-status": "5", "grpc-message": message });
  });

  test("without any, there is no header", () => {
    expect(trailersOf({ code: "OK" })).toEqual({ "grpc-status": "0" });
  });
});

describe("a timeout is up to eight digits and a unit", () => {
  test.each([
    { text: "2H", milliseconds: 7_200_000 },
    { text: "3M", milliseconds: 180_000 },
    { text: "99999999S", milliseconds: 99_999_999_000 },
    { text: "250m", milliseconds: 250 },
    { text: "500u", milliseconds: 0.5 },
    { text: "0n", milliseconds: 0 },
  ])("$text", ({ text, milliseconds }) => {
    expect(toMilliseconds(text)).toBe(milliseconds);
  });

  test.each(["", "S", "5", "-1S", "123456789S", "1.5S", "1 S", "1s"])("%j is none", (text) => {
    expect(() => toMilliseconds(text)).toThrow(
      expect.objectContaining({ code: "Internal", message: `malformed grpc-timeout: ${text}` }),
    );
  });
});
