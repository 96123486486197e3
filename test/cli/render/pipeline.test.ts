import { describe, expect, test } from "vitest";
import { toComposition } from "../../../cli/render/composition.ts";
import type { Inputs } from "../../../cli/render/inputs.ts";
import { runPipeline } from "../../../cli/render/pipeline.ts";
import type { RunFunctionRequest, RunFunctionResponse } from "../../../cli/render/protocol.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";

const secret = (name: string, data: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "a", labels: { of: name } },
  data,
});

const xr: JsonObject = { apiVersion: "example.org/v1", kind: "XApp", metadata: { name: "app" } };

/** A render's inputs with these steps, each this function. */
const inputsOf = (steps: readonly JsonObject[], parts: Partial<Inputs> = {}): Inputs => ({
  xr,
  composition: toComposition({
    apiVersion: "apiextensions.crossplane.io/v1",
    kind: "Composition",
    spec: { pipeline: steps.map((step) => ({ functionRef: { name: "fn" }, ...step })) },
  }),
  functions: [{ name: "fn", package: "function-shared-infrastructure", annotations: {} }],
  credentials: [],
  observed: [],
  extra: [],
  required: [],
  schemas: [],
  context: new Map<string, JsonValue>(),
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
    const inputs = inputsOf([{ step: "one", input: { c: 1 } }], {
      observed: [observed],
      context: new Map([["k", true]]),
    });
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
        observed: { composite: { resource: xr }, resources: { a: { resource: observed } } },
        desired: {},
        input: { c: 1 },
        context: { k: true },
        credentials: {},
      },
    ]);
  });

  test("what the step before it returned", async () => {
    const desired = { resources: { a: { resource: { kind: "A" } } } };
    const context = { from: "one" };
    const { calls } = await run(inputsOf([{ step: "one" }, { step: "two" }]), [response({ desired, context })]);
    expect(calls[1]).toMatchObject({ desired, context });
  });

  test("credentials from Secrets, and from nothing else", async () => {
    const credentials = [
      { name: "c", source: "Secret", secretRef: { namespace: "a", name: "s" } },
      { name: "d", source: "None" },
    ];
    const inputs = inputsOf([{ step: "one", credentials }], {
      credentials: [secret("other"), secret("s", { k: "aGk=" })],
    });
    expect((await run(inputs)).calls[0]?.credentials).toEqual({
      c: { credentialData: { data: { k: Buffer.from("hi") } } },
    });
  });
});

describe("requirements", () => {
  const none = { extraResources: {}, resources: {}, schemas: {} };
  const selector = { apiVersion: "v1", kind: "Secret", matchName: "s" };

  test("of the Composition are there from the first call on", async () => {
    const requiredResources = [
      { requirementName: "byName", apiVersion: "v1", kind: "Secret", name: "s" },
      { requirementName: "byLabels", apiVersion: "v1", kind: "Secret", matchLabels: { of: "t" } },
      { requirementName: "byNothing", apiVersion: "v1", kind: "Secret" },
    ];
    const requiredSchemas = [{ requirementName: "schema", apiVersion: "v1", kind: "Secret" }];
    const inputs = inputsOf([{ step: "one", requirements: { requiredResources, requiredSchemas } }], {
      required: [secret("s"), secret("t")],
      extra: [secret("s", { only: "for requirements of functions" })],
    });
    expect((await run(inputs)).calls[0]).toMatchObject({
      requiredResources: {
        byName: { items: [{ resource: secret("s") }] },
        byLabels: { items: [{ resource: secret("t") }] },
        byNothing: { items: [] },
      },
      requiredSchemas: { schema: {} },
    });
  });

  test("of a function are pending at first, then answered from both kinds of file", async () => {
    const requirements = {
      ...none,
      resources: { s: selector },
      extraResources: { t: { ...selector, matchName: "t" } },
    };
    const inputs = inputsOf([{ step: "one" }], { required: [secret("s")], extra: [secret("t")] });
    const { calls } = await run(inputs, [response({ requirements }), response({ requirements })]);
    expect(calls[0]).not.toHaveProperty("requiredResources");
    expect(calls[1]).toMatchObject({
      requiredResources: { s: { items: [{ resource: secret("s") }] } },
      extraResources: { t: { items: [{ resource: secret("t") }] } },
    });
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
    const context = { from: "two" };
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
    });
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
