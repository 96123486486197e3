import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FunctionError } from "../../src/errors.ts";
import { documentOf } from "../../src/model/document.ts";
import { type Draft, emptyDraft, type ResourceEdit } from "../../src/model/draft.ts";
import { withValueAt } from "../../src/model/field-path.ts";
import { readRequest, type WireRequest } from "../../src/wire/request.ts";
import { writeResponse } from "../../src/wire/response.ts";
import { toolOrSkip } from "../../testing/tools/server-tools.ts";
import type { PlainRequest } from "../../testing/wire/plain.ts";
import { type Oracle, startOracle } from "../../testing/wire/protobuf-go.ts";
import { askAll, expectedAnswers, namesIn } from "./answers.ts";
import { anyRequest } from "./any-bytes.ts";
import { brokenRequest } from "./broken-bytes.ts";
import { expectedResponse } from "./drafts.ts";
import { thrownBy } from "./reading.ts";

/**
 * protobuf-go reads what this layer reads, in whatever bytes there are. protobufjs is the oracle of the other tests; it
 * departs from the specification where a field is given twice.
 */

const program = toolOrSkip("protobuf-go") ?? "";

const label = { path: ["metadata", "labels", "team"], value: "a" };

/** Edits of all kinds: of resources that are there and others. `team` has the label. */
const editsOf = (team: ResourceEdit): Draft => ({
  ...emptyDraft,
  resources: new Map<string, ResourceEdit>([
    ["a", { is: "set", object: { new: [1, null] }, ready: "True" }],
    ["b", { is: "removed" }],
    ["__proto__", { is: "set", ready: "False" }],
    ["ü", team],
  ]),
  composite: [{ path: ["status"], value: { ok: true } }],
  context: new Map([["a", "new"]]),
});

/** The same edits of the decoded message, and of its bytes. */
function toEdits(before: PlainRequest, { desired }: WireRequest): readonly [plain: Draft, ours: Draft] {
  const object = withValueAt(before.desired.resources.get("ü")?.object ?? {}, label.path, label.value);
  const document = (desired.resources.get("ü")?.document ?? documentOf({})).with([label]);
  return [editsOf({ is: "set", object }), editsOf({ is: "set", object: document })];
}

/** This layer refuses groups: the protocol has none, and new ones cannot be declared in proto3. */
const isStricter = (ours: unknown): boolean =>
  ours instanceof FunctionError && ours.message.includes("an unknown wire type");

/** The same cases in every run: what fails here fails for everybody. */
const parameters = { seed: 20, numRuns: 3000 };

describe.skipIf(program === "")("protobuf-go", () => {
  let oracle: Oracle;
  beforeAll(() => {
    oracle = startOracle(program);
  });
  afterAll(() => oracle.stop());

  const read = async (kind: "request" | "response", bytes: Buffer): Promise<PlainRequest> => {
    const answer = await oracle.read(kind, bytes);
    if (answer === undefined) throw new Error(`protobuf-go refuses the ${kind}`);
    return answer;
  };

  test("reads the same in whatever bytes are a request", async () => {
    const property = fc.asyncProperty(anyRequest, async (bytes) => {
      const answer = await read("request", bytes);
      const names = namesIn(answer);
      expect(askAll(readRequest(bytes), names)).toEqual(expectedAnswers(answer, names));
    });
    await fc.assert(property, parameters);
  });

  test("reads in the response what the request had and the Draft changed", async () => {
    const property = fc.asyncProperty(anyRequest, async (bytes) => {
      const before = await read("request", bytes);
      const request = readRequest(bytes);
      const [plain, ours] = toEdits(before, request);
      const after = await read("response", writeResponse(request, ours));
      const { tag, desired, context } = expectedResponse(before, plain);
      expect({ tag: after.tag, desired: after.desired, context: after.context }).toEqual({ tag, desired, context });
    });
    await fc.assert(property, parameters);
  });

  test("refuses what this layer refuses, and reads the same in what it does not refuse", async () => {
    let refused = 0;
    const property = fc.asyncProperty(brokenRequest, async (bytes) => {
      const plain = await oracle.read("request", bytes);
      const names = plain === undefined ? [] : namesIn(plain);
      const ours = thrownBy(() => askAll(readRequest(bytes), names));
      if (plain === undefined) refused++;
      else if (!isStricter(ours)) expect(ours).toEqual(expectedAnswers(plain, names));
    });
    await fc.assert(property, parameters);
    expect(refused).toBeGreaterThan(parameters.numRuns / 20);
  });
});
