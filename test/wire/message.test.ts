import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/model/json.ts";
import { readRequest } from "../../src/wire/request.ts";
import { decodeRequest } from "../../testing/wire/oracle.ts";
import { double, entry, field, number, string, varint } from "./bytes.ts";
import { invalid, thrownBy } from "./thrown.ts";

/** Where codecs go wrong, told in bytes. Where protobufjs and the specification disagree, the specification (and Go) wins. */

const own = (key: string, value: JsonValue) => Object.fromEntries([[key, value]]);

describe("a request's fields", () => {
  const resource = (...parts: readonly Buffer[]) => field(1, ...parts);
  const composed = (name: string, ...parts: readonly Buffer[]) => field(2, field(1, name), field(2, ...parts));
  const observedOf = (...parts: readonly Buffer[]) => {
    const { composite, resources } = readRequest(Buffer.concat(parts)).observed;
    return {
      composite: composite.document.toObject(),
      ready: composite.ready,
      resources: [...resources].map(([name, { document }]) => [name, document.toObject()]),
    };
  };
  const is = { composite: {}, ready: "Unspecified", resources: [] };

  test.each([
    {
      reason: "a State given twice is merged",
      parts: [field(2, composed("a", resource()), field(1, number(3, 1))), field(2, composed("b", resource()))],
      is: {
        ...is,
        ready: "True",
        resources: [
          ["a", {}],
          ["b", {}],
        ],
      },
    },
    {
      reason: "a composite given three times is merged",
      parts: [
        field(
          2,
          resource(number(3, 1)),
          field(1, field(1, entry("a", string("1")))),
          field(1, field(1, entry("b", string("2")))),
        ),
      ],
      is: { ...is, ready: "True", composite: { a: "1", b: "2" } },
    },
    {
      reason: "a resource's name given twice: the last",
      parts: [
        field(2, composed("a", field(1, entry("x", string("1")))), composed("a", field(1, entry("y", string("2"))))),
      ],
      is: { ...is, resources: [["a", { y: "2" }]] },
    },
    {
      reason: "a map entry's value given twice is merged",
      parts: [
        field(
          2,
          field(
            2,
            field(1, "a"),
            field(2, field(1, entry("x", string("1")))),
            field(2, field(1, entry("y", string("2")))),
          ),
        ),
      ],
      is: { ...is, resources: [["a", { x: "1", y: "2" }]] },
    },
    {
      reason: "an entry's value before its name, or without one",
      parts: [field(2, field(2, field(2, field(1, entry("x", string("1")))), field(1, "a")), field(2, field(2)))],
      is: {
        ...is,
        resources: [
          ["a", { x: "1" }],
          ["", {}],
        ],
      },
    },
    {
      reason: "names like any other",
      parts: [field(2, composed("__proto__", resource()), composed("constructor"), composed("", resource()))],
      is: {
        ...is,
        resources: [
          ["__proto__", {}],
          ["constructor", {}],
          ["", {}],
        ],
      },
    },
    {
      reason: "readiness given twice: the last",
      parts: [field(2, field(1, number(3, 1), number(3, 2)))],
      is: { ...is, ready: "False" },
    },
    {
      reason: "a readiness of more than 32 bits: its low 32",
      parts: [field(2, field(1, number(3, 2n ** 63n + 2n ** 32n + 1n)))],
      is: { ...is, ready: "True" },
    },
    { reason: "a readiness that nobody knows", parts: [field(2, field(1, number(3, 3)))], is },
    { reason: "a negative readiness", parts: [field(2, field(1, number(3, 2n ** 64n - 1n)))], is },
    {
      reason: "fields of other wire types are unknown",
      parts: [number(2, 1), field(2, number(1, 1), double(2, 1), field(1, field(3, varint(1))))],
      is,
    },
  ])("$reason", ({ parts, is }) => {
    expect(observedOf(...parts)).toEqual(is);
  });

  test.each([
    { reason: "given twice: the last", value: [field(2, "A"), field(2, "B")], is: "B" },
    { reason: "given twice, and nothing at last", value: [field(2, "A"), field(2)], is: "" },
    { reason: "left out", value: [], is: "" },
    { reason: "of another wire type", value: [number(2, 1)], is: "" },
  ])("a connection detail in an entry whose value is $reason", ({ value, is }) => {
    const { connectionDetails } = readRequest(field(2, resource(field(2, field(1, "k"), ...value)))).observed.composite;
    expect([...connectionDetails].map(([key, bytes]) => [key, Buffer.from(bytes).toString()])).toEqual([["k", is]]);
  });

  test.each([
    { reason: "packed", meta: [field(2, Buffer.from([1, 2]))] },
    { reason: "one by one", meta: [number(2, 1), number(2, 2)] },
    { reason: "both ways, with nothing packed between", meta: [field(2, varint(1)), field(2), number(2, 2)] },
    {
      reason: "with some that nobody knows",
      meta: [field(2, Buffer.from([1, 9, 0]), varint(2n ** 64n - 1n), varint(2))],
    },
    { reason: "cut to 32 bits", meta: [number(2, 2n ** 32n + 1n), field(2, varint(2n ** 60n + 2n))] },
  ])("capabilities come $reason", ({ meta }) => {
    expect(readRequest(field(1, ...meta)).capabilities).toEqual(new Set(["Capabilities", "RequiredResources"]));
  });

  test("are only those of the message: what surrounds it in its buffer is none of it", () => {
    const message = field(1, field(1, "tag"));
    const surrounded = Buffer.concat([field(1, field(1, "before")), message, field(1, field(1, "after"))]);
    const start = field(1, field(1, "before")).length;
    const part = new Uint8Array(surrounded.buffer, surrounded.byteOffset + start, message.length);
    expect(readRequest(part).tag).toBe("tag");
    expect(thrownBy(() => readRequest(part.subarray(0, -1)))).toEqual(invalid("longer than its message"));
  });

  test("that are text and given twice are the last", () => {
    expect(readRequest(field(1, field(1, "a"), field(1, "b"))).tag).toBe("b");
  });

  test("are named as the protocol's own codec names them where `__proto__` is a name", () => {
    const bytes = field(2, composed("__proto__", field(1, entry("__proto__", string("v")))));
    expect(decodeRequest(bytes).observed.resources).toEqual(
      new Map([["__proto__", { object: own("__proto__", "v"), ready: "Unspecified", details: new Map() }]]),
    );
  });
});
