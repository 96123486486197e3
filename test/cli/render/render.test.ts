import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { run } from "../../../cli/render/render.ts";
import { runCommand } from "../../../testing/tools/run-command.ts";

const xr = `{apiVersion: example.org/v1, kind: XApp, metadata: {name: app}, spec: {a: 1}}`;
const functions = `{apiVersion: pkg.crossplane.io/v1, kind: Function, metadata: {name: fn}, spec: {package: function-shared-infrastructure}}`;
const input = `{apiVersion: shared-infrastructure.fn.crossplane.io/v1beta1, kind: Input, spec: {}}`;
const composition = (spec: string): string =>
  `{apiVersion: apiextensions.crossplane.io/v1, kind: Composition, metadata: {name: c}, spec: {compositeTypeRef: {apiVersion: example.org/v1, kind: XApp}, mode: Pipeline, ${spec}}}`;
const step = (more = ""): string =>
  composition(`pipeline: [{step: one, functionRef: {name: fn}, input: ${input}${more}}]`);

const ready = { lastTransitionTime: "2024-01-01T00:00:00Z", reason: "Available", status: "True", type: "Ready" };
const rendered = {
  apiVersion: "example.org/v1",
  kind: "XApp",
  metadata: { name: "app" },
  status: { conditions: [ready] },
};

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "render-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

type Files = Readonly<Record<string, string>>;

/** Renders files of these contents, beside those of a pipeline that does nothing. */
async function render(files: Files = {}, flags: readonly string[] = []) {
  const all = { "xr.yaml": xr, "composition.yaml": step(), "functions.yaml": functions, ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(join(directory, name, ".."), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  const args = ["xr.yaml", "composition.yaml", "functions.yaml"].map((name) => join(directory, name));
  const ran = await runCommand(run, [...args, ...flags.map((flag) => flag.replace("DIR", directory))]);
  return { ...ran, stderr: ran.stderr.replaceAll(directory, "DIR") };
}

const toObjects = (yaml: string): readonly unknown[] => parseAllDocuments(yaml).map((document) => document.toJS());

describe("what is printed", () => {
  const context = { apiVersion: "render.crossplane.io/v1beta1", kind: "Context", fields: { a: { b: true } } };
  test.each<{ reason: string; files?: Files; flags: readonly string[]; objects: readonly object[] }>([
    { reason: "the XR", flags: [], objects: [rendered] },
    {
      reason: "the XR with its own spec and metadata",
      flags: ["-x"],
      objects: [{ ...rendered, spec: { a: 1 } }],
    },
    { reason: "the XR with the context", flags: ["-c", "--context-values=a={b: on}"], objects: [rendered, context] },
    {
      reason: "a context value before one from a file",
      files: { "a.yaml": "{b: 2}" },
      flags: ["-c", "--context-values=a={b: on}", "--context-files=a=DIR/a.yaml"],
      objects: [rendered, context],
    },
    {
      reason: "the XR where required resources come from a directory with other files and comments",
      files: {
        "r/a.yaml": "# nothing\n---\n{apiVersion: v1, kind: A}",
        "r/b.yml": "{apiVersion: v1, kind: B}",
        "r/c.txt": "[",
      },
      flags: ["-e", "DIR/r"],
      objects: [rendered],
    },
    {
      reason: "the XR where fields of the Composition are null",
      files: {
        "composition.yaml": step(", credentials: , requirements: ").replace("name: c}", "name: c, labels: }"),
        "functions.yaml": functions.replace("name: fn}", "name: fn, annotations: }"),
      },
      flags: [],
      objects: [rendered],
    },
    {
      reason: "the XR where schemas come from a directory",
      files: { "s/v1.json": '{"components": {"schemas": {"A": {"type": "string"}}}}' },
      flags: ["-s", "DIR/s"],
      objects: [rendered],
    },
  ])("render prints $reason", async ({ files, flags, objects }) => {
    const { exitCode, stdout, stderr } = await render(files, flags);
    expect({ exitCode, objects: toObjects(stdout), stderr }).toEqual({ exitCode: 0, objects, stderr: "" });
  });

  test("render prints its help", async () => {
    expect(await render({}, ["--help"])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Usage: /) });
  });
});

