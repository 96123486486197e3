import { describe, expect, test } from "vitest";
import type { Inputs, Step } from "../../../cli/render/inputs.ts";
import { runPipeline } from "../../../cli/render/pipeline.ts";
import type { RunFunctionRequest, RunFunctionResponse } from "../../../cli/render/protocol.ts";
import { toStruct } from "../../../cli/render/protocol.ts";
import type { JsonObject } from "../../../src/model/json.ts";

const secret = (name: string, data: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "a", labels: { of: name } },
  data,
});

const xr: JsonObject = { apiVersion: "example.org/v1", kind: "XApp", metadata: { name: "app" } };

/** A render's inputs with these steps, each this function. */
const inputsOf = (steps: readonly Pick<Step, "step" | "input">[], parts: Partial<Inputs> = {}): Inputs => ({
  xr,
  steps: steps.map((one) => ({ functionRef: { name: "fn" }, ...one })),
  functions: [{ name: "fn", package: "function-shared-infrastructure", annotations: {} }],
  observed: [],
  required: [],
  schemas: [],
  context: {},
  ...parts,
});

const response = (parts: Partial<RunFunctionResponse> = {}): RunFunctionResponse => ({
  desired: null,
  results: [],
  requirements: null,
  conditions: [],
  ...parts,
});

/** Runs the pipeline; the function returns these responses one after the other. */
async function run(inputs: Inputs, responses: readonly RunFunctionResponse[] = []) {
  const calls: RunFunctionRequest[] = [];
  const outcome = await runPipeline(inputs, async (_, request) => responses[calls.push(request) - 1] ?? response());
  return { calls, outcome };
}

describe("what a step is called with", () => {
  test("the XR, what exists of it, its input and Crossplane v2.2's capabilities", async () => {
    const observed = { metadata: { name: "b", annotations: { "crossplane.io/composition-resource-name": "a" } } };
    const inputs = inputsOf([{ step: "one", input: { c: 1 } }], { observed: [observed], context: { k: true } });
    expect((await run(inputs)).calls).toEqual([
      {
        meta: {
          capabilities: [
            "CAPABILITY_CAPABILITIES",
            "CAPABILITY_REQUIRED_RESOURCES",
            "CAPABILITY_CREDENTIALS",
            "CAPABILITY_CONDITIONS",
            "CAPABILITY_REQUIRED_SCHEMAS",
          ],
        },
        observed: { composite: { resource: toStruct(xr) }, resources: { a: { resource: toStruct(observed) } } },
        desired: {},
        input: toStruct({ c: 1 }),
        context: toStruct({ k: true }),
      },
    ]);
  });

  test("what the step before it returned", async () => {
    const desired = { resources: { a: { resource: toStruct({ kind: "A" }) } } };
    const context = toStruct({ from: "one" });
    const { calls } = await run(inputsOf([{ step: "one" }, { step: "two" }]), [response({ desired, context })]);
    expect(calls[1]).toMatchObject({ desired, context });
  });
});

describe("requirements", () => {
  const none = { extraResources: {}, resources: {}, schemas: {} };
  const selector = { apiVersion: "v1", kind: "Secret", matchName: "s", namespace: "a" };

  test("of a function are pending at first, then answered in the field that was asked, with the context that it returned", async () => {
    const requirements = {
      ...none,
      resources: { s: selector },
      extraResources: { t: { ...selector, matchName: "t" } },
      schemas: { x: { apiVersion: "v1", kind: "Secret" } },
    };
    const openapiV3 = { "x-kubernetes-group-version-kind": [{ version: "v1", kind: "Secret" }] };
    const inputs = inputsOf([{ step: "one" }], { required: [secret("s"), secret("t")], schemas: [openapiV3] });
    const { calls } = await run(inputs, [
      response({ requirements, context: toStruct({ b: 2 }) }),
      response({ requirements }),
    ]);
    expect(calls[0]).not.toHaveProperty("requiredResources");
    expect(calls[1]).toMatchObject({
      context: toStruct({ b: 2 }),
      requiredResources: { s: { items: [{ resource: toStruct(secret("s")) }] } },
      extraResources: { t: { items: [{ resource: toStruct(secret("t")) }] } },
      requiredSchemas: { x: { openapiV3: toStruct(openapiV3) } },
    });
  });

  test("are answered with no context where the function returned none", async () => {
    const { calls } = await run(inputsOf([{ step: "one" }]), [response({ requirements: none })]);
    expect(calls[1]).not.toHaveProperty("context");
  });

  test("that nothing meets are answered, with nothing", async () => {
    const requirements = { ...none, resources: { s: selector }, schemas: { x: { apiVersion: "v1", kind: "X" } } };
    const { calls } = await run(inputsOf([{ step: "one" }]), [response({ requirements }), response({ requirements })]);
    expect(calls[1]).toMatchObject({ requiredResources: { s: { items: [] } }, requiredSchemas: { x: {} } });
  });
});

