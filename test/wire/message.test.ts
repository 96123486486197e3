import { describe, expect, test } from "vitest";
import { readRequest } from "../../src/wire/request.ts";
import { concat, field, number, texts, varint } from "./bytes.ts";
import { invalid, thrownBy } from "./reading.ts";

/** Where codecs go wrong, told in bytes. Where protobufjs and the specification disagree, the specification (and Go) wins. */

describe("a request's fields", () => {
  const resource = (...parts: readonly Buffer[]) => field(1, ...parts);
  const composed = (name: string, ...parts: readonly Buffer[]) => field(2, field(1, name), field(2, ...parts));
  const observedOf = (...parts: readonly Buffer[]) => {
    const { composite, resources } = readRequest(Buffer.concat(parts)).observed;
    return {
      composite: composite.document.toObject(),
      ready: composite.ready,
      resources: [...resources].map(([name, { document }]) => `${name} ${JSON.stringify(document.toObject())}`),
    };
  };
  const is = { composite: {}, ready: "Unspecified", resources: [] };
  const twoStates = [field(2, composed("a", resource()), field(1, number(3, 1))), field(2, composed("b", resource()))];
  const holding = (object: Record<string, string>) => resource(field(1, texts(object)));
  const [x, y] = [field(1, texts({ x: "1" })), field(1, texts({ y: "2" }))];
  const bothNamed = [composed("a", x), composed("a", y)];

  test.each([
    ["a State given twice is merged", twoStates, { ...is, ready: "True", resources: ["a {}", "b {}"] }],
    [
      "a composite given three times is merged",
      [field(2, resource(number(3, 1)), holding({ a: "1" }), holding({ b: "2" }))],
      { ...is, ready: "True", composite: { a: "1", b: "2" } },
    ],
    ["a resource's name given twice: the last", [field(2, ...bothNamed)], { ...is, resources: ['a {"y":"2"}'] }],
    [
      "a map entry's value given twice is merged",
      [field(2, field(2, field(1, "a"), field(2, x), field(2, y)))],
      { ...is, resources: ['a {"x":"1","y":"2"}'] },
    ],
    [
      "an entry's value before its name, or without one",
      [field(2, field(2, field(2, x), field(1, "a")), field(2, field(2)))],
      { ...is, resources: ['a {"x":"1"}', " {}"] },
    ],
    [
      "names like any other",
      [field(2, composed("__proto__", resource()), composed("constructor"), composed("", resource()))],
      { ...is, resources: ["__proto__ {}", "constructor {}", " {}"] },
    ],
    ["readiness given twice: the last", [field(2, field(1, number(3, 1), number(3, 2)))], { ...is, ready: "False" }],
    ["a readiness that nobody knows", [field(2, field(1, number(3, 3)))], is],
    ["other wire types are unknown", [number(2, 1), field(2, number(1, 1), field(1, field(3, varint(1))))], is],
  ])("%s", (_, parts, is) => {
    expect(observedOf(...parts)).toEqual(is);
  });

  test.each([
    ["packed", [field(2, Buffer.from([1, 2]))]],
    ["one by one", [number(2, 1), number(2, 2)]],
    ["both ways, with nothing packed between", [field(2, varint(1)), field(2), number(2, 2)]],
    ["with some that nobody knows", [field(2, Buffer.from([1, 9, 0]), varint(2n ** 64n - 1n), varint(2))]],
  ])("capabilities come %s", (_, meta) => {
    expect(readRequest(field(1, ...meta)).capabilities).toEqual(new Set(["Capabilities", "RequiredResources"]));
  });

  test("are only those of the message: what surrounds it in its buffer is none of it", () => {
    const message = field(1, field(1, "tag"));
    const surrounded = concat(field(1, field(1, "before")), message, field(1, field(1, "after")));
    const start = field(1, field(1, "before")).length;
    const part = new Uint8Array(surrounded.buffer, surrounded.byteOffset + start, message.length);
    expect(readRequest(part).tag).toBe("tag");
    expect(thrownBy(() => readRequest(part.subarray(0, -1)))).toEqual(invalid("longer than its message"));
  });

  test("that are text and given twice are the last", () => {
    expect(readRequest(field(1, field(1, "a"), field(1, "b"))).tag).toBe("b");
  });
});
