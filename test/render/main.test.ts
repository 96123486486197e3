import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { main } from "../../src/render/main.ts";

const xr = `{apiVersion: example.org/v1, kind: XApp, metadata: {name: app}, spec: {a: 1}}`;
const functions = `{apiVersion: pkg.crossplane.io/v1, kind: Function, metadata: {name: fn}, spec: {package: function-shared-infrastructure}}`;
const input = `{apiVersion: shared-infrastructure.fn.crossplane.io/v1beta1, kind: Input, spec: {}}`;
const composition = (spec: string): string =>
  `{apiVersion: apiextensions.crossplane.io/v1, kind: Composition, metadata: {name: c}, spec: {compositeTypeRef: {apiVersion: example.org/v1, kind: XApp}, mode: Pipeline, ${spec}}}`;
const step = (more = ""): string =>
  composition(`pipeline: [{step: one, functionRef: {name: fn}, input: ${input}${more}}]`);

const ready = `  conditions:
  - lastTransitionTime: "2024-01-01T00:00:00Z"
    reason: Available
    status: "True"
    type: Ready
`;
const rendered = `---\napiVersion: example.org/v1\nkind: XApp\nmetadata:\n  name: app\nstatus:\n${ready}`;

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
  const text = { out: "", err: "" };
  const args = ["xr.yaml", "composition.yaml", "functions.yaml"].map((name) => join(directory, name));
  const exitCode = await main([...args, ...flags.map((flag) => flag.replace("DIR", directory))], {
    out: (line) => {
      text.out += line;
    },
    err: (line) => {
      text.err += line.replaceAll(directory, "DIR");
    },
  });
  return { exitCode, ...text };
}

describe("what is printed", () => {
  const context = "---\napiVersion: render.crossplane.io/v1beta1\nfields:\n  a:\n    b: true\nkind: Context\n";
  test.each<{ reason: string; files?: Files; flags: readonly string[]; out: string }>([
    { reason: "the XR", flags: [], out: rendered },
    {
      reason: "with its own spec and metadata",
      flags: ["-x"],
      out: rendered.replace("status:", "spec:\n  a: 1\nstatus:"),
    },
    { reason: "with the context", flags: ["-c", "--context-values=a={b: on}"], out: rendered + context },
    {
      reason: "a value before a file",
      files: { "a.yaml": "{b: 2}" },
      flags: ["-c", "--context-values=a={b: on}", "--context-files=a=DIR/a.yaml"],
      out: rendered + context,
    },
    {
      reason: "what is required from a directory, other files and comments left alone",
      files: {
        "r/a.yaml": "# nothing\n---\n{apiVersion: v1, kind: A}",
        "r/b.yml": "{apiVersion: v1, kind: B}",
        "r/c.txt": "[",
      },
      flags: ["-e", "DIR/r"],
      out: rendered,
    },
    {
      reason: "fields of the Composition that are null, as if they were not there",
      files: {
        "composition.yaml": step(", credentials: , requirements: ").replace("name: c}", "name: c, labels: }"),
        "functions.yaml": functions.replace("name: fn}", "name: fn, annotations: }"),
      },
      flags: [],
      out: rendered,
    },
    {
      reason: "schemas of a directory",
      files: { "s/v1.json": '{"components": {"schemas": {"A": {"type": "string"}}}}' },
      flags: ["-s", "DIR/s"],
      out: rendered,
    },
  ])("$reason", async ({ files, flags, out }) => {
    expect(await render(files, flags)).toEqual({ exitCode: 0, out, err: "" });
  });

  test("help", async () => {
    expect(await render({}, ["--help"])).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^Usage: /) });
  });
});

