import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FunctionError } from "../../src/errors.ts";
import { type Document, documentOf } from "../../src/model/document.ts";
import { type Draft, emptyDraft, type ResourceEdit } from "../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import type { Resource, State } from "../../src/model/request.ts";
import { readRequest, type WireRequest } from "../../src/wire/request.ts";
import { writeResponse } from "../../src/wire/response.ts";
import { toolOrSkip } from "../../testing/tools/server-tools.ts";
import {
  isRefused,
  type Oracle,
  type OracleRequest,
  type OracleResource,
  type OracleState,
  type Pairs,
  type PlainValue,
  startOracle,
} from "../../testing/wire/protobuf-go.ts";
import { anyRequest } from "./any-bytes.ts";
import { brokenRequest } from "./broken-bytes.ts";
import { thrownBy } from "./thrown.ts";

/**
 * protobuf-go reads what this layer reads, in whatever bytes there are. protobufjs is the oracle of the other tests; it
 * departs from the specification where a field is given twice.
 */

const program = toolOrSkip("protobuf-go") ?? "";

const sorted = <T, U>(entries: Iterable<readonly [string, T]>, to: (value: T) => U): Pairs<U> =>
  [...entries].map(([key, value]) => [key, to(value)] as const).sort(([a], [b]) => (a < b ? -1 : 1));

const plainObject = (object: JsonObject): Pairs<PlainValue> => sorted(Object.entries(object), plainValue);

function plainValue(value: JsonValue): PlainValue {
  if (typeof value === "number") return { number: plainNumber(value) };
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? { list: value.map(plainValue) } : { object: plainObject(value as JsonObject) };
}

function plainNumber(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes.toString("hex");
}

const READY = ["Unspecified", "True", "False"];
const CAPABILITIES = ["", "Capabilities", "RequiredResources", "Credentials", "Conditions", "RequiredSchemas"];

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

const plainResource = ({ document, ready, connectionDetails }: Resource): OracleResource => ({
  object: plainObject(document.toObject()),
  ready: READY.indexOf(ready),
  details: sorted(connectionDetails, base64),
});

const plainState = ({ composite, resources }: State): OracleState => ({
  composite: plainResource(composite),
  resources: sorted(resources, plainResource),
});

/** A readiness that nobody knows is none. */
const known = ({ ready, ...rest }: OracleResource): OracleResource => ({ ...rest, ready: ready in READY ? ready : 0 });

const knownState = ({ composite, resources }: OracleState): OracleState => ({
  composite: known(composite),
  resources: resources.map(([name, resource]) => [name, known(resource)]),
});

type Names = readonly string[];

const namesOf = ({ required, extra, schemas }: OracleRequest): Names => [
  ...new Set([...required, ...extra, ...schemas].map(([name]) => name)),
];

/** All that can be asked of a request. */
function asked(request: WireRequest, names: Names): unknown {
  return {
    tag: request.tag,
    capabilities: [...request.capabilities].sort(),
    observed: plainState(request.observed),
    desired: plainState(request.desired),
    input: plainObject(request.input.toObject()),
    context: plainObject(request.context.toObject()),
    required: names.map((name) => {
      const answer = request.required(name);
      return answer.is === "pending" ? answer.is : answer.items.map((item) => plainObject(item.toObject()));
    }),
    schemas: names.map((name) => {
      const answer = request.requiredSchema(name);
      return answer.is === "resolved" ? plainObject(answer.schema.toObject()) : answer.is;
    }),
  };
}

/** What is to be answered, as the oracle has it. */
function expected(oracle: OracleRequest, names: Names): unknown {
  const capabilities = new Set(oracle.capabilities.flatMap((number) => CAPABILITIES[number] || []));
  const required = new Map([...(capabilities.has("RequiredResources") ? [] : oracle.extra), ...oracle.required]);
  const schemas = new Map(oracle.schemas);
  return {
    tag: oracle.tag,
    capabilities: [...capabilities].sort(),
    observed: knownState(oracle.observed),
    desired: knownState(oracle.desired),
    input: oracle.input,
    context: oracle.context ?? [],
    required: names.map((name) => required.get(name) ?? "pending"),
    schemas: names.map((name) => (schemas.has(name) ? (schemas.get(name) ?? "unknown") : "pending")),
  };
}