describe("what a pipeline comes to", () => {
  const condition = { type: "A", status: "STATUS_CONDITION_TRUE", reason: "R" };

  test("the last step's state and context, all steps' conditions and results", async () => {
    const desired = { resources: {} };
    const context = toStruct({ from: "two" });
    const { outcome } = await run(inputsOf([{ step: "one" }, { step: "two" }]), [
      response({ conditions: [condition], results: [{ severity: "SEVERITY_NORMAL", message: "m" }] }),
      response({
        desired,
        context,
        conditions: [condition],
        results: [{ severity: "SEVERITY_WARNING", message: "n" }],
      }),
    ]);
    const result = { apiVersion: "render.crossplane.io/v1beta1", kind: "Result" };
    expect(outcome).toEqual({
      desired,
      context,
      conditions: [condition, condition],
      results: [
        { ...result, step: "one", severity: "SEVERITY_NORMAL", message: "m" },
        { ...result, step: "two", severity: "SEVERITY_WARNING", message: "n" },
      ],
      warnings: [],
    });
  });

  const desiring = (...names: readonly string[]) =>
    response({ desired: { resources: Object.fromEntries(names.map((name) => [name, {}])) } });
  const [adopting, other] = [{ spec: { adoption: {} } }, { spec: {} }];

  test.each<{
    reason: string;
    inputs: readonly JsonObject[];
    responses: readonly RunFunctionResponse[];
    warnings: readonly string[];
  }>([
    {
      reason: "the step with adoption is the last",
      inputs: [other, adopting],
      responses: [desiring("a"), desiring("a")],
      warnings: [],
    },
    {
      reason: "later steps desire nothing more, as those that mark resources ready",
      inputs: [adopting, other],
      responses: [desiring("a"), desiring("a")],
      warnings: [],
    },
    {
      reason: "no step has adoption",
      inputs: [other, other],
      responses: [desiring("a"), desiring("a", "b")],
      warnings: [],
    },
    {
      reason: "a later step desires more",
      inputs: [adopting, other],
      responses: [desiring("a"), desiring("c", "a", "b")],
      warnings: [
        'pipeline step "0" uses adoption, and later steps desire b, c, which it takes for resources that no step desires (StepNotLast): ' +
          "move it to the end of the pipeline",
      ],
    },
  ])("a warning about adoption: $reason", async ({ inputs, responses, warnings }) => {
    const steps = inputs.map((input, index) => ({ step: String(index), input }));
    expect((await run(inputsOf(steps), responses)).outcome.warnings).toEqual(warnings);
  });

  test("a fatal result ends it", async () => {
    const fatal = response({ results: [{ severity: "SEVERITY_FATAL", message: "no" }] });
    await expect(run(inputsOf([{ step: "one" }, { step: "two" }]), [fatal])).rejects.toThrow(
      'pipeline step "one" returned a fatal result: no',
    );
  });

  test("a function that throws ends it, and the error says in which step", async () => {
    const running = runPipeline(inputsOf([{ step: "one" }]), async () => JSON.parse("["));
    await expect(running).rejects.toThrow('cannot run pipeline step "one"');
  });
});

const asking = { extraResources: {}, resources: {}, schemas: {} };
const secretNamed = (matchName: string) => ({ apiVersion: "v1", kind: "Secret", matchName });
const asksFor = (name: string) => response({ requirements: { ...asking, resources: { a: secretNamed(name) } } });

describe("a function is called until its requirements stay the same", () => {
  test.each([
    { reason: "once where it requires nothing", responses: [response()], calls: 1 },
    { reason: "twice where it requires the same again", responses: [asksFor("s"), asksFor("s")], calls: 2 },
    {
      reason: "once more when it requires something else",
      responses: [asksFor("s"), asksFor("t"), asksFor("t")],
      calls: 3,
    },
    { reason: "again when it no longer requires anything", responses: [asksFor("s")], calls: 3 },
  ])("a function is called $reason", async ({ responses, calls }) => {
    expect((await run(inputsOf([{ step: "one" }]), responses)).calls).toHaveLength(calls);
  });

  test("but not more than six times", async () => {
    let calls = 0;
    const running = runPipeline(inputsOf([{ step: "one" }]), async () => asksFor(String(++calls)));
    await expect(running).rejects.toMatchObject({
      cause: { message: "requirements didn't stabilize after the maximum number of iterations (5)" },
    });
    expect(calls).toBe(6);
  });

  test("what it required before is not answered any more", async () => {
    const asks = (name: string) => response({ requirements: { ...asking, resources: { [name]: secretNamed("s") } } });
    const { calls } = await run(inputsOf([{ step: "one" }]), [asks("a"), asks("b"), asks("b")]);
    expect(calls.map(({ requiredResources }) => Object.keys(requiredResources ?? {}))).toEqual([[], ["a"], ["b"]]);
  });
});
