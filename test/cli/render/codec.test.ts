import fc from "fast-check";
import { expect, test } from "vitest";
import { loadCodec, loadMethod } from "../../../cli/render/codec.ts";
import type { RunFunctionRequest } from "../../../cli/render/protocol.ts";
import { capabilities } from "../../../cli/render/protocol.ts";
import type { Struct } from "../../../cli/render/struct.ts";
import { fromStruct, toStruct } from "../../../cli/render/struct.ts";
import type { JsonObject } from "../../../src/model/json.ts";

const { encodeRequest, decodeResponse } = loadCodec();
const { requestDeserialize, responseSerialize } = loadMethod();

/** Sends the object to a function as its input. */
function sendInput(input: JsonObject): JsonObject {
  const bytes = encodeRequest({ meta: { capabilities }, observed: {}, desired: {}, input });
  const request = requestDeserialize(bytes) as RunFunctionRequest<Struct>;
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

test("a response's Structs become the same JSON objects", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const object: JsonObject = JSON.parse(JSON.stringify(value));
      const resource = { resource: toStruct(object), ready: "READY_TRUE" };
      const response = { desired: { composite: resource, resources: { a: resource } }, context: toStruct(object) };
      const decoded = decodeResponse(responseSerialize(response));
      expect(decoded.context).toEqual(object);
      expect(decoded.desired).toMatchObject({
        composite: { resource: object, ready: "READY_TRUE" },
        resources: { a: { resource: object } },
      });
    }),
  );
});

test("a key __proto__ stays a key", () => {
  const object: JsonObject = JSON.parse('{"__proto__": {"a": 1}}');
  expect(Object.keys(sendInput(object))).toEqual(["__proto__"]);
});

test("required resources, credentials and schemas arrive where the protocol has them", () => {
  const items = [{ resource: { kind: "Secret" } }];
  const bytes = encodeRequest({
    meta: { capabilities },
    observed: { composite: { resource: { kind: "XApp" } }, resources: { a: { resource: { kind: "A" } } } },
    desired: { resources: { b: { resource: { kind: "B" }, ready: "READY_TRUE" } } },
    extraResources: { old: { items } },
    requiredResources: { new: { items } },
    requiredSchemas: { schema: { openapiV3: { type: "object" } }, none: {} },
    credentials: { c: { credentialData: { data: { k: Buffer.from("hi") } } } },
  });
  expect(requestDeserialize(bytes)).toMatchObject({
    meta: { capabilities },
    observed: {
      composite: { resource: toStruct({ kind: "XApp" }) },
      resources: { a: { resource: toStruct({ kind: "A" }) } },
    },
    desired: { resources: { b: { resource: toStruct({ kind: "B" }), ready: "READY_TRUE" } } },
    extraResources: { old: { items: [{ resource: toStruct({ kind: "Secret" }) }] } },
    requiredResources: { new: { items: [{ resource: toStruct({ kind: "Secret" }) }] } },
    requiredSchemas: { schema: { openapiV3: toStruct({ type: "object" }) }, none: {} },
    credentials: { c: { credentialData: { data: { k: Buffer.from("hi") } } } },
  });
});
