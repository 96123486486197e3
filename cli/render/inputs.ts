import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import * as z from "zod";
import { documentOf, objectsAt } from "../../src/model/document.ts";
import { isObject, type JsonObject, type JsonValue, ownValue, toPlainText } from "../../src/model/json.ts";
import type { RenderOptions } from "./command.ts";
import { RenderError, whileDoing } from "./error.ts";
import { objectAt } from "./objects.ts";
import { parseYaml, splitYamlStream } from "./yaml.ts";

/** The paths of a render's arguments. */
export interface Files {
  readonly xr: string;
  readonly composition: string;
  readonly functions: string;
}

/** Everything that a render depends on, read from the files that the command line names. */
export interface Inputs {
  readonly xr: JsonObject;
  readonly steps: readonly Step[];
  readonly functions: readonly FunctionManifest[];
  readonly observed: readonly JsonObject[];
  readonly required: readonly JsonObject[];
  /** OpenAPI v3 schemas of kinds. */
  readonly schemas: readonly JsonValue[];
  readonly context: JsonObject;
}

/** A field with a default for absent and null, as Go reads it. */
const orElse = <Schema extends z.ZodType>(value: unknown, schema: Schema) =>
  z.preprocess((given) => given ?? value, schema);
const text = orElse("", z.string());
const labels = orElse({}, z.record(z.string(), z.string()));
const unsupported = z.custom<undefined>(
  (value) => (value ?? undefined) === undefined,
  'not supported: use "crossplane render"',
);

const step = z.object({
  step: text,
  functionRef: orElse({}, z.object({ name: text })),
  input: orElse(undefined, z.custom<JsonObject>(isObject, "expected an object").optional()),
  credentials: unsupported.optional(),
  requirements: unsupported.optional(),
});

const composition = z.object({
  metadata: orElse({}, z.object({ name: text, labels })),
  spec: orElse(
    {},
    z.object({
      compositeTypeRef: orElse({}, z.object({ apiVersion: text, kind: text })),
      mode: text,
      pipeline: orElse([], z.array(step)),
    }),
  ),
});

const functionManifest = z
  .object({
    metadata: orElse({}, z.object({ name: text, annotations: labels })),
    spec: orElse({}, z.object({ package: text })),
  })
  .transform(({ metadata, spec }) => ({ ...metadata, package: spec.package }));

type Composition = z.output<typeof composition>;
export type Step = z.output<typeof step>;
export type FunctionManifest = z.output<typeof functionManifest>;

/** @throws {RenderError} where a file cannot be read, has the wrong kind, or does not match the others. */
export function readInputs(files: Files, options: RenderOptions): Inputs {
  const [xr = {}] = load("composite resource", files.xr, readObjects);
  const found = load("Composition", files.composition, (path) => readObjects(path).slice(0, 1).map(toComposition))[0];
  if (found === undefined) throw new RenderError(`cannot find a Composition in ${JSON.stringify(files.composition)}`);
  assertComposes(found, xr);
  const objectsIn = (what: string, path: string | undefined) =>
    path === undefined ? [] : load(what, path, readObjects);
  return {
    xr,
    steps: found.spec.pipeline,
    functions: load("functions", files.functions, (path) => readObjects(path).map(toFunction)),
    observed: objectsIn("observed composed resources", options.observedResources),
    required: objectsIn("required resources", options.requiredResources),
    schemas: [
      ...(options.requiredSchemas === undefined ? [] : load("OpenAPI schemas", options.requiredSchemas, readSchemas)),
      ...(options.xrd === undefined ? [] : [load("XRD", options.xrd, (path) => readXrd(path, xr))]),
    ],
    context: Object.fromEntries(
      (options.contextFiles ?? []).map(([key, file]) => [key, load(`context value ${key}`, file, readYaml)]),
    ),
  };
}

const load = <T>(what: string, path: string, read: (path: string) => T): T =>
  whileDoing(`cannot load ${what} from ${JSON.stringify(path)}`, () => read(path));

const readYaml = (file: string): JsonValue => parseYaml(readFileSync(file, "utf8"));

