import { describe, expect, test } from "vitest";
import type {
  ResourceSelector,
  Resources,
  RunFunctionRequest,
  RunFunctionResponse,
} from "../../../cli/render/protocol.ts";
import { type Fetcher, runStep } from "../../../cli/render/run-step.ts";

const first: RunFunctionRequest = {
  meta: { capabilities: [] },
  observed: {},
  desired: {},
  context: { a: 1 },
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
const answer: Resources = { items: [{ resource: { kind: "Secret" } }] };
const fetcher: Fetcher = { resources: () => answer, schema: ({ kind }) => ({ openapiV3: { kind } }) };

/** Runs a function that returns these responses one after the other, then the last one again and again. */
async function run(responses: readonly RunFunctionResponse[], request = first) {
  const calls: RunFunctionRequest[] = [];
  const last = await runStep(
    request,
    async (call) => {
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
  ])("a function is called $reason", async ({ responses, calls }) => {
    expect((await run(responses)).calls).toHaveLength(calls);
  });

  test("but not more than six times", async () => {
    let calls = 0;
    const changing = async (): Promise<RunFunctionResponse> => {
      calls += 1;
      const resources = { a: { ...secret, matchName: String(calls) } };
      return response({ requirements: { ...requirements, resources } });
    };
    await expect(runStep(first, changing, fetcher)).rejects.toThrow(
      "requirements didn't stabilize after the maximum number of iterations (5)",
    );
    expect(calls).toBe(6);
  });

  test("and no more once it has failed", async () => {
    const fatal = response({ requirements, results: [{ severity: "SEVERITY_FATAL", message: "no" }] });
    expect(await run([fatal])).toEqual({ calls: [first], last: fatal });
  });
});

describe("what it is called with", () => {
  test("answers in the field that was asked, and the context it returned", async () => {
    const context = { b: 2 };
    const asked = {
      extraResources: { old: secret },
      resources: { new: secret },
      schemas: { schema: { apiVersion: "v1", kind: "Secret" } },
    };
    expect((await run([response({ requirements: asked, context })])).calls[1]).toEqual({
      ...first,
      context,
      extraResources: { old: answer },
      requiredResources: { new: answer },
      requiredSchemas: { schema: { openapiV3: { kind: "Secret" } } },
    });
  });

  test("no context where it returned none", async () => {
    expect((await run([response({ requirements })])).calls[1]).not.toHaveProperty("context");
  });

  test("what the Composition requires stays, what it required before does not", async () => {
    const bootstrap: Resources = { items: [] };
    const { calls } = await run(
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
