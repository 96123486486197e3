import { join } from "node:path";
import { expect, test } from "vitest";
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
const status = { conditions: [ready] };
const rendered = { apiVersion: "example.org/v1", kind: "XApp", metadata: { name: "app" }, status };

type Files = Readonly<Record<string, string>>;

/** Renders files of these contents, beside those of a pipeline that does nothing. */
async function render(files: Files, ...flags: readonly string[]) {
  const pipeline = { "xr.yaml": xr, "composition.yaml": step(), "functions.yaml": functions };
  const directory = temporaryFolder({ ...pipeline, ...files });
  const args = Object.keys(pipeline).map((name) => join(directory, name));
  const ran = await runCommand("render", [...args, ...flags.map((flag) => flag.replace("DIR", directory))]);
  return { ...ran, stderr: ran.stderr.replaceAll(directory, "DIR") };
}

const toObjects = (yaml: string): readonly unknown[] => parseAllDocuments(yaml).map((document) => document.toJS());

const context = { apiVersion: "render.crossplane.io/v1beta1", kind: "Context", fields: { a: { b: true } } };
const withNulls = {
  "composition.yaml": step(", credentials: , requirements: "),
  "functions.yaml": functions.replace("name: fn}", "name: fn, annotations: }"),
};
const withOthers = { "r/a.yaml": "# nothing\n---\n{apiVersion: v1, kind: A}", "r/b.yml": "", "r/c.txt": "[" };
const schemas = { "s/v1.json": '{"components": {"schemas": {"A": {"type": "string"}}}}' };
const xrds = { "xrd.yaml": `${xrdOf("XOther")}\n---\n${xrdOf("XApp")}` };

test.each<[reason: string, files: Files, ...flags: readonly string[]]>([
  ["the XR", {}],
  ["the XR with the context", { "a.yaml": "{b: on}" }, "-c", "--context-files=a=DIR/a.yaml"],
  ["the XR where required resources come from a directory with other files and comments", withOthers, "-eDIR/r"],
  ["the XR where fields of the Composition are null", withNulls],
  ["the XR where schemas come from a directory", schemas, "-sDIR/s"],
  ["the XR with the XRD that defines its kind, beside others", xrds, "--xrd=DIR/xrd.yaml"],
])("render prints %s", async (_, files, ...flags) => {
  const { exitCode, stdout, stderr } = await render(files, ...flags);
  const objects = flags.includes("-c") ? [rendered, context] : [rendered];
  expect({ exitCode, objects: toObjects(stdout), stderr }).toEqual({ exitCode: 0, objects, stderr: "" });
});

const composing = (pipeline: string): Files => ({ "composition.yaml": composition(`pipeline: [{${pipeline}}]`) });
const resources = { "composition.yaml": step().replace("mode: Pipeline", "mode: Resources") };
const asking = step(", credentials: [{name: a, source: Secret, secretRef: {namespace: b, name: c}}]");
const noSecret = 'step "one": found no Secret b/c for its credentials a in --function-credentials';
const from = (what: string, file: string) => `cannot load ${what} from "DIR/${file}": `;
const [requiring, unsupported] = [step(", requirements: {}"), 'step "one": requirements are not supported: use'];
const [noKind, noApp] = ["Object 'Kind' is missing in '{\"a\":1}'", "it defines no XApp of example.org/v1"];
const noFunction = `${from("functions", "functions.yaml")}not a function: XApp/app`;
const noYaml = `${from("required resources", "r")}no .yaml or .yml files found in "DIR/r"`;
const [ofRequired, ofXrd] = [from("required resources", "r.yaml"), from("XRD", "xrd.yaml")];
const [ofComposition, ofSchemas] = [from("Composition", "composition.yaml"), from("OpenAPI schemas", "r")];

const ofAnotherKind = "its compositeTypeRef.kind (XApp) does not match XR's kind (XOther)";
test.each<[reason: string, files: Files, stderr: string, ...flags: readonly string[]]>([
  [
    "a fatal result",
    composing("step: one, functionRef: {name: fn}"),
    'cannot render composite resource: pipeline step "one" returned a fatal result: cannot use the input:',
  ],
  [
    "a Function that is not there",
    composing("step: one, functionRef: {name: other}"),
    'cannot run pipeline step "one": unknown Function "other" - does it exist in your Functions file?',
  ],
  ["an XR of another kind", { "xr.yaml": "{apiVersion: example.org/v1, kind: XOther}" }, ofAnotherKind],
  [
    "an XR of another version",
    { "xr.yaml": "{apiVersion: example.org/v2, kind: XApp}" },
    "its compositeTypeRef.apiVersion (example.org/v1) does not match XR's apiVersion (example.org/v2)",
  ],
  ["a Composition without a pipeline", resources, `${ofComposition}render only supports spec.mode: Pipeline`],
  ["a Composition that is none", { "composition.yaml": xr }, `${ofComposition}not a composition: XApp/app`],
  ["a Composition with a wrong type", composing("step: 1"), `${ofComposition}step: expected a string, found 1`],
  ["Functions that are none", { "functions.yaml": `${functions}\n---\n${xr}` }, noFunction],
  ["a document without a kind", { "r.yaml": "{a: 1}" }, `${ofRequired}${noKind}`, "-eDIR/r.yaml"],
  ["a directory without YAML", { "r/a.txt": "" }, noYaml, "-eDIR/r"],
  ["credentials that no file has", { "composition.yaml": asking }, noSecret],
  ["requirements, which it would have to leave out", { "composition.yaml": requiring }, unsupported],
  ["a directory without schemas", { "r/a.txt": "" }, `${ofSchemas}no .json files found in "DIR/r"`, "-sDIR/r"],
  ["an XRD of another kind", { "xrd.yaml": xrdOf("XOther") }, `${ofXrd}${noApp}`, "--xrd=DIR/xrd.yaml"],
  ["a schema that is no JSON", { "r/a.json": "[" }, ofSchemas, "-sDIR/r"],
])("a render fails because of %s, which is said as crossplane render says it", async (_, files, stderr, ...flags) => {
  const result = await render(files, ...flags);
  expect(result).toMatchObject({ exitCode: 1, stdout: "" });
  expect(result.stderr).toMatch(/^shared-infrastructure: error: cannot /);
  expect(result.stderr).toContain(stderr);
});

const sharing = (field: string): string =>
  input.replace(
    "spec: {}",
    `spec: {sharedResources: [{name: self, select: {self: {}}, patches: [{fromFieldPath: spec.a, toCompositeFieldPath: ${field}}]}]}`,
  );

test.each([
  ["a field that the XRD has is set", "status.size", { size: 1 }, undefined],
  ["a field that it lacks is not, and is named", "status.colour", {}, "cannot set status.colour"],
])("of the XR's status: %s", async (_, field, status, says) => {
  const files = { "composition.yaml": step().replace(input, sharing(field)), "xrd.yaml": xrdOf("XApp") };
  const { stdout } = await render(files, "--xrd=DIR/xrd.yaml");
  const [{ status: found }] = toObjects(stdout) as [{ status: { conditions: readonly { message?: string }[] } }];
  const { conditions, ...fields } = found;
  expect(fields).toEqual(status);
  expect(conditions.some(({ message }) => message?.includes(String(says)))).toBe(says !== undefined);
});