/** Reads the objects of a YAML file, or of a directory's own `.yaml` and `.yml` files, sorted by file name. */
function readObjects(path: string): readonly JsonObject[] {
  return findFiles(path, [".yaml", ".yml"]).flatMap((file) =>
    splitYamlStream(readFileSync(file, "utf8"))
      .map(parseYaml)
      .filter((document) => document !== null) // a document of comments only
      .map(toManifest),
  );
}

function toManifest(value: JsonValue): JsonObject {
  if (isObject(value) && typeof value["kind"] === "string" && value["kind"] !== "") return value;
  throw new RenderError(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
}

const readSchemas = (directory: string): readonly JsonValue[] =>
  findFiles(directory, [".json"]).flatMap((file) => {
    const document: JsonValue = JSON.parse(readFileSync(file, "utf8"));
    return Object.values(objectAt(objectAt(document, "components"), "schemas"));
  });

/** Reads the schema of the XR's kind, as the API server publishes it once the XRD is there. */
function readXrd(path: string, { apiVersion, kind }: JsonObject): JsonObject {
  const versions = readObjects(path)
    .map(documentOf)
    .flatMap((xrd) => {
      const [group, ownKind] = [xrd.at(["spec", "group"]), xrd.at(["spec", "names", "kind"])].map(toPlainText);
      return objectsAt(xrd, ["spec", "versions"]).map(({ name, schema }) => ({ group, kind: ownKind, name, schema }));
    });
  const found = versions.find((one) => one.kind === kind && `${one.group}/${toPlainText(one.name)}` === apiVersion);
  if (found === undefined) throw new RenderError(`it defines no ${String(kind)} of ${String(apiVersion)}`);
  const { group = "", name = "", schema = null } = found;
  return {
    ...objectAt(schema, "openAPIV3Schema"),
    "x-kubernetes-group-version-kind": [{ group, version: name, kind: String(kind) }],
  };
}

function findFiles(path: string, endings: readonly string[]): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  const files = readdirSync(path).filter((file) => endings.includes(extname(file)));
  if (files.length > 0) return files.sort().map((file) => join(path, file));
  throw new RenderError(`no ${endings.join(" or ")} files found in ${JSON.stringify(path)}`);
}

const toComposition = (object: JsonObject): Composition =>
  narrow(composition, object, "composition", "Composition", ["apiextensions.crossplane.io/v1"]);

const toFunction = (object: JsonObject): FunctionManifest =>
  narrow(functionManifest, object, "function", "Function", ["pkg.crossplane.io/v1", "pkg.crossplane.io/v1beta1"]);

/** Gives an object of a kind the schema's type. @throws {RenderError} listing all faults with their paths. */
function narrow<Schema extends z.ZodType>(
  schema: Schema,
  object: JsonObject,
  what: string,
  kind: string,
  apiVersions: readonly string[],
): z.output<Schema> {
  if (object["kind"] !== kind || !apiVersions.includes(String(object["apiVersion"]))) {
    throw new RenderError(`not a ${what}: ${String(object["kind"])}/${String(objectAt(object, "metadata")["name"])}`);
  }
  const parsed = schema.safeParse(object);
  if (parsed.success) return parsed.data;
  throw new RenderError(parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
}

/** Guards a Composition: it is for the XR's kind, has the labels that the XR selects, and is a pipeline. */
function assertComposes({ metadata, spec }: Composition, xr: JsonObject): void {
  const fail = (reason: string): never => {
    throw new RenderError(`cannot use Composition ${JSON.stringify(metadata.name)}: ${reason}`);
  };
  for (const field of ["kind", "apiVersion"] as const) {
    const [wanted, found] = [spec.compositeTypeRef[field], String(xr[field])];
    if (wanted !== found) fail(`its compositeTypeRef.${field} (${wanted}) does not match XR's ${field} (${found})`);
  }
  const selector = ["spec", "crossplane", "compositionSelector", "matchLabels"].reduce(objectAt, xr);
  for (const [key, wanted] of Object.entries(selector)) {
    const found = ownValue(metadata.labels, key);
    if (found !== wanted) fail(`the XR selects label ${key}: ${String(wanted)}; found ${found ?? "none"}`);
  }
  if (spec.mode !== "Pipeline") fail("render only supports spec.mode: Pipeline");
}
