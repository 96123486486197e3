import { describe, expect, test } from "vitest";
import { emptyDraft } from "../../src/model/draft.ts";
import type { Request } from "../../src/model/request.ts";
import { readRequest } from "../../src/wire/request.ts";
import { writeResponse } from "../../src/wire/response.ts";
import { concat, entry, field, list, paddedVarint, string, struct, tag } from "./bytes.ts";
import { invalid, read, thrownBy } from "./reading.ts";

const bytes = (...content: readonly number[]) => Buffer.from(content);
const invalidUtf8 = bytes(0xff);

/** Zeros are fields to nobody, and as good an end to a varint or a string as any. The tag before them ends a varint at once, or later. */
const whatMayFollow = [field(15, Buffer.alloc(300)), field(4095, Buffer.alloc(300))];

/** Faults that any message can have: each is met at the top of a request, and in a Struct inside it. */
const faults: readonly (readonly [string, Buffer, string])[] = [
  ["a varint without an end", bytes(0x80), "a truncated varint"],
  ["a varint field without its varint", bytes(0x70), "a truncated varint"],
  ["a varint field whose varint has no end", bytes(0x70, 0x80), "a truncated varint"],
  ["a varint of eleven bytes", concat(tag(14, 0), paddedVarint(1, 11)), "an overlong varint"],
  ["a varint of 65 bits", concat(tag(14, 0), Buffer.alloc(9, 0xff), bytes(2)), "a varint over 64 bits"],
  ["field number 0", bytes(0x02, 0x00), "a field number out of range"],
  ["a field number of 30 bits", concat(tag(2 ** 29, 0), bytes(0)), "a field number out of range"],
  ["a tag of 64 bits", concat(Buffer.alloc(9, 0xff), bytes(1, 0)), "a field number out of range"],
  ["a length beyond the end", bytes(0x72, 0x02, 0x00), "a field longer than its message"],
  ["a length of 64 bits", concat(tag(14, 2), Buffer.alloc(9, 0xff), bytes(1)), "a field longer than its message"],
  ["an entry beyond the end", entry("zz", Buffer.alloc(1)).subarray(0, -1), "a field longer than its message"],
  ["a length without an end", bytes(0x72, 0xff), "a truncated varint"],
  ["a length of two bytes without an end", bytes(0x72, 0xff, 0xff), "a truncated varint"],
  ["seven bytes for eight", concat(tag(14, 1), Buffer.alloc(7)), "a truncated number"],
  ["three bytes for four", concat(tag(14, 5), Buffer.alloc(3)), "a truncated number"],
  ["wire type 6", concat(tag(14, 6), bytes(0)), "an unknown wire type"],
  ["wire type 7", concat(tag(14, 7), bytes(0)), "an unknown wire type"],
  ["a group, of which the protocol has none", concat(tag(14, 3), tag(14, 4)), "an unknown wire type"],
];

describe("a message with", () => {
  test.each(faults)("%s is refused at once", (_, message, fault) => {
    expect(thrownBy(() => readRequest(message))).toEqual(invalid(fault));
    expect(thrownBy(() => readRequest(concat(field(4, "any"), message)))).toEqual(invalid(fault));
  });

  test.each(faults)(
    "%s somewhere inside is refused when it is read, and goes back when it is not",
    (_, message, fault) => {
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
          const request = readRequest(concat(at, follows));
          expect(thrownBy(() => writeResponse(request, emptyDraft))).toBeInstanceOf(Buffer);
          expect(thrownBy(() => read(request))).toEqual(invalid(fault));
        }
      }
    },
  );

  test.each([
    ["in a State", field(2, bytes(0x72, 0x02, 0x00))],
    ["in an answer", field(8, bytes(0x72, 0x02, 0x00))],
    ["in an answer's items", field(8, field(1, "a"), field(2, bytes(0x72, 0x02, 0x00)))],
    ["in the meta data", field(1, bytes(0x72, 0x02, 0x00))],
    ["in the capabilities", field(1, field(2, bytes(0x80)))],
  ])("a fault %s is refused at once", (_, message) => {
    expect(thrownBy(() => readRequest(message))).toMatchObject({ code: "InvalidMessage" });
  });
});

describe("text that is not UTF-8 is refused", () => {
  const half = bytes(0xe2, 0x82);
  const surrogate = bytes(0xed, 0xa0, 0x80);
  test.each([
    ["in a key", () => read(entry(invalidUtf8, string("v")))],
    ["in a value", () => read(entry("a", string(invalidUtf8)))],
    ["in a value in a list", () => read(entry("a", list(string(half))))],
    ["as half of a surrogate pair", () => read(entry("a", string(surrogate)))],
    ["as a zero that takes two bytes", () => read(entry("a", string(bytes(0xc0, 0x80))))],
    ["beside a U+FFFD that is one", () => read(entry("a", string(concat(Buffer.from("\ufffd"), half))))],
    ["in the tag", () => readRequest(field(1, field(1, invalidUtf8)))],
    ["in the name of an answer", () => readRequest(field(8, field(1, invalidUtf8)))],
    ["in the name of a resource", () => readRequest(field(2, field(2, field(1, invalidUtf8)))).observed.resources],
    ["where a value is looked up", () => readRequest(field(4, entry("a", string(half)))).input.at(["a"])],
  ])("%s", (_, run) => {
    expect(thrownBy(run)).toEqual(invalid("invalid UTF-8"));
  });

  test("but a name that nobody looks at goes back as it came", () => {
    const desired = field(2, field(1, invalidUtf8));
    const response = writeResponse(readRequest(field(3, desired)), emptyDraft);
    expect(response).toEqual(concat(field(1, field(1, "")), field(2, desired)));
  });
});
