import { describe, expect, test } from "vitest";
import { emptyDraft } from "../../src/model/draft.ts";
import type { Request } from "../../src/model/request.ts";
import { WireDocument } from "../../src/wire/document.ts";
import { readRequest } from "../../src/wire/request.ts";
import { writeResponse } from "../../src/wire/response.ts";
import { toBytes } from "../../src/wire/slice.ts";
import { entry, field, group, list, number, paddedVarint, string, struct, tag } from "./bytes.ts";
import { invalid, thrownBy } from "./thrown.ts";

const read = (bytes: Buffer) => new WireDocument({ bytes: toBytes(bytes), start: 0, end: bytes.length }).toObject();
const bytes = (...content: readonly number[]) => Buffer.from(content);
const invalidUtf8 = bytes(0xff);

/** Zeros are fields to nobody, and as good an end to a varint or a string as any. The tag before them ends a varint at once, or later. */
const whatMayFollow = [field(15, Buffer.alloc(300)), field(4095, Buffer.alloc(300))];

/** Faults that any message can have: each is met at the top of a request, and in a Struct inside it. */
const faults = [
  { reason: "a varint without an end", message: bytes(0x80), fault: "a truncated varint" },
  { reason: "a varint field without its varint", message: bytes(0x70), fault: "a truncated varint" },
  { reason: "a varint field whose varint has no end", message: bytes(0x70, 0x80), fault: "a truncated varint" },
  {
    reason: "a varint of eleven bytes",
    message: Buffer.concat([tag(14, 0), paddedVarint(1, 11)]),
    fault: "an overlong varint",
  },
  {
    reason: "a varint of 65 bits",
    message: Buffer.concat([tag(14, 0), Buffer.alloc(9, 0xff), bytes(2)]),
    fault: "a varint over 64 bits",
  },
  { reason: "field number 0", message: bytes(0x02, 0x00), fault: "a field number out of range" },
  {
    reason: "a field number of 30 bits",
    message: Buffer.concat([tag(2 ** 29, 0), bytes(0)]),
    fault: "a field number out of range",
  },
  {
    reason: "a tag of 64 bits",
    message: Buffer.concat([Buffer.alloc(9, 0xff), bytes(1, 0)]),
    fault: "a field number out of range",
  },
  { reason: "a length beyond the end", message: bytes(0x72, 0x02, 0x00), fault: "a field longer than its message" },
  {
    reason: "a length of 64 bits",
    message: Buffer.concat([tag(14, 2), Buffer.alloc(9, 0xff), bytes(1)]),
    fault: "a field longer than its message",
  },
  {
    reason: "an entry beyond the end",
    message: entry("zz", Buffer.alloc(1)).subarray(0, -1),
    fault: "a field longer than its message",
  },
  { reason: "a length without an end", message: bytes(0x72, 0xff), fault: "a truncated varint" },
  { reason: "a length of two bytes without an end", message: bytes(0x72, 0xff, 0xff), fault: "a truncated varint" },
  {
    reason: "seven bytes for eight",
    message: Buffer.concat([tag(14, 1), Buffer.alloc(7)]),
    fault: "a truncated number",
  },
  {
    reason: "three bytes for four",
    message: Buffer.concat([tag(14, 5), Buffer.alloc(3)]),
    fault: "a truncated number",
  },
  { reason: "wire type 6", message: Buffer.concat([tag(14, 6), bytes(0)]), fault: "an unknown wire type" },
  { reason: "wire type 7", message: Buffer.concat([tag(14, 7), bytes(0)]), fault: "an unknown wire type" },
  { reason: "the end of a group that never began", message: tag(14, 4), fault: "an unknown wire type" },
  { reason: "a group without an end", message: tag(14, 3), fault: "a group without an end" },
  {
    reason: "a group that another one's end ends",
    message: Buffer.concat([tag(14, 3), tag(15, 4)]),
    fault: "an unknown wire type",
  },
  {
    reason: "a group in a group without an end",
    message: Buffer.concat([tag(14, 3), tag(14, 3), tag(14, 4)]),
    fault: "a group without an end",
  },
  { reason: "a group that is cut off", message: group(14, number(1, 1)).subarray(0, -2), fault: "a truncated varint" },
] as const;

