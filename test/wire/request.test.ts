import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import type { Resource, State } from "../../src/model/request.ts";
import type { LookupAnswer, SchemaAnswer } from "../../src/model/requirement.ts";
import { readRequest } from "../../src/wire/request.ts";
import { decodeRequest, encodeRequest } from "../../testing/wire/oracle.ts";
import { emptyResource, type PlainResource, type PlainState } from "../../testing/wire/plain.ts";
import * as arbitrary from "./arbitraries.ts";

/** The same cases in every run: what fails here fails for everybody. */
const parameters = { seed: 20, numRuns: 300 };

const plainResource = ({ document, ready, connectionDetails }: Resource): PlainResource => ({
  object: document.toObject(),
  ready,
  details: new Map([...connectionDetails].map(([key, value]) => [key, Buffer.from(value).toString("base64")])),
});

const plainState = ({ composite, resources }: State): PlainState => ({
  composite: plainResource(composite),
  resources: new Map([...resources].map(([name, resource]) => [name, plainResource(resource)])),
});

const plainAnswer = (answer: LookupAnswer): LookupAnswer | readonly JsonObject[] =>
  answer.is === "pending" ? answer : answer.items.map((item) => item.toObject());

const plainSchema = (answer: SchemaAnswer): SchemaAnswer | JsonObject =>
  answer.is === "resolved" ? answer.schema.toObject() : answer;

const names: Readonly<Record<string, string>> = {
  CAPABILITY_CAPABILITIES: "Capabilities",
  CAPABILITY_REQUIRED_RESOURCES: "RequiredResources",
  CAPABILITY_CREDENTIALS: "Credentials",
  CAPABILITY_CONDITIONS: "Conditions",
  CAPABILITY_REQUIRED_SCHEMAS: "RequiredSchemas",
};

describe("a request", () => {
  test("is read as the protocol's own codec reads it", () => {
    fc.assert(
      fc.property(arbitrary.request, fc.boolean(), (plain, isInside) => {
        const encoded = encodeRequest(plain);
        const oracle = decodeRequest(encoded);
        // The server hands out a message as a part of a larger buffer.
        const message = isInside
          ? Buffer.concat([Buffer.alloc(7, 0x0a), encoded, Buffer.alloc(9, 0x0a)]).subarray(7, -9)
          : encoded;
        const request = readRequest(message);
        const isAskedByName = oracle.capabilities.includes("CAPABILITY_REQUIRED_RESOURCES");
        const answers = new Map([...(isAskedByName ? [] : oracle.extra), ...oracle.required]);
        const asked = [...oracle.required.keys(), ...oracle.extra.keys(), "never asked", "__proto__", "constructor"];

        expect({
          tag: request.tag,
          capabilities: request.capabilities,
          observed: plainState(request.observed),
          desired: plainState(request.desired),
          input: request.input.toObject(),
          context: request.context.toObject(),
          answers: asked.map((name) => plainAnswer(request.required(name))),
          schemas: [...oracle.schemas.keys(), "never asked"].map((name) => plainSchema(request.requiredSchema(name))),
        }).toEqual({
          tag: oracle.tag,
          capabilities: new Set(oracle.capabilities.flatMap((name) => names[name] ?? [])),
          observed: oracle.observed,
          desired: oracle.desired,
          input: oracle.input ?? {},
          context: oracle.context ?? {},
          answers: asked.map((name) => answers.get(name) ?? { is: "pending" }),
          schemas: [...oracle.schemas.values(), { is: "pending" }],
        });
      }),
      parameters,
    );
  });

  test("of nothing has defaults only", () => {
    const request = readRequest(Buffer.alloc(0));
    expect({
      ...request,
      observed: plainState(request.observed),
      desired: plainState(request.desired),
      input: request.input.toObject(),
      context: request.context.toObject(),
      required: request.required("anything"),
      requiredSchema: request.requiredSchema("anything"),
    }).toEqual({
      tag: "",
      capabilities: new Set(),
      observed: { composite: emptyResource, resources: new Map() },
      desired: { composite: emptyResource, resources: new Map() },
      input: {},
      inputBytes: 0,
      context: {},
      required: { is: "pending" },
      requiredSchema: { is: "pending" },
    });
  });

  test("tells a kind without a schema from one that was not looked up", () => {
    const schemas = Buffer.concat([Buffer.from([0x4a, 0x05, 0x0a, 0x01]), Buffer.from("a"), Buffer.from([0x12, 0x00])]);
    const request = readRequest(schemas);
    expect([request.requiredSchema("a"), request.requiredSchema("b")]).toEqual([{ is: "unknown" }, { is: "pending" }]);
  });
});
