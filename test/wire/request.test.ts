import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { documentOf } from "../../src/model/document.ts";
import { valueAt } from "../../src/model/field-path.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import type { Answer } from "../../src/model/requirement.ts";
import type { State } from "../../src/model/resource.ts";
import { WireDocument } from "../../src/wire/document.ts";
import { readRequest } from "../../src/wire/request.ts";
import { decodeRequest, encodeRequest } from "../support/oracle.ts";
import type { PlainState } from "../support/plain.ts";
import * as arbitrary from "./arbitraries.ts";
import { field } from "./bytes.ts";
import { choices, unusualStruct } from "./unusual.ts";

/** The same cases in every run: what fails here fails for everybody. */
const parameters = { seed: 20, numRuns: 300 };

const plainState = ({ composite, resources }: State): PlainState => ({
  composite: { object: composite.document.toObject(), ready: composite.ready },
  resources: new Map(
    [...resources].map(([name, { document, ready }]) => [name, { object: document.toObject(), ready }]),
  ),
});

const plainAnswer = (answer: Answer): Answer | readonly JsonObject[] =>
  answer.is === "pending" ? answer : answer.items.map((item) => item.toObject());

const wireDocument = (bytes: Buffer): WireDocument => new WireDocument({ bytes, start: 0, end: bytes.length });

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
        // grpc-js hands out a message as a part of a larger buffer.
        const message = isInside
          ? Buffer.concat([Buffer.alloc(7, 0x0a), encoded, Buffer.alloc(9, 0x0a)]).subarray(7, -9)
          : encoded;
        const request = readRequest(message);
        const isAskedByName = oracle.capabilities.includes("CAPABILITY_REQUIRED_RESOURCES");
        const asked = [...oracle.required.keys(), ...oracle.extra.keys(), "never asked", "__proto__", "constructor"];

        expect({
          tag: request.tag,
          capabilities: request.capabilities,
          observed: plainState(request.observed),
          desired: plainState(request.desired),
          input: request.input.toObject(),
          context: request.context.toObject(),
          answers: asked.map((name) => plainAnswer(request.required(name))),
        }).toEqual({
          tag: oracle.tag,
          capabilities: new Set(oracle.capabilities.flatMap((name) => names[name] ?? [])),
          observed: oracle.observed,
          desired: oracle.desired,
          input: oracle.input ?? {},
          context: oracle.context ?? {},
          answers: asked.map(
            (name) =>
              oracle.required.get(name) ?? (isAskedByName ? undefined : oracle.extra.get(name)) ?? { is: "pending" },
          ),
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
    }).toEqual({
      tag: "",
      capabilities: new Set(),
      observed: { composite: { object: {}, ready: "Unspecified" }, resources: new Map() },
      desired: { composite: { object: {}, ready: "Unspecified" }, resources: new Map() },
      input: {},
      context: {},
      required: { is: "pending" },
    });
  });
});

/** Each path on a document of its own: once the whole of it is read, `at` no longer looks into the bytes. */
function expectEveryPath(bytes: Buffer, object: JsonObject, others: readonly (readonly (string | number)[])[]): void {
  const found: [string, JsonValue | undefined][] = [];
  const expected: [string, JsonValue | undefined][] = [];
  for (const path of [...arbitrary.pathsIn(object), ...others]) {
    found.push([JSON.stringify(path), wireDocument(bytes).at(path)]);
    expected.push([JSON.stringify(path), valueAt(object, path)]);
  }
  expect(found).toEqual(expected);
}

const anyPath = fc.array(fc.oneof(arbitrary.key, fc.nat({ max: 3 }), fc.constantFrom(-1, 0.5, Number.NaN)), {
  maxLength: 4,
});

describe("a value looked up in a document's bytes", () => {
  test("is the one that the whole document has there", () => {
    fc.assert(
      fc.property(arbitrary.object, fc.array(anyPath, { maxLength: 4 }), (object, paths) => {
        const encoded = encodeRequest({ ...nothing, input: object });
        const { input } = readRequest(encoded);
        const { bytes, start, end } = (input as WireDocument).slice;
        expect(input.toObject()).toEqual(object);
        expectEveryPath(bytes.subarray(start, end), object, paths);
      }),
      parameters,
    );
  });

  test("is so however unusually the document is encoded", () => {
    fc.assert(
      fc.property(arbitrary.object, choices, fc.array(anyPath, { maxLength: 4 }), (object, choose, paths) => {
        const bytes = unusualStruct(object, choose());
        expect(wireDocument(bytes).toObject()).toEqual(object);
        expectEveryPath(bytes, object, paths);
      }),
      parameters,
    );
  });

  test("is found again after the whole document was read", () => {
    fc.assert(
      fc.property(arbitrary.object, anyPath, (object, path) => {
        const document = wireDocument(unusualStruct(object, () => 0));
        document.toObject();
        expect(document.at(path)).toEqual(documentOf(object).at(path));
      }),
      parameters,
    );
  });

  test("is checked only as far as it is read: what comes later may be broken", () => {
    const bytes = Buffer.concat([unusualStruct({ a: [1, 2] }, () => 0)]);
    const broken = Buffer.concat([
      field(1, field(1, "a"), field(2, field(6, field(1, field(3, "one")), field(1, "\u001a\u007f")))),
    ]);
    expect(wireDocument(bytes).at(["a", 1])).toBe(2);
    expect(wireDocument(broken).at(["a", 0])).toBe("one");
    expect(() => wireDocument(broken).toObject()).toThrow("a field longer than its message");
  });
});

const emptyState: PlainState = { composite: { object: {}, ready: "Unspecified" }, resources: new Map() };

const nothing = {
  tag: "",
  capabilities: [],
  observed: emptyState,
  desired: emptyState,
  extra: new Map(),
  required: new Map(),
  credentials: new Map(),
  schemas: new Map(),
};
