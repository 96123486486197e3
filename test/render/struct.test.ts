import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { loadMethod } from "../../src/render/protocol.ts";
import { fromStruct, toStruct } from "../../src/render/struct.ts";

const { requestSerialize, requestDeserialize } = loadMethod();

/** An object's way over the wire, by the protocol's own codec. */
function overTheWire(object: JsonObject): JsonObject {
  const message = requestDeserialize(requestSerialize({ input: toStruct(object) })) as {
    readonly input: ReturnType<typeof toStruct>;
  };
  return fromStruct(message.input);
}

test("a JSON object is the same after the wire", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const object: JsonObject = JSON.parse(JSON.stringify(value));
      expect(overTheWire(object)).toEqual(object);
    }),
  );
});

test("a key __proto__ is a key", () => {
  const object: JsonObject = JSON.parse('{"__proto__": {"a": 1}}');
  expect(Object.keys(overTheWire(object))).toEqual(["__proto__"]);
});
