import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { toComposition } from "../../src/render/composition.ts";
import type { Inputs } from "../../src/render/inputs.ts";
import { runPipeline } from "../../src/render/pipeline.ts";
import type { RunFunctionRequest, RunFunctionResponse } from "../../src/render/protocol.ts";
import { toStruct } from "../../src/render/struct.ts";

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
  functions: [{ name: "fn", package: "function-shared-infrastructure" }],
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
function run(inputs: Inputs, responses: readonly RunFunctionResponse[] = []) {
  const calls: RunFunctionRequest[] = [];
  const outcome = runPipeline(inputs, (request) => responses[calls.push(request) - 1] ?? response());
  return { calls, outcome };
}

describe("what a step is called with", () => {
  test("the XR, what exists of it, its input and Crossplane v2.2's capabilities", () => {
    const observed = { metadata: { name: "b", annotations: { "crossplane.io/composition-resource-name": "a" } } };
    const inputs = inputsOf([{ step: "one", input: { c: 1 } }], {
      observed: [observed],
      context: new Map([["k", true]]),
    });
    expect(run(inputs).calls).toEqual([
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
        credentials: {},
      },
    ]);
  });

  test("what the step before it returned", () => {
    const desired = { resources: { a: { resource: toStruct({ kind: "A" }) } } };
    const context = toStruct({ from: "one" });
    const { calls } = run(inputsOf([{ step: "one" }, { step: "two" }]), [response({ desired, context })]);
    expect(calls[1]).toMatchObject({ desired, context });
  });

  test("credentials from Secrets, and from nothing else", () => {
    const credentials = [
      { name: "c", source: "Secret", secretRef: { namespace: "a", name: "s" } },
      { name: "d", source: "None" },
    ];
    const inputs = inputsOf([{ step: "one", credentials }], {
      credentials: [secret("other"), secret("s", { k: "aGk=" })],
    });
    expect(run(inputs).calls[0]?.credentials).toEqual({ c: { credentialData: { data: { k: Buffer.from("hi") } } } });
  });
});

describe("requirements", () => {
  const none = { extraResources: {}, resources: {}, schemas: {} };
  const selector = { apiVersion: "v1", kind: "Secret", matchName: "s" };

  test("of the Composition are there from the first call on", () => {
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
    expect(run(inputs).calls[0]).toMatchObject({
      requiredResources: {
        byName: { items: [{ resource: toStruct(secret("s")) }] },
        byLabels: { items: [{ resource: toStruct(secret("t")) }] },
        byNothing: { items: [] },
      },
      requiredSchemas: { schema: {} },
    });
  });

  test("of a function are pending at first, then answered from both kinds of file", () => {
    const requirements = {
      ...none,
      resources: { s: selector },
      extraResources: { t: { ...selector, matchName: "t" } },
    };
    const inputs = inputsOf([{ step: "one" }], { required: [secret("s")], extra: [secret("t")] });
    const { calls } = run(inputs, [response({ requirements }), response({ requirements })]);
    expect(calls[0]).not.toHaveProperty("requiredResources");
    expect(calls[1]).toMatchObject({
      requiredResources: { s: { items: [{ resource: toStruct(secret("s")) }] } },
      extraResources: { t: { items: [{ resource: toStruct(secret("t")) }] } },
    });
  });

  test("that nothing meets are answered, with nothing", () => {
    const requirements = { ...none, resources: { s: selector }, schemas: { x: { apiVersion: "v1", kind: "X" } } };
    const { calls } = run(inputsOf([{ step: "one" }]), [response({ requirements }), response({ requirements })]);
    expect(calls[1]).toMatchObject({ requiredResources: { s: { items: [] } }, requiredSchemas: { x: {} } });
  });
});

describe("what a pipeline comes to", () => {
  const condition = { type: "A", status: "STATUS_CONDITION_TRUE", reason: "R" };

  test("the last step's state and context, all steps' conditions and results", () => {
    const desired = { resources: {} };
    const context = toStruct({ from: "two" });
    const { outcome } = run(inputsOf([{ step: "one" }, { step: "two" }]), [
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

  test("a fatal result ends it", () => {
    const fatal = response({ results: [{ severity: "SEVERITY_FATAL", message: "no" }] });
    expect(() => run(inputsOf([{ step: "one" }, { step: "two" }]), [fatal])).toThrow(
      'pipeline step "one" returned a fatal result: no',
    );
  });

  test("a function that throws ends it, and the error says in which step", () => {
    const fails = () => runPipeline(inputsOf([{ step: "one" }]), () => JSON.parse("["));
    expect(fails).toThrow('cannot run pipeline step "one"');
  });
});
