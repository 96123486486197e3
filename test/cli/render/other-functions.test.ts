import { createServer } from "node:net";
import { status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { emptyDraft, withObjects } from "../../../src/model/draft.ts";
import { readRequest } from "../../../src/wire/request.ts";
import { writeResponse } from "../../../src/wire/response.ts";
import { listen } from "../../../testing/servers/api-server.ts";
import { echo, serveLoopback } from "../../../testing/servers/loopback.ts";
import { runCommand } from "../../../testing/tools/run-command.ts";
import { temporaryFile } from "../../../testing/tools/temporary-folder.ts";

/** A pipeline of two steps: another function, which composes a bucket, and this one. */
const pipeline = [
  { step: "compose", functionRef: { name: "composer" } },
  {
    step: "share",
    functionRef: { name: "ours" },
    input: { apiVersion: "shared-infrastructure.fn.crossplane.io/v1beta1", kind: "Input", spec: {} },
  },
];
const RUNTIME = "render.crossplane.io/runtime";
const composition = {
  apiVersion: "apiextensions.crossplane.io/v1",
  kind: "Composition",
  metadata: { name: "c" },
  spec: { compositeTypeRef: { apiVersion: "example.org/v1", kind: "XApp" }, mode: "Pipeline", pipeline },
};

const composeBucket = (message: Uint8Array) => {
  const bucket = { apiVersion: "s3.aws.upbound.io/v1beta1", kind: "Bucket" };
  return echo(writeResponse(readRequest(message), withObjects(emptyDraft, [["bucket", bucket]])));
};

function render(target: string, flags: readonly string[] = []) {
  const functionNamed = (name: string, repository: string) => ({
    apiVersion: "pkg.crossplane.io/v1",
    kind: "Function",
    metadata: { name, annotations: { [RUNTIME]: "Development", [`${RUNTIME}-development-target`]: target } },
    spec: { package: `xpkg.example.org/${repository}:v1` },
  });
  const functions = [functionNamed("composer", "composer"), functionNamed("ours", "function-shared-infrastructure")];
  const xr = { apiVersion: "example.org/v1", kind: "XApp", metadata: { name: "app" } };
  const paths = [[xr], [composition], functions].map((objects) =>
    temporaryFile("objects.yaml", objects.map((object) => JSON.stringify(object)).join("\n---\n")),
  );
  return runCommand("render", [...paths, ...flags]);
}

const toKinds = (yaml: string): readonly unknown[] => parseAllDocuments(yaml).map((document) => document.get("kind"));

test("a step of another function is called where its Function says that it listens", async () => {
  const { target } = await serveLoopback({}, { runFunction: composeBucket });
  const { exitCode, stdout, stderr } = await render(target);
  expect({ exitCode, kinds: toKinds(stdout), stderr }).toEqual({ exitCode: 0, kinds: ["XApp", "Bucket"], stderr: "" });
});

const WAITS = /^no answer yet from the function at [\d.:]+: does it listen there, with --insecure\?\n/.source;
test.each<[reason: string, timeout: string, begins: string, code: string, portOf: () => Promise<number>]>([
  [
    "listen is an error at once",
    "1m",
    "^",
    "UNAVAILABLE: .*ECONNREFUSED 127\\.0\\.0\\.1:1; start it there, with --insecure, or change its Function's annotation",
    async () => 1,
  ],
  ["answer is one after the timeout", "300ms", WAITS, "DEADLINE_EXCEEDED", () => listen(createServer())],
])("a function that does not %s", async (_, timeout, begins, code, portOf) => {
  const target = `127.0.0.1:${await portOf()}`;
  const { exitCode, stderr } = await render(target, [`--timeout=${timeout}`]);
  const says = `cannot run pipeline step "compose": cannot call the function at ${target}: \\d+ ${code}`;
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(`${begins}.*${says}`)]);
});

test("an error that another function answers with is told", async () => {
  const runFunction = () => {
    throw new Error("it is broken");
  };
  const { target } = await serveLoopback({}, { runFunction });
  const { exitCode, stderr } = await render(target);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(new RegExp(`cannot call the function at ${target}: \\d+ (?!${status[status.OK]})[A-Z]+`));
});