const label = { path: ["metadata", "labels", "team"], value: "a" };

const editsOf = ({ desired }: WireRequest): Draft => ({
  ...emptyDraft,
  resources: new Map<string, ResourceEdit>([
    ["a", { is: "set", object: { new: [1, null] }, ready: "True" }],
    ["b", { is: "removed" }],
    ["__proto__", { is: "set", ready: "False" }],
    ["ü", { is: "set", document: documentIn(desired, "ü").with([label]) }],
  ]),
  composite: [{ path: ["status"], value: { ok: true } }],
  connectionDetails: new Map([["a", "QQ=="]]),
  context: new Map([["a", "new"]]),
});

const documentIn = ({ resources }: State, name: string): Document => resources.get(name)?.document ?? documentOf({});

const withPair = <T>(pairs: Pairs<T>, key: string, edit: (before: T | undefined) => T): Pairs<T> => {
  const map = new Map(pairs);
  return sorted(map.set(key, edit(map.get(key))), (value) => value);
};

const none: OracleResource = { object: [], ready: 0, details: [] };

const team: PlainValue = { object: [["labels", { object: [["team", "a"]] }]] };

/** The state that the oracle has read, after those edits. */
function edited({ composite, resources }: OracleState): OracleState {
  const object = plainObject({ new: [1, null] });
  const a = withPair(resources, "a", (before = none) => ({ ...before, object, ready: 1 }));
  const b = a.filter(([name]) => name !== "b");
  const proto = withPair(b, "__proto__", (before = none) => ({ ...before, ready: 2 }));
  return {
    composite: {
      ...composite,
      object: withPair(composite.object, "status", () => ({ object: [["ok", true]] })),
      details: withPair(composite.details, "a", () => "QQ=="),
    },
    resources: withPair(proto, "ü", (before = none) => ({
      ...before,
      object: withPair(before.object, "metadata", () => team),
    })),
  };
}

/**
 * Inside a group, which the protocol has none of, protobuf-go takes field numbers that no message may have. This layer
 * refuses them there as well, as protobuf's C++ does.
 */
const isStricter = (ours: unknown): boolean =>
  ours instanceof FunctionError && ours.message.includes("a field number out of range");

/** The same cases in every run: what fails here fails for everybody. */
const parameters = { seed: 20, numRuns: 3000 };

describe.skipIf(program === "")("protobuf-go", () => {
  let oracle: Oracle;
  beforeAll(() => {
    oracle = startOracle(program);
  });
  afterAll(() => oracle.stop());

  test("reads the same in whatever bytes are a request", async () => {
    const property = fc.asyncProperty(anyRequest, async (bytes) => {
      const answer = await oracle.read("request", bytes);
      if (isRefused(answer)) throw new Error(answer.refused);
      const names = namesOf(answer);
      expect(asked(readRequest(bytes), names)).toEqual(expected(answer, names));
    });
    await fc.assert(property, parameters);
  });

  test("reads in the response what the request had and the Draft changed", async () => {
    const property = fc.asyncProperty(anyRequest, async (bytes) => {
      const before = await oracle.read("request", bytes);
      const request = readRequest(bytes);
      const after = await oracle.read("response", writeResponse(request, editsOf(request)));
      if (isRefused(before) || isRefused(after)) throw new Error("refused");
      expect(after).toEqual({
        tag: before.tag,
        desired: edited(before.desired),
        context: withPair(before.context ?? [], "a", () => "new"),
      });
    });
    await fc.assert(property, parameters);
  });

  test("refuses what this layer refuses, and reads the same in what it does not refuse", async () => {
    let refused = 0;
    const property = fc.asyncProperty(brokenRequest, async (bytes) => {
      const answer = await oracle.read("request", bytes);
      const names = isRefused(answer) ? [] : namesOf(answer);
      const ours = thrownBy(() => asked(readRequest(bytes), names));
      if (isRefused(answer)) refused++;
      else if (!isStricter(ours)) expect(ours).toEqual(expected(answer, names));
    });
    await fc.assert(property, parameters);
    expect(refused).toBeGreaterThan(parameters.numRuns / 20);
  });
});
