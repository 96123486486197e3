import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Draft, emptyDraft } from "../../src/model/draft.ts";
import { readRequest } from "../../src/wire/request.ts";
import { writeFatalResponse, writeResponse } from "../../src/wire/response.ts";
import { decodeRequest, decodeResponse, encodeRequest } from "../support/oracle.ts";
import * as arbitrary from "./arbitraries.ts";
import { contentsOf, field, number } from "./bytes.ts";
import { draft, expectedResponse, passingOn } from "./drafts.ts";
import { thrownBy } from "./thrown.ts";
import { unknownField } from "./unusual.ts";

/** The same cases in every run: what fails here fails for everybody. */
const parameters = { seed: 20, numRuns: 300 };

describe("a response", () => {
  test("that edits nothing gives the desired state and the context back byte for byte", () => {
    fc.assert(
      fc.property(arbitrary.request, (plain) => {
        const bytes = encodeRequest(plain);
        const response = writeResponse(readRequest(bytes), emptyDraft);
        expect(contentsOf(response, 2)).toEqual(contentsOf(bytes, 3));
        expect(contentsOf(response, 4)).toEqual(contentsOf(bytes, 5));
        const { desired, context, tag } = decodeRequest(bytes);
        const nothing = { ttlSeconds: undefined, results: [], conditions: [], requirements: undefined };
        expect(decodeResponse(response)).toEqual({ ...nothing, desired, context, tag });
      }),
      parameters,
    );
  });

  test("says what the Draft says and keeps all else, as the protocol's own codec reads it", () => {
    fc.assert(
      fc.property(arbitrary.request, draft, (plain, arbitraryDraft) => {
        const bytes = encodeRequest(plain);
        const request = readRequest(bytes);
        const edits = passingOn(arbitraryDraft, request.observed.composite.document);
        const expected = thrownBy(() => expectedResponse(decodeRequest(bytes), edits));
        expect(thrownBy(() => decodeResponse(writeResponse(request, edits)))).toEqual(expected);
      }),
      { ...parameters, numRuns: 600 },
    );
  });

  test("that is Fatal leaves out the desired state and the context", () => {
    fc.assert(
      fc.property(arbitrary.request, draft, (plain, draft) => {
        const bytes = encodeRequest(plain);
        const nothing = { composite: { object: {}, ready: "Unspecified" }, resources: new Map() };
        expect(decodeResponse(writeFatalResponse(readRequest(bytes), draft))).toEqual({
          ...expectedResponse(decodeRequest(bytes), { ...draft, composite: [] }),
          desired: nothing,
          context: undefined,
        });
      }),
      parameters,
    );
  });

  test("to the same request is the same, byte for byte", () => {
    fc.assert(
      fc.property(arbitrary.request, draft, (plain, draft) => {
        const bytes = encodeRequest(plain);
        const write = (message: Buffer) =>
          thrownBy(() => writeResponse(readRequest(message), { ...draft, composite: [] }));
        expect(write(Buffer.from(bytes))).toEqual(write(bytes));
      }),
      { ...parameters, numRuns: 50 },
    );
  });
});

const { NaN: notANumber, POSITIVE_INFINITY: infinity, NEGATIVE_INFINITY: minusInfinity } = Number;

describe("a number that JSON does not know is refused, with its place", () => {
  test.each<{ reason: string; draft: Partial<Draft>; message: string }>([
    {
      reason: "in a resource",
      draft: { resources: new Map([["db", { is: "set", object: { spec: { sizes: [1, notANumber] } } }]]) },
      message: "cannot return desired resource db.spec.sizes[1]: NaN is not a JSON number",
    },
    {
      reason: "in the composite",
      draft: { composite: [{ path: ["status", "load"], value: { max: infinity } }] },
      message: "cannot return desired composite status.load.max: Infinity is not a JSON number",
    },
    {
      reason: "in the context",
      draft: { context: new Map([["key", [null, { a: minusInfinity }]]]) },
      message: "cannot return context key[1].a: -Infinity is not a JSON number",
    },
    {
      reason: "behind edits that have none",
      draft: {
        resources: new Map([
          ["a", { is: "removed" }],
          ["b", { is: "set", ready: "True" }],
          ["c", { is: "set", object: {} }],
        ]),
        context: new Map<string, null | number>([
          ["one", null],
          ["two", notANumber],
        ]),
      },
      message: "cannot return context two: NaN is not a JSON number",
    },
  ])("$reason", ({ draft, message }) => {
    const run = () => writeResponse(readRequest(Buffer.alloc(0)), { ...emptyDraft, ...draft });
    expect(thrownBy(run)).toMatchObject({ code: "InvalidResponse", message });
  });
});

describe("what the protocol does not know", () => {
  test("stays with the resource, the State and the context it came in, edited or not", () => {
    fc.assert(
      fc.property(fc.array(unknownField, { minLength: 7, maxLength: 7 }), fc.boolean(), (unknown, isEdited) => {
        const [a, b, c, d, e, f, g] = unknown as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
        const composite = field(1, a, field(1), b);
        const resource = field(2, c, number(3, 1), d, field(2, field(1, "password"), field(2, "kept")));
        const desired = [e, composite, f, field(2, field(1, "db"), resource), g];
        const draft: Draft = {
          ...emptyDraft,
          resources: new Map([["db", { is: "set", object: {}, ready: "False" }]]),
          composite: [{ path: ["status"], value: {} }],
          compositeReady: "True",
          context: new Map([["key", "value"]]),
        };
        const request = readRequest(Buffer.concat([field(3, ...desired), field(5, a, b), c]));
        const response = writeResponse(request, isEdited ? draft : emptyDraft);
        const [state] = contentsOf(response, 2) as [Buffer];
        const [context] = contentsOf(response, 4) as [Buffer];
        const [entry] = contentsOf(state, 2) as [Buffer];
        const inside = [
          [state, [e, f, g]],
          [contentsOf(state, 1)[0], [a, b]],
          [contentsOf(entry, 2)[0], [c, d]],
          [context, [a, b]],
        ] as const;
        for (const [message, kept] of inside) {
          for (const bytes of kept) expect(message?.includes(bytes)).toBe(true);
        }
        expect(entry.includes("kept")).toBe(true);
        if (!isEdited) expect(state).toEqual(Buffer.concat(desired));
      }),
      parameters,
    );
  });
});
