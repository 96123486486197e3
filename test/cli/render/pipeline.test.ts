import { describe, expect, test } from "vitest";
import type { Inputs } from "../../../cli/render/inputs.ts";
import { runPipeline } from "../../../cli/render/pipeline.ts";
import type { RunFunctionRequest, RunFunctionResponse } from "../../../cli/render/protocol.ts";
import { toStruct } from "../../../cli/render/protocol.ts";
import type { JsonObject } from "../../../src/model/json.ts";

const secret = (name: string): JsonObject => ({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "a" } });

const xr: JsonObject = { apiVersion: "example.org/v1", kind: "XApp", metadata: { name: "app" } };

/** Steps that are called 0, 1 and so on, each this function with one of these inputs. */
const stepsOf = (...inputs: readonly JsonObject[]): Inputs["steps"] =>
  inputs.map((input, index) => ({ step: String(index), functionRef: { name: "fn" }, credentials: [], input }));

/** A render's inputs, of one step unless the parts say otherwise. */
const inputsOf = (parts: Partial<Inputs> = {}): Inputs => ({
  xr,
  steps: stepsOf({}),
  functions: [{ name: "fn", package: "function-shared-infrastructure", annotations: {} }],
  observed: [],
  required: [],
  credentials: [],
  schemas: [],
  context: {},
  ...parts,
});

type Response = Partial<RunFunctionResponse>;

/** Runs the pipeline; the function returns these responses one after the other, and then nothing. */
async function run(parts: Partial<Inputs>, ...responses: readonly Response[]) {
  const calls: RunFunctionRequest[] = [];
  const nothing = { desired: null, results: [], requirements: null, conditions: [] };
  const call = async (_: unknown, request: RunFunctionRequest): Promise<RunFunctionResponse> => ({
    ...nothing,
    ...responses[calls.push(request) - 1],
  });
  const outcome = await runPipeline(inputsOf(parts), call);
  return { calls, outcome };
}

describe("what a step is called with", () => {
  test("the XR, what exists of it, its input and Crossplane v2.2's capabilities", async () => {
    const observed = { metadata: { name: "b", annotations: { "crossplane.io/composition-resource-name": "a" } } };
    const { calls } = await run({ steps: stepsOf({ c: 1 }), observed: [observed], context: { k: true } });
    const known = ["CAPABILITIES", "REQUIRED_RESOURCES", "CREDENTIALS", "CONDITIONS", "REQUIRED_SCHEMAS"];
    expect(calls).toEqual([
      {
        meta: { capabilities: known.map((name) => `CAPABILITY_${name}`) },
        observed: { composite: { resource: toStruct(xr) }, resources: { a: { resource: toStruct(observed) } } },
        desired: {},
        input: toStruct({ c: 1 }),
        context: toStruct({ k: true }),
      },
    ]);
  });

  test("the connection details of what exists, from the Secret that it names in another file", async () => {
    const toComposed = (name: string, namespace: string, ref: JsonObject): JsonObject => ({
      metadata: { name, namespace, annotations: { "crossplane.io/composition-resource-name": name } },
      spec: { writeConnectionSecretToRef: ref },
    });
    const observed = [toComposed("own", "a", { name: "s" }), toComposed("other", "", { name: "s", namespace: "a" })];
    const missing = toComposed("missing", "b", { name: "s" });
    const required = [{ ...secret("s"), data: { password: "aHVudGVyMg==" } }];
    const { calls } = await run({ observed: [...observed, missing], required });
    const connectionDetails = { password: Buffer.from("hunter2") };
    expect(calls[0]?.observed.resources).toEqual({
      own: { resource: expect.anything(), connectionDetails },
      other: { resource: expect.anything(), connectionDetails },
      missing: { resource: expect.anything() },
    });
  });

  test("the Secrets that are its credentials", async () => {
    const secretRef = { namespace: "a", name: "s" };
    const credentials = [
      { name: "cloud", source: "Secret", secretRef },
      { name: "x", source: "None" },
    ];
    const steps = stepsOf({}).map((step) => ({ ...step, credentials }));
    const { calls } = await run({ steps, credentials: [{ ...secret("s"), data: { key: "aHVudGVyMg==" } }] });
    expect(calls[0]?.credentials).toEqual({ cloud: { credentialData: { data: { key: Buffer.from("hunter2") } } } });
  });

  test("the schema of a kind that a file has, so that it counts as served, and of no other kind", async () => {
    const asked = { apiVersion: "v1", kind: "Secret" };
    const schemas = { "served/v1/Secret": asked, "served/v1/Pod": { ...asked, kind: "Pod" }, other: asked };
    const requirements = { extraResources: {}, resources: {}, schemas };
    const { calls } = await run({ required: [secret("s")] }, { requirements }, { requirements });
    const served = { openapiV3: toStruct({}) };
    expect(calls[1]?.requiredSchemas).toEqual({ "served/v1/Secret": served, "served/v1/Pod": {}, other: {} });
  });

  test("what the step before it returned", async () => {
    const before = { desired: { resources: { a: { resource: toStruct({ kind: "A" }) } } }, context: toStruct({}) };
    const { calls } = await run({ steps: stepsOf({}, {}) }, before);
    expect(calls[1]).toMatchObject(before);
  });
});