describe("what cannot be rendered is an error, said as crossplane render says it", () => {
  test.each<{ reason: string; files?: Files; flags?: readonly string[]; stderr: string }>([
    {
      reason: "a fatal result",
      files: { "composition.yaml": composition("pipeline: [{step: one, functionRef: {name: fn}}]") },
      stderr: 'cannot render composite resource: pipeline step "one" returned a fatal result: cannot use the input:',
    },
    {
      reason: "a Function that is not there",
      files: { "composition.yaml": composition("pipeline: [{step: one, functionRef: {name: other}}]") },
      stderr:
        'cannot render composite resource: cannot run pipeline step "one": unknown Function "other" - does it exist in your Functions file?',
    },
    {
      reason: "an XR of another kind",
      files: { "xr.yaml": "{apiVersion: example.org/v1, kind: XOther}" },
      stderr: "composition's compositeTypeRef.kind (XApp) does not match XR's kind (XOther)",
    },
    {
      reason: "an XR of another version",
      files: { "xr.yaml": "{apiVersion: example.org/v2, kind: XApp}" },
      stderr:
        "composition's compositeTypeRef.apiVersion (example.org/v1) does not match XR's apiVersion (example.org/v2)",
    },
    {
      reason: "an XR that selects another Composition",
      files: {
        "xr.yaml":
          "{apiVersion: example.org/v1, kind: XApp, spec: {crossplane: {compositionSelector: {matchLabels: {a: b}}}}}",
      },
      stderr: 'composition "c" is missing required label "a"',
    },
    {
      reason: "an XR that selects a Composition by another value",
      files: {
        "xr.yaml":
          "{apiVersion: example.org/v1, kind: XApp, spec: {crossplane: {compositionSelector: {matchLabels: {a: b}}}}}",
        "composition.yaml": step().replace("name: c}", "name: c, labels: {a: c}}"),
      },
      stderr: 'composition "c" has incorrect value for label "a": want "b", got "c"',
    },
    {
      reason: "a Composition without a pipeline",
      files: { "composition.yaml": step().replace("mode: Pipeline", "mode: Resources") },
      stderr: 'render only supports Composition Function pipelines: Composition "c" must use spec.mode: Pipeline',
    },
    {
      reason: "a Composition that is none",
      files: { "composition.yaml": xr },
      stderr: 'cannot load Composition from "DIR/composition.yaml": not a composition: XApp/app',
    },
    {
      reason: "a Composition with a field of another type",
      files: { "composition.yaml": composition("pipeline: [{step: 1}]") },
      stderr:
        'cannot load Composition from "DIR/composition.yaml": spec.pipeline.0.step: Invalid input: expected string, received number',
    },
    {
      reason: "Functions that are none",
      files: { "functions.yaml": `${functions}\n---\n${xr}` },
      stderr: 'cannot load functions from "DIR/functions.yaml": not a function: XApp/app',
    },
    {
      reason: "a document without a kind",
      files: { "r.yaml": "{a: 1}" },
      flags: ["-e", "DIR/r.yaml"],
      stderr: `cannot load required resources from "DIR/r.yaml": cannot read "DIR/r.yaml": Object 'Kind' is missing in '{"a":1}'`,
    },
    {
      reason: "a directory without YAML",
      files: { "r/a.txt": "" },
      flags: ["-e", "DIR/r"],
      stderr: 'cannot load required resources from "DIR/r": no YAML files found in "DIR/r" (.yaml or .yml)',
    },
    {
      reason: "a directory without schemas",
      files: { "r/a.txt": "" },
      flags: ["-s", "DIR/r"],
      stderr: 'cannot load OpenAPI schemas from "DIR/r": no JSON files found in "DIR/r"',
    },
    {
      reason: "a schema that is no JSON",
      files: { "r/sub/a.json": "[" },
      flags: ["-s", "DIR/r"],
      stderr: 'cannot load OpenAPI schemas from "DIR/r": cannot parse OpenAPI JSON from "DIR/r/sub/a.json": ',
    },
    {
      reason: "a context value that is no YAML",
      flags: ["--context-values=a=["],
      stderr: 'cannot unmarshal YAML/JSON for context key "a": ',
    },
    {
      reason: "a Secret that is not among the credentials",
      files: {
        "composition.yaml": step(", credentials: [{name: a, source: Secret, secretRef: {namespace: b, name: c}}]"),
      },
      stderr: 'cannot render composite resource: cannot get credentials from secret "c": secret "c" not found',
    },
    {
      reason: "an XR without the spec that is to be included",
      files: { "xr.yaml": "{apiVersion: example.org/v1, kind: XApp, metadata: {name: app}}" },
      flags: ["-x"],
      stderr: "cannot get composite resource spec: spec: no such field",
    },
  ])("render fails because of $reason", async ({ files, flags, stderr }) => {
    const result = await render(files, flags);
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toContain(`function-shared-infrastructure: error: ${stderr}`);
  });

  test("wrong flags have an exit code of their own", async () => {
    expect(await render({}, ["--bogus"])).toMatchObject({
      exitCode: 80,
      stderr: expect.stringContaining("render --help"),
    });
  });
});
