import fc from "fast-check";
import { expect, test } from "vitest";
import { type Draft, emptyDraft } from "../../src/model/draft.ts";
import { readRequest } from "../../src/wire/request.ts";
import { writeResponse } from "../../src/wire/response.ts";
import { unknownField } from "./any-bytes.ts";
import { concat, entry, field, number, string, struct } from "./bytes.ts";

const everythingEdited: Draft = {
  ...emptyDraft,
  resources: new Map([["db", { is: "set", object: {}, ready: "False" }]]),
  composite: [{ path: ["status"], value: {} }],
  compositeReady: "True",
  context: new Map([["key", "value"]]),
};

test("what the protocol does not know stays with the resource, the State and the context it came in, edited or not", () => {
  const eight = fc.tuple(...Array.from({ length: 8 }, () => unknownField));
  fc.assert(
    fc.property(eight, (unknown) => {
      const [a, b, c, d, e, f, g, h] = unknown as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
      const secret = field(2, field(1, "password"), field(2, "kept"));
      const other = field(2, a, field(1, "other"), field(2, field(1, b, entry("x", concat(c, string("v"), d)))));
      const observed = field(2, field(1, "db"), field(2, c, number(3, 1), d, secret));
      const state = [e, field(1, a, field(1), b), f, other, observed, g];
      const context = [a, entry("key", string("v")), b];
      const request = readRequest(concat(field(3, ...state), h, field(5, ...context)));
      const meta = field(1, field(1, ""));

      const unchanged = concat(meta, field(2, ...state), field(4, ...context));
      expect(writeResponse(request, emptyDraft)).toEqual(unchanged);
      const composite = field(1, a, b, field(1, entry("status", struct())), number(3, 1));
      const db = field(2, field(1, "db"), field(2, c, d, secret, field(1), number(3, 2)));
      expect(writeResponse(request, everythingEdited)).toEqual(
        concat(meta, field(2, e, f, other, g, composite, db), field(4, a, b, entry("key", string("value")))),
      );
    }),
    { seed: 20, numRuns: 300 },
  );
});
