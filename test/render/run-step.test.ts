import { describe, expect, test } from "vitest";
import type {
  ResourceSelector,
  Resources,
  RunFunctionRequest,
  RunFunctionResponse,
} from "../../src/render/protocol.ts";
import { type Fetcher, runStep } from "../../src/render/run-step.ts";
import { toStruct } from "../../src/render/struct.ts";

const first: RunFunctionRequest = {
  meta: { capabilities: [] },
  observed: {},
  desired: {},
  context: toStruct({ a: 1 }),
};

const response = (parts: Partial<RunFunctionResponse> = {}): RunFunctionResponse => ({
  desired: null,
  results: [],
  requirements: null,
  conditions: [],
  ...parts,
});

const secret: ResourceSelector = { apiVersion: "v1", kind: "Secret", matchName: "a" };
const requirements = { extraResources: {}, resources: {}, schemas: {} };
const answer: Resources = { items: [{ resource: toStruct({ kind: "Secret" }) }] };
const fetcher: Fetcher = { resources: () => answer, schema: ({ kind }) => ({ openapiV3: toStruct({ kind }) }) };

/** Runs a function that returns these responses one after the other, then the last one again and again. */
function run(responses: readonly RunFunctionResponse[], request = first) {
  const calls: RunFunctionRequest[] = [];
  const last = runStep(
    request,
    (call) => {
      calls.push(call);
      return responses[Math.min(calls.length, responses.length) - 1] ?? response();
    },
    fetcher,
  );
  return { calls, last };
}

describe("a function is called until its requirements stay the same", () => {
  test.each([
    { reason: "once where it requires nothing", responses: [response()], calls: 1 },
    { reason: "twice where it requires the same again", responses: [response({ requirements })], calls: 2 },
    {
      reason: "once more when it requires something else",
      responses: [
        response({ requirements }),
        response({ requirements: { ...requirements, resources: { a: secret } } }),
      ],
      calls: 3,
    },
    {
      reason: "again when it no longer requires anything",
      responses: [response({ requirements }), response()],
      calls: 3,
    },
  ])("$reason", ({ responses, calls }) => {
    expect(run(responses).calls).toHaveLength(calls);
  });

  test("but not more than six times", () => {
    let calls = 0;
    const changing = (): RunFunctionResponse => {
      calls += 1;
      const resources = { a: { ...secret, matchName: String(calls) } };
      return response({ requirements: { ...requirements, resources } });
    };
    expect(() => runStep(first, changing, fetcher)).toThrow(
      "requirements didn't stabilize after the maximum number of iterations (5)",
    );
    expect(calls).toBe(6);
  });

  test("and no more once it has failed", () => {
    const fatal = response({ requirements, results: [{ severity: "SEVERITY_FATAL", message: "no" }] });
    expect(run([fatal])).toEqual({ calls: [first], last: fatal });
  });
});

describe("what it is called with", () => {
  test("answers in the field that was asked, and the context it returned", () => {
    const context = toStruct({ b: 2 });
    const asked = {
      extraResources: { old: secret },
      resources: { new: secret },
      schemas: { schema: { apiVersion: "v1", kind: "Secret" } },
    };
    expect(run([response({ requirements: asked, context })]).calls[1]).toEqual({
      ...first,
      context,
      extraResources: { old: answer },
      requiredResources: { new: answer },
      requiredSchemas: { schema: { openapiV3: toStruct({ kind: "Secret" }) } },
    });
  });

  test("no context where it returned none", () => {
    expect(run([response({ requirements })]).calls[1]).not.toHaveProperty("context");
  });

  test("what the Composition requires stays, what it required before does not", () => {
    const bootstrap: Resources = { items: [] };
    const { calls } = run(
      [
        response({ requirements: { ...requirements, resources: { a: secret } } }),
        response({ requirements: { ...requirements, resources: { b: secret } } }),
      ],
      { ...first, requiredResources: { bootstrap } },
    );
    expect(calls.map(({ requiredResources }) => Object.keys(requiredResources ?? {}))).toEqual([
      ["bootstrap"],
      ["bootstrap", "a"],
      ["bootstrap", "b"],
    ]);
  });
});