const none = { extraResources: {}, resources: {}, schemas: {} };
const named = (matchName: string) => ({ apiVersion: "v1", kind: "Secret", matchName, namespace: "a" });
const asksFor = (name: string): Response => ({ requirements: { ...none, resources: { [name]: named(name) } } });

describe("requirements", () => {
  test("of a function are pending at first, then answered in the field that was asked, with the context that it returned", async () => {
    const schemas = { x: { apiVersion: "v1", kind: "Secret" } };
    const requirements = { resources: { s: named("s") }, extraResources: { t: named("t") }, schemas };
    const openapiV3 = { "x-kubernetes-group-version-kind": [{ version: "v1", kind: "Secret" }] };
    const inputs = { required: [secret("s"), secret("t")], schemas: [openapiV3] };
    const { calls } = await run(inputs, { requirements, context: toStruct({ b: 2 }) }, { requirements });
    expect(calls[0]).not.toHaveProperty("requiredResources");
    expect(calls[1]).toMatchObject({
      context: toStruct({ b: 2 }),
      requiredResources: { s: { items: [{ resource: toStruct(secret("s")) }] } },
      extraResources: { t: { items: [{ resource: toStruct(secret("t")) }] } },
      requiredSchemas: { x: { openapiV3: toStruct(openapiV3) } },
    });
  });

  test("are answered with no context where the function returned none", async () => {
    const { calls } = await run({}, { requirements: none });
    expect(calls[1]).not.toHaveProperty("context");
  });

  test("that nothing meets are answered, with nothing", async () => {
    const requirements = { ...none, resources: { s: named("s") }, schemas: { x: { apiVersion: "v1", kind: "X" } } };
    const { calls } = await run({}, { requirements }, { requirements });
    expect(calls[1]).toMatchObject({ requiredResources: { s: { items: [] } }, requiredSchemas: { x: {} } });
  });
});

describe("what a pipeline comes to", () => {
  test("the last step's state and context, all steps' conditions and results", async () => {
    const conditions = [{ type: "A", status: "STATUS_CONDITION_TRUE", reason: "R" }];
    const results = [{ severity: "SEVERITY_NORMAL", message: "m" }];
    const last = { desired: { resources: {} }, context: toStruct({ from: "two" }) };
    const both = { conditions, results };
    const { outcome } = await run({ steps: stepsOf({}, {}) }, both, { ...last, ...both });
    const result = { apiVersion: "render.crossplane.io/v1beta1", kind: "Result", ...results[0] };
    expect(outcome).toEqual({
      ...last,
      conditions: [...conditions, ...conditions],
      results: ["0", "1"].map((step) => ({ ...result, step })),
      warnings: [],
    });
  });

  const desiring = (...names: readonly string[]): Response => ({
    desired: { resources: Object.fromEntries(names.map((name) => [name, {}])) },
  });
  const [adopting, other] = [{ spec: { adoption: {} } }, { spec: {} }];
  const more =
    'pipeline step "0" uses adoption, and later steps desire b, c, which it takes for resources that no step desires (StepNotLast): ' +
    "move it to the end of the pipeline";

  test.each<[reason: string, inputs: readonly JsonObject[], second: Response, ...warnings: readonly string[]]>([
    ["the step with adoption is the last", [other, adopting], desiring("a")],
    ["later steps desire nothing more, as those that mark resources ready", [adopting, other], desiring("a")],
    ["no step has adoption", [other, other], desiring("a", "b")],
    ["a later step desires more", [adopting, other], desiring("c", "a", "b"), more],
  ])("a warning about adoption: %s", async (_, inputs, second, ...warnings) => {
    const { outcome } = await run({ steps: stepsOf(...inputs) }, desiring("a"), second);
    expect(outcome.warnings).toEqual(warnings);
  });
});

describe("a function is called until its requirements stay the same", () => {
  test.each<[reason: string, calls: number, ...responses: readonly Response[]]>([
    ["once where it requires nothing", 1],
    ["twice where it requires the same again", 2, asksFor("s"), asksFor("s")],
    ["once more when it requires something else", 3, asksFor("s"), asksFor("t"), asksFor("t")],
    ["again when it no longer requires anything", 3, asksFor("s")],
  ])("a function is called %s", async (_, calls, ...responses) => {
    expect((await run({}, ...responses)).calls).toHaveLength(calls);
  });

  test("but not more than six times", async () => {
    const message = "requirements didn't stabilize after the maximum number of iterations (5)";
    const running = run({}, ...[1, 2, 3, 4, 5, 6].map((call) => asksFor(String(call))));
    await expect(running).rejects.toMatchObject({ cause: { message } });
  });

  test("what it required before is not answered any more", async () => {
    const { calls } = await run({}, asksFor("a"), asksFor("b"), asksFor("b"));
    expect(calls.map(({ requiredResources }) => Object.keys(requiredResources ?? {}))).toEqual([[], ["a"], ["b"]]);
  });
});
