import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readRequest } from "../../src/wire/request.ts";
import { encodeRequest } from "../../testing/wire/oracle.ts";
import { emptyPlainRequest } from "../../testing/wire/plain.ts";
import { askAll, expectedAnswers } from "./answers.ts";
import * as arbitrary from "./arbitraries.ts";
import { field } from "./bytes.ts";

describe("a request", () => {
  test("is read as the protocol's own codec writes it", () => {
    fc.assert(
      fc.property(arbitrary.request, fc.boolean(), (plain, isInside) => {
        const encoded = encodeRequest(plain);
        // The server hands out a message as a part of a larger buffer.
        const message = isInside
          ? Buffer.concat([Buffer.alloc(7, 0x0a), encoded, Buffer.alloc(9, 0x0a)]).subarray(7, -9)
          : encoded;
        const { required, extra, schemas } = plain;
        const names = [required, extra, schemas].flatMap((asked) => [...asked.keys()]);
        const asked = [...new Set([...names, "never asked", "__proto__", "constructor"])];
        expect(askAll(readRequest(message), asked)).toEqual(expectedAnswers(plain, asked));
      }),
      arbitrary.parameters,
    );
  });

  test("of nothing has defaults only", () => {
    const request = readRequest(Buffer.alloc(0));
    expect(askAll(request, ["anything"])).toEqual(expectedAnswers(emptyPlainRequest, ["anything"]));
    expect(request.inputBytes).toBe(0);
  });

  test("tells a kind without a schema from one that was not looked up", () => {
    const request = readRequest(field(9, field(1, "a"), field(2)));
    expect([request.requiredSchema("a"), request.requiredSchema("b")]).toEqual([{ is: "unknown" }, { is: "pending" }]);
  });
});
