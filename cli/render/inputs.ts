import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { documentOf, objectsAt } from "../../src/model/document.ts";
import { isObject, type JsonObject, type JsonValue, toPlainText } from "../../src/model/json.ts";
import { invalidInput, whileDoing } from "../files.ts";
import { parseYaml, splitYamlStream } from "../yaml.ts";
import { metadataMap, metadataString, objectAt } from "./objects.ts";

export interface RenderOptions {
  readonly functionCredentials?: string;
  readonly contextFiles?: readonly (readonly [key: string, file: string])[];
  readonly includeContext?: true;
  readonly includeFunctionResults?: true;
  readonly observedResources?: string;
  readonly requiredResources?: string;
  readonly requiredSchemas?: string;
  readonly xrd?: string;
  /** In milliseconds. */
  readonly timeout: number;
}

export type Files = Readonly<Record<"xr" | "composition" | "functions", string>>;

export type Inputs = ReturnType<typeof readInputs>;
export type Step = Inputs["steps"][number];
export type FunctionManifest = Inputs["functions"][number];

/** Reads the files of a render. @throws {FunctionError} where one cannot be read, has the wrong kind, or does not match the others. */
export function readInputs(files: Files, { contextFiles = [], ...options }: RenderOptions) {
  const [xr = {}] = load("composite resource", files.xr, readObjects);
  const steps = load("Composition", files.composition, (path) => {
    const [composition] = readObjects(path);
    return composition && readSteps(composition, xr);
  });
  if (steps === undefined) throw invalidInput(`cannot find a Composition in ${JSON.stringify(files.composition)}`);
  const objectsIn = (what: string, path: string | undefined) =>
    path === undefined ? [] : load(what, path, readObjects);
  return {
    xr,
    steps,
    functions: load("functions", files.functions, (path) => readObjects(path).map(toFunction)),
    observed: objectsIn("observed composed resources", options.observedResources),
    required: objectsIn("required resources", options.requiredResources),
    credentials: objectsIn("function credentials", options.functionCredentials),
    schemas: [
      ...(options.requiredSchemas === undefined ? [] : load("OpenAPI schemas", options.requiredSchemas, readSchemas)),
      ...(options.xrd === undefined ? [] : [load("XRD", options.xrd, (path) => readXrd(path, xr))]),
    ],
    context: Object.fromEntries(contextFiles.map(([key, file]) => [key, load(`context value ${key}`, file, readYaml)])),
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
  throw invalidInput(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
}

const readSchemas = (directory: string): readonly JsonValue[] =>
  findFiles(directory, [".json"]).flatMap((file) => {
    const document: JsonValue = JSON.parse(readFileSync(file, "utf8"));
    return Object.values(objectAt(document, "components", "schemas"));
  });

/** Reads the schema of the XR's kind, as the API server publishes it once the XRD is established. */
function readXrd(path: string, { apiVersion, kind }: JsonObject): JsonObject {
  for (const xrd of readObjects(path).map(documentOf)) {
    const group = toPlainText(xrd.at(["spec", "group"]));
    for (const { name, schema = null } of objectsAt(xrd, ["spec", "versions"])) {
      const version = toPlainText(name);
      if (xrd.at(["spec", "names", "kind"]) === kind && `${group}/${version}` === apiVersion) {
        const names = [{ group, version, kind: String(kind) }];
        return { ...objectAt(schema, "openAPIV3Schema"), "x-kubernetes-group-version-kind": names };
      }
    }
  }
  throw invalidInput(`it defines no ${String(kind)} of ${String(apiVersion)}`);
}

function findFiles(path: string, endings: readonly string[]): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  const files = readdirSync(path).filter((file) => endings.includes(extname(file)));
  if (files.length > 0) return files.sort().map((file) => join(path, file));
  throw invalidInput(`no ${endings.join(" or ")} files found in ${JSON.stringify(path)}`);
}

function toFunction(object: JsonObject) {
  assertKind(object, "Function", ["pkg.crossplane.io/v1", "pkg.crossplane.io/v1beta1"]);
  const annotations = metadataMap(object, "annotations");
  return { name: metadataString(object, "name"), annotations, package: textAt(object, "spec", "package") };
}

function readSteps(composition: JsonObject, xr: JsonObject) {
  assertKind(composition, "Composition", ["apiextensions.crossplane.io/v1"]);
  for (const field of ["kind", "apiVersion"]) {
    const [wanted, found] = [textAt(composition, "spec", "compositeTypeRef", field), String(xr[field])];
    if (wanted !== found)
      throw invalidInput(`its compositeTypeRef.${field} (${wanted}) does not match XR's ${field} (${found})`);
  }
  if (textAt(composition, "spec", "mode") !== "Pipeline")
    throw invalidInput("render only supports spec.mode: Pipeline");
  return objectsAt(documentOf(composition), ["spec", "pipeline"]).map(toStep);
}

function toStep(step: JsonObject) {
  const { input, requirements = null } = step;
  const name = textAt(step, "step");
  if (requirements !== null)
    throw invalidInput(`step ${JSON.stringify(name)}: requirements are not supported: use "crossplane render"`);
  const functionRef = { name: textAt(step, "functionRef", "name") };
  const credentials = objectsAt(documentOf(step), ["credentials"]);
  return { step: name, functionRef, credentials, ...(isObject(input) && { input }) };
}

/** Reads a text; "" for absent and null, as Go reads it. @throws {FunctionError} for a value of another type. */
function textAt(object: JsonObject, ...path: readonly string[]): string {
  const value = documentOf(object).at(path) ?? "";
  if (typeof value === "string") return value;
  throw invalidInput(`${path.join(".")}: expected a string, found ${JSON.stringify(value)}`);
}

function assertKind(object: JsonObject, kind: string, apiVersions: readonly string[]): void {
  if (object["kind"] === kind && apiVersions.includes(String(object["apiVersion"]))) return;
  throw invalidInput(`not a ${kind.toLowerCase()}: ${String(object["kind"])}/${metadataString(object, "name")}`);
}
