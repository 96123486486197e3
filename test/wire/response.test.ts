import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Draft, emptyDraft, withObjects } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { readRequest } from "../../src/wire/request.ts";
import { writeFatalResponse, writeResponse } from "../../src/wire/response.ts";
import { decodeResponse, encodeRequest } from "../../testing/wire/oracle.ts";
import { emptyResource } from "../../testing/wire/plain.ts";
import * as arbitrary from "./arbitraries.ts";
import { concat, contentsOf, entry, field, number } from "./bytes.ts";
import { draft, expectedResponse } from "./drafts.ts";
import { thrownBy } from "./reading.ts";

/** The response to a request of nothing. */
const write = (draft: Partial<Draft>): Buffer =>
  writeResponse(readRequest(Buffer.alloc(0)), { ...emptyDraft, ...draft });

describe("a response", () => {
  test("that edits nothing gives the desired state and the context back byte for byte", () => {
    fc.assert(
      fc.property(arbitrary.request, (plain) => {
        const bytes = encodeRequest(plain);
        const response = writeResponse(readRequest(bytes), emptyDraft);
        expect(contentsOf(response, 2)).toEqual(contentsOf(bytes, 3));
        expect(contentsOf(response, 4)).toEqual(contentsOf(bytes, 5));
        const { desired, context, tag } = plain;
        const ours = { ttlSeconds: undefined, results: [], conditions: [], requirements: undefined, output: undefined };
        expect(decodeResponse(response)).toEqual({ ...ours, desired, context, tag });
      }),
      arbitrary.parameters,
    );
  });

  test("says what the Draft says and keeps all else, as the protocol's own codec reads it", () => {
    fc.assert(
      fc.property(arbitrary.request, draft, (plain, arbitraryDraft) => {
        const bytes = encodeRequest(plain);
        const request = readRequest(bytes);
        const passedOn = [{ observed: request.observed.composite.document }];
        const { context } = arbitraryDraft;
        const passing = context.size === 0 ? context : new Map([...context, ["a", passedOn] as const]);
        const edits: Draft = { ...arbitraryDraft, context: passing };
        const expected = thrownBy(() => expectedResponse(plain, edits));
        expect(thrownBy(() => decodeResponse(writeResponse(request, edits)))).toEqual(expected);
      }),
      { ...arbitrary.parameters, numRuns: 600 },
    );
  });

  test("that is Fatal leaves out the desired state and the context", () => {
    fc.assert(
      fc.property(arbitrary.request, draft, (plain, draft) => {
        const bytes = encodeRequest(plain);
        const desired = { composite: emptyResource, resources: new Map() };
        const expected = expectedResponse(plain, { ...draft, composite: [] });
        const response = decodeResponse(writeFatalResponse(readRequest(bytes), draft));
        expect(response).toEqual({ ...expected, desired, context: undefined, output: undefined });
      }),
      arbitrary.parameters,
    );
  });

  test("has everything in the Draft's order, but requirements by name: v1.20 compares bytes of them with those of the call before", () => {
    const names = ["b", "a", "d", "c"];
    const mapOf = <T>(value: T): Map<string, T> => new Map(names.map((name) => [name, value]));
    const selector = { apiVersion: "v1", kind: "Secret", match: { labels: Object.fromEntries(mapOf("v")) } };
    const resources = mapOf({ is: "set", object: Object.fromEntries(mapOf(null)) } as const);
    const response = write({ resources, requirements: mapOf(selector), context: mapOf("v") });
    const { desired, requirements, context } = decodeResponse(response);
    const { match } = requirements?.extra.get("a") ?? {};
    const objects = [desired.resources.get("a")?.object, context];
    const keys = [[...desired.resources.keys()], ...objects.map((object) => Object.keys(object ?? {}))];
    expect(keys).toEqual(Array(3).fill(names));
    const asked = [requirements?.resources, requirements?.extra].map((map) => [...(map?.keys() ?? [])]);
    expect(asked).toEqual(Array(2).fill(["a", "b", "c", "d"]));
    expect(JSON.stringify(match)).toBe(JSON.stringify(selector.match));
  });

  test("ends where it becomes larger than it may be, long before all of it is written", () => {
    const text = "x".repeat(1000);
    const object = { items: Array.from({ length: 1_000_000 }, () => text) };
    const run = () =>
      writeResponse(readRequest(Buffer.alloc(0)), withObjects(emptyDraft, [["a", object]]), 1024 * 1024);
    const message =
      "cannot return more than 1 MiB: Crossplane takes no larger response, and a response contains what earlier steps desire, too. Split the XR into several that compose less each, or have it use fewer shared resources";
    expect(thrownBy(run)).toMatchObject({ code: "InvalidResponse", message });
  });

  test("to the same request is the same, byte for byte", () => {
    fc.assert(
      fc.property(arbitrary.request, draft, (plain, draft) => {
        const bytes = encodeRequest(plain);
        const write = (message: Buffer) =>
          thrownBy(() => writeResponse(readRequest(message), { ...draft, composite: [] }));
        expect(write(Buffer.from(bytes))).toEqual(write(bytes));
      }),
      { ...arbitrary.parameters, numRuns: 50 },
    );
  });
});

const deep: JsonObject = JSON.parse(`${'{"a":'.repeat(999)}{}${"}".repeat(999)}`);
test.each<[string, JsonObject]>([
  ["larger by one string", { a: "ü".repeat(50_000) }],
  ["larger by many small values", { a: Array.from({ length: 20_000 }, (_, i) => ({ i })) }],
  ["larger by many times the guess, at once", { a: "b".repeat(5_000_000) }],
  ["as deep as one may be read", deep],
])("a response that is %s is whole", (_, object) => {
  const response = write({ resources: new Map([["db", { is: "set", object }]]) });
  // What a response desires, as the next step of the pipeline is asked with it.
  const { desired } = readRequest(concat(...contentsOf(response, 2).map((each) => field(3, each))));
  expect(JSON.stringify(desired.resources.get("db")?.document.toObject())).toBe(JSON.stringify(object));
});

test("null is written as null, and not as a Value without a kind, which protojson refuses", () => {
  const resources = new Map([["db", { is: "set", object: { a: null } }]]) satisfies Draft["resources"];
  expect(write({ resources }).includes(entry("a", number(1, 0)))).toBe(true);
});

test.each<[string, number, Partial<Draft>]>([
  ["in a resource", Number.NaN, { resources: new Map([["db", { is: "set", object: { sizes: [1, Number.NaN] } }]]) }],
  ["in the composite", Infinity, { composite: [{ path: ["status", "load"], value: { max: Infinity } }] }],
  ["in the context", -Infinity, { context: new Map([["key", [null, { a: -Infinity }]]]) }],
])("a number that JSON does not know is refused %s: %s", (_, value, draft) => {
  const message = `cannot return ${value} as a JSON number`;
  expect(thrownBy(() => write(draft))).toMatchObject({ code: "InvalidResponse", message });
});