describe("what cannot be rendered is an error, said as crossplane render says it", () => {
  test.each<{ reason: string; files?: Files; flags?: readonly string[]; err: string }>([
    {
      reason: "a fatal result",
      files: { "composition.yaml": composition("pipeline: [{step: one, functionRef: {name: fn}}]") },
      err: 'cannot render composite resource: pipeline step "one" returned a fatal result: cannot use the input:',
    },
    {
      reason: "a Function that is not there",
      files: { "composition.yaml": composition("pipeline: [{step: one, functionRef: {name: other}}]") },
      err: 'cannot render composite resource: cannot run pipeline step "one": unknown Function "other" - does it exist in your Functions file?',
    },
    {
      reason: "an XR of another kind",
      files: { "xr.yaml": "{apiVersion: example.org/v1, kind: XOther}" },
      err: "composition's compositeTypeRef.kind (XApp) does not match XR's kind (XOther)",
    },
    {
      reason: "an XR of another version",
      files: { "xr.yaml": "{apiVersion: example.org/v2, kind: XApp}" },
      err: "composition's compositeTypeRef.apiVersion (example.org/v1) does not match XR's apiVersion (example.org/v2)",
    },
    {
      reason: "an XR that selects another Composition",
      files: {
        "xr.yaml":
          "{apiVersion: example.org/v1, kind: XApp, spec: {crossplane: {compositionSelector: {matchLabels: {a: b}}}}}",
      },
      err: 'composition "c" is missing required label "a"',
    },
    {
      reason: "an XR that selects a Composition by another value",
      files: {
        "xr.yaml":
          "{apiVersion: example.org/v1, kind: XApp, spec: {crossplane: {compositionSelector: {matchLabels: {a: b}}}}}",
        "composition.yaml": step().replace("name: c}", "name: c, labels: {a: c}}"),
      },
      err: 'composition "c" has incorrect value for label "a": want "b", got "c"',
    },
    {
      reason: "a Composition without a pipeline",
      files: { "composition.yaml": step().replace("mode: Pipeline", "mode: Resources") },
      err: 'render only supports Composition Function pipelines: Composition "c" must use spec.mode: Pipeline',
    },
    {
      reason: "a Composition that is none",
      files: { "composition.yaml": xr },
      err: 'cannot load Composition from "DIR/composition.yaml": not a composition: XApp/app',
    },
    {
      reason: "a Composition with a field of another type",
      files: { "composition.yaml": composition("pipeline: [{step: 1}]") },
      err: 'cannot load Composition from "DIR/composition.yaml": spec.pipeline.0.step: Invalid input: expected string, received number',
    },
    {
      reason: "Functions that are none",
      files: { "functions.yaml": `${functions}\n---\n${xr}` },
      err: 'cannot load functions from "DIR/functions.yaml": not a function: XApp/app',
    },
    {
      reason: "a document without a kind",
      files: { "r.yaml": "{a: 1}" },
      flags: ["-e", "DIR/r.yaml"],
      err: `cannot load required resources from "DIR/r.yaml": cannot read "DIR/r.yaml": Object 'Kind' is missing in '{"a":1}'`,
    },
    {
      reason: "a directory without YAML",
      files: { "r/a.txt": "" },
      flags: ["-e", "DIR/r"],
      err: 'cannot load required resources from "DIR/r": no YAML files found in "DIR/r" (.yaml or .yml)',
    },
    {
      reason: "a directory without schemas",
      files: { "r/a.txt": "" },
      flags: ["-s", "DIR/r"],
      err: 'cannot load OpenAPI schemas from "DIR/r": no JSON files found in "DIR/r"',
    },
    {
      reason: "a schema that is no JSON",
      files: { "r/sub/a.json": "[" },
      flags: ["-s", "DIR/r"],
      err: 'cannot load OpenAPI schemas from "DIR/r": cannot parse OpenAPI JSON from "DIR/r/sub/a.json": ',
    },
    {
      reason: "a context value that is no YAML",
      flags: ["--context-values=a=["],
      err: 'cannot unmarshal YAML/JSON for context key "a": ',
    },
    {
      reason: "a Secret that is not among the credentials",
      files: {
        "composition.yaml": step(", credentials: [{name: a, source: Secret, secretRef: {namespace: b, name: c}}]"),
      },
      err: 'cannot render composite resource: cannot get credentials from secret "c": secret "c" not found',
    },
    {
      reason: "an XR without the spec that is to be included",
      files: { "xr.yaml": "{apiVersion: example.org/v1, kind: XApp, metadata: {name: app}}" },
      flags: ["-x"],
      err: "cannot get composite resource spec: spec: no such field",
    },
  ])("$reason", async ({ files, flags, err }) => {
    const result = await render(files, flags);
    expect(result).toMatchObject({ exitCode: 1, out: "" });
    expect(result.err).toContain(`function-shared-infrastructure: error: ${err}`);
  });

  test("wrong flags have an exit code of their own", async () => {
    expect(await render({}, ["--bogus"])).toMatchObject({
      exitCode: 80,
      err: expect.stringContaining("render --help"),
    });
  });
});
