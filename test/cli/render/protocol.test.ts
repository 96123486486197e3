import fc from "fast-check";
import { expect, test } from "vitest";
import { fromStruct, loadMethod, type RunFunctionRequest, toStruct } from "../../../cli/render/protocol.ts";
import type { JsonObject } from "../../../src/model/json.ts";

const { requestSerialize, requestDeserialize } = loadMethod();
const transmit = (request: RunFunctionRequest) => requestDeserialize(requestSerialize(request)) as RunFunctionRequest;

/** Sends the object to a function as its input. */
function sendInput(input: JsonObject): JsonObject {
  const request = transmit({ meta: { capabilities: [] }, observed: {}, desired: {}, input: toStruct(input) });
  return fromStruct(request.input ?? { fields: {} });
}

test("a request's JSON object arrives as the same object", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const object: JsonObject = JSON.parse(JSON.stringify(value));
      expect(sendInput(object)).toEqual(object);
    }),
  );
});

test("a key __proto__ stays a key", () => {
  const object: JsonObject = JSON.parse('{"__proto__": {"a": 1}}');
  expect(Object.keys(sendInput(object))).toEqual(["__proto__"]);
});

test("resources, required ones and schemas arrive where the protocol has them", () => {
  const resource = toStruct({ kind: "Secret" });
  const request: RunFunctionRequest = {
    meta: { capabilities: [] },
    observed: { composite: { resource }, resources: { a: { resource } } },
    desired: { resources: { b: { resource, ready: "READY_TRUE" } } },
    extraResources: { old: { items: [{ resource }] } },
    requiredResources: { new: { items: [{ resource }] } },
    requiredSchemas: { schema: { openapiV3: resource }, none: {} },
  };
  expect(transmit(request)).toMatchObject(request);
});
