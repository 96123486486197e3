import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { runCommand } from "../../../testing/tools/run-command.ts";
import { temporaryFolder } from "../../../testing/tools/temporary-folder.ts";

const xr = `{apiVersion: example.org/v1, kind: XApp, metadata: {name: app}, spec: {a: 1}}`;
const functions = `{apiVersion: pkg.crossplane.io/v1, kind: Function, metadata: {name: fn}, spec: {package: function-shared-infrastructure}}`;
const input = `{apiVersion: shared-infrastructure.fn.crossplane.io/v1beta1, kind: Input, spec: {}}`;
const composition = (spec: string): string =>
  `{apiVersion: apiextensions.crossplane.io/v1, kind: Composition, metadata: {name: c}, spec: {compositeTypeRef: {apiVersion: example.org/v1, kind: XApp}, mode: Pipeline, ${spec}}}`;
const step = (more = ""): string =>
  composition(`pipeline: [{step: one, functionRef: {name: fn}, input: ${input}${more}}]`);

const xrdOf = (kind: string): string =>
  `{apiVersion: apiextensions.crossplane.io/v2, kind: CompositeResourceDefinition, metadata: {name: x}, spec: {group: example.org, names: {kind: ${kind}}, versions: [{name: v1, schema: {openAPIV3Schema: {properties: {status: {properties: {size: {type: integer}}}}}}}]}}`;

const ready = { lastTransitionTime: "2024-01-01T00:00:00Z", reason: "Available", status: "True", type: "Ready" };
const rendered = {
  apiVersion: "example.org/v1",
  kind: "XApp",
  metadata: { name: "app" },
  status: { conditions: [ready] },
};

type Files = Readonly<Record<string, string>>;

/** Renders files of these contents, beside those of a pipeline that does nothing. */
async function render(files: Files = {}, flags: readonly string[] = []) {
  const directory = temporaryFolder();
  const all = { "xr.yaml": xr, "composition.yaml": step(), "functions.yaml": functions, ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(join(directory, name, ".."), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  const args = ["xr.yaml", "composition.yaml", "functions.yaml"].map((name) => join(directory, name));
  const ran = await runCommand("render", [...args, ...flags.map((flag) => flag.replace("DIR", directory))]);
  return { ...ran, stderr: ran.stderr.replaceAll(directory, "DIR") };
}

const toObjects = (yaml: string): readonly unknown[] => parseAllDocuments(yaml).map((document) => document.toJS());

describe("what is printed", () => {
  const context = { apiVersion: "render.crossplane.io/v1beta1", kind: "Context", fields: { a: { b: true } } };
  test.each<{ reason: string; files?: Files; flags: readonly string[]; objects: readonly object[] }>([
    { reason: "the XR", flags: [], objects: [rendered] },
    {
      reason: "the XR with the context",
      files: { "a.yaml": "{b: on}" },
      flags: ["-c", "--context-files=a=DIR/a.yaml"],
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
        "composition.yaml": step(", credentials: , requirements: "),
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
    {
      reason: "the XR with the XRD that defines its kind, beside others",
      files: { "xrd.yaml": `${xrdOf("XOther")}\n---\n${xrdOf("XApp")}` },
      flags: ["--xrd=DIR/xrd.yaml"],
      objects: [rendered],
    },
  ])("render prints $reason", async ({ files, flags, objects }) => {
    const { exitCode, stdout, stderr } = await render(files, flags);
    expect({ exitCode, objects: toObjects(stdout), stderr }).toEqual({ exitCode: 0, objects, stderr: "" });
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
      stderr: "its compositeTypeRef.kind (XApp) does not match XR's kind (XOther)",
    },
    {
      reason: "an XR of another version",
      files: { "xr.yaml": "{apiVersion: example.org/v2, kind: XApp}" },
      stderr: "its compositeTypeRef.apiVersion (example.org/v1) does not match XR's apiVersion (example.org/v2)",
    },
    {
      reason: "a Composition without a pipeline",
      files: { "composition.yaml": step().replace("mode: Pipeline", "mode: Resources") },
      stderr: 'cannot load Composition from "DIR/composition.yaml": render only supports spec.mode: Pipeline',
    },
    {
      reason: "a Composition that is none",
      files: { "composition.yaml": xr },
      stderr: 'cannot load Composition from "DIR/composition.yaml": not a composition: XApp/app',
    },
    {
      reason: "a Composition with a field of another type",
      files: { "composition.yaml": composition("pipeline: [{step: 1}]") },
      stderr: 'cannot load Composition from "DIR/composition.yaml": step: expected a string, found 1',
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
      stderr: `cannot load required resources from "DIR/r.yaml": Object 'Kind' is missing in '{"a":1}'`,
    },
    {
      reason: "a directory without YAML",
      files: { "r/a.txt": "" },
      flags: ["-e", "DIR/r"],
      stderr: 'cannot load required resources from "DIR/r": no .yaml or .yml files found in "DIR/r"',
    },
    {
      reason: "credentials, which it would have to leave out",
      files: { "composition.yaml": step(", credentials: [{name: a, source: Secret}]") },
      stderr: 'step "one": credentials are not supported: use "crossplane render"',
    },
    {
      reason: "a directory without schemas",
      files: { "r/a.txt": "" },
      flags: ["-s", "DIR/r"],
      stderr: 'cannot load OpenAPI schemas from "DIR/r": no .json files found in "DIR/r"',
    },
    {
      reason: "an XRD of another kind",
      files: { "xrd.yaml": xrdOf("XOther") },
      flags: ["--xrd=DIR/xrd.yaml"],
      stderr: 'cannot load XRD from "DIR/xrd.yaml": it defines no XApp of example.org/v1',
    },
    {
      reason: "a schema that is no JSON",
      files: { "r/a.json": "[" },
      flags: ["-s", "DIR/r"],
      stderr: 'cannot load OpenAPI schemas from "DIR/r": ',
    },
  ])("render fails because of $reason", async ({ files, flags, stderr }) => {
    const result = await render(files, flags);
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toMatch(/^shared-infrastructure: error: cannot /);
    expect(result.stderr).toContain(stderr);
  });
});

describe("what only a cluster would show", () => {
  const sharing = (field: string): string =>
    input.replace(
      "spec: {}",
      `spec: {sharedResources: [{name: self, select: {self: {}}, patches: [{fromFieldPath: spec.a, toCompositeFieldPath: ${field}}]}]}`,
    );
  const withInput = (text: string): Files => ({
    "composition.yaml": step().replace(input, text),
    "xrd.yaml": xrdOf("XApp"),
  });

  test.each([
    { reason: "a field that the XRD has is set", field: "status.size", status: { size: 1 }, says: undefined },
    {
      reason: "a field that it lacks is not, and is named",
      field: "status.colour",
      status: {},
      says: "cannot set status.colour",
    },
  ])("of the XR's status: $reason", async ({ field, status, says }) => {
    const { stdout } = await render(withInput(sharing(field)), ["--xrd=DIR/xrd.yaml"]);
    const [{ status: found }] = toObjects(stdout) as [{ status: { conditions: readonly { message?: string }[] } }];
    const { conditions, ...fields } = found;
    expect(fields).toEqual(status);
    expect(conditions.some(({ message }) => message?.includes(String(says)))).toBe(says !== undefined);
  });
});
