import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runFunction } from "../../src/run-function.ts";
import { inputOf, REQUIRED, shared, xr } from "../../testing/builders/sharing.ts";
import { serveLoopback } from "../../testing/servers/loopback.ts";
import { run, toolOrSkip } from "../../testing/tools/server-tools.ts";

const python = toolOrSkip("python") ?? "";
const program = fileURLToPath(new URL("../../testing/conformance/client.py", import.meta.url));

const runners = ["v1", "v1beta1"].map((version) => `apiextensions.fn.proto.${version}.FunctionRunnerService`);

const meta = { tag: "from Python" };
const observed = { composite: { resource: xr() } };
const request = { meta, observed, input: inputOf({ sharedResources: [shared()] }) };

/** What the function answers: it has to see the database first. */
const database = { apiVersion: "data.example.org/v1", kind: "XPostgres", matchName: "orders" };
const required = { [REQUIRED.database]: database };
const serving = Object.fromEntries(runners.map((name) => [name, "SERVING"]));
const answer = expect.objectContaining({ meta, requirements: { resources: required, extraResources: required } });

describe.skipIf(python === "")("grpcio, knowing of the function only what reflection tells", () => {
  test("calls both versions of it, compressed or not, and sees its health", async () => {
    const { target } = await serveLoopback({}, { runFunction });
    const { stdout, stderr } = await run(python, [program, target], JSON.stringify(request));
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      services: expect.arrayContaining([...runners, "grpc.health.v1.Health"]),
      health: { "": "SERVING", ...serving, "nobody.knows.It": "NOT_FOUND" },
      responses: Object.fromEntries(runners.map((name) => [name, { none: answer, gzip: answer, deflate: answer }])),
    });
  });
});