describe("a message with", () => {
  test.each(faults)("$reason is refused at once", ({ message, fault }) => {
    expect(thrownBy(() => readRequest(message))).toEqual(invalid(fault));
    expect(thrownBy(() => readRequest(Buffer.concat([field(4, "any"), message])))).toEqual(invalid(fault));
  });

  test.each(faults)(
    "$reason somewhere inside is refused when it is read, and goes back when it is not",
    ({ message, fault }) => {
      const places: readonly { readonly at: Buffer; readonly read: (request: Request) => unknown }[] = [
        { at: field(4, message), read: ({ input }) => input.toObject() },
        { at: field(4, message), read: ({ input }) => input.at(["a"]) },
        { at: field(5, field(1, message)), read: ({ context }) => context.toObject() },
        { at: field(5, entry("a", message)), read: ({ context }) => context.at(["a"]) },
        { at: field(5, entry("a", struct(message))), read: ({ context }) => context.at(["a", "b"]) },
        { at: field(5, entry("a", field(6, message))), read: ({ context }) => context.at(["a", 0]) },
        { at: field(3, field(2, message)), read: ({ desired }) => desired.resources },
        { at: field(3, field(2, field(2, message))), read: ({ desired }) => desired.resources.get("")?.ready },
        { at: field(3, field(2, field(2, message))), read: ({ desired }) => desired.resources.get("")?.document },
      ];
      for (const { at, read } of places) {
        for (const follows of whatMayFollow) {
          const request = readRequest(Buffer.concat([at, follows]));
          expect(thrownBy(() => writeResponse(request, emptyDraft))).toBeInstanceOf(Buffer);
          expect(thrownBy(() => read(request))).toEqual(invalid(fault));
        }
      }
    },
  );

  test.each([
    { reason: "in a State", message: field(2, bytes(0x72, 0x02, 0x00)) },
    { reason: "in an answer", message: field(8, bytes(0x72, 0x02, 0x00)) },
    { reason: "in an answer's items", message: field(8, field(1, "a"), field(2, bytes(0x72, 0x02, 0x00))) },
    { reason: "in the meta data", message: field(1, bytes(0x72, 0x02, 0x00)) },
    { reason: "in the capabilities", message: field(1, field(2, bytes(0x80))) },
  ])("a fault $reason is refused at once", ({ message }) => {
    expect(thrownBy(() => readRequest(message))).toMatchObject({ code: "InvalidMessage" });
  });
});

describe("text that is not UTF-8 is refused", () => {
  const half = bytes(0xe2, 0x82);
  const surrogate = bytes(0xed, 0xa0, 0x80);
  test.each([
    { reason: "in a key", run: () => read(entry(invalidUtf8, string("v"))) },
    { reason: "in a key too long to be kept", run: () => read(entry(Buffer.alloc(60, 0xff), string("v"))) },
    { reason: "in a value", run: () => read(entry("a", string(invalidUtf8))) },
    { reason: "in a value in a list", run: () => read(entry("a", list(string(half)))) },
    { reason: "as half of a surrogate pair", run: () => read(entry("a", string(surrogate))) },
    { reason: "as a zero that takes two bytes", run: () => read(entry("a", string(bytes(0xc0, 0x80)))) },
    {
      reason: "beside a U+FFFD that is one",
      run: () => read(entry("a", string(Buffer.concat([Buffer.from("\ufffd"), half])))),
    },
    { reason: "in the tag", run: () => readRequest(field(1, field(1, invalidUtf8))) },
    { reason: "in the name of an answer", run: () => readRequest(field(8, field(1, invalidUtf8))) },
    {
      reason: "in the name of a resource",
      run: () => readRequest(field(2, field(2, field(1, invalidUtf8)))).observed.resources,
    },
    {
      reason: "where a value is looked up",
      run: () => readRequest(field(4, entry("a", string(half)))).input.at(["a"]),
    },
  ])("$reason", ({ run }) => {
    expect(thrownBy(run)).toEqual(invalid("invalid UTF-8"));
  });

  test("but a name that nobody looks at goes back as it came", () => {
    const desired = field(2, field(1, invalidUtf8));
    expect(writeResponse(readRequest(field(3, desired)), emptyDraft)).toEqual(
      Buffer.concat([field(1, field(1, "")), field(2, desired)]),
    );
  });
});

describe("a key that was seen before", () => {
  /** The same hash, by `hash * 31 + byte`. */
  const twins = ["Aa", "BB"] as const;
  test("is not taken for another with the same hash", () => {
    for (const key of [...twins, ...twins, "AaAa", "BBBB", "AaBB", "BBAa"]) {
      expect(Object.keys(read(entry(key, string("v"))))).toEqual([key]);
    }
  });

  test("is not taken for one that it begins or that begins it", () => {
    for (const key of [
      "metadata",
      "meta",
      "metadata2",
      "ü",
      "üü",
      "u",
      "aü",
      "aüb",
      "日本語",
      "日本",
      "\u0000",
      "\u0000\u0000",
    ]) {
      for (let times = 0; times < 2; times++) expect(Object.keys(read(entry(key, string("v"))))).toEqual([key]);
    }
  });

  test("is not taken for another among more keys than are kept", () => {
    const keys = Array.from({ length: 10_000 }, (_, i) => `key-${i}-ü`);
    const object = Buffer.concat(keys.map((key) => entry(key, string(key))));
    for (let times = 0; times < 2; times++) {
      expect(read(object)).toEqual(Object.fromEntries(keys.map((key) => [key, key])));
    }
  });

  test("does not make bytes that are no UTF-8 valid", () => {
    read(entry("\ufffd", string("v")));
    expect(thrownBy(() => read(entry(bytes(0xff), string("v"))))).toEqual(invalid("invalid UTF-8"));
    expect(thrownBy(() => read(entry(bytes(0xef, 0xbf), string("v"))))).toEqual(invalid("invalid UTF-8"));
  });
});
