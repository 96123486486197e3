import { readFileSync } from "node:fs";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { type Composition, type FunctionManifest, toComposition, toFunction } from "./composition.ts";
import { RenderError, whileDoing } from "./error.ts";
import { readSchemas, type Schemas } from "./fetch-schema.ts";
import { readObjects, readYaml, toManifest } from "./manifests.ts";
import { metadataString } from "./metadata.ts";
import { objectAt } from "./objects.ts";
import type { RenderOptions } from "./options.ts";
import { toSchemas, withDefaults } from "./xrd.ts";
import { parseYaml } from "./yaml.ts";

/** Everything that a render depends on, read from the files that the flags name. */
export interface Inputs {
  readonly xr: JsonObject;
  readonly composition: Composition;
  readonly functions: readonly FunctionManifest[];
  readonly credentials: readonly JsonObject[];
  readonly observed: readonly JsonObject[];
  readonly extra: readonly JsonObject[];
  readonly required: readonly JsonObject[];
  readonly schemas: readonly Schemas[];
  readonly context: ReadonlyMap<string, JsonValue>;
}

/** @throws {RenderError} where a file cannot be read, has the wrong kind, or does not match the others. */
export function readInputs(options: RenderOptions): Inputs {
  const xr = load("composite resource", options.compositeResource, (file) => toManifest(readYaml(file)));
  const composition = load("Composition", options.composition, (file) => toComposition(readYaml(file)));
  assertComposes(composition, xr);
  const xrd = load("XRD", options.xrd, (file) => (file === undefined ? undefined : toManifest(readYaml(file))));
  return {
    xr: xrd === undefined ? xr : defaultValues(xr, xrd),
    composition,
    functions: load("functions", options.functions, (path) => readObjects(path).map(toFunction)).map((manifest) => ({
      ...manifest,
      annotations: { ...manifest.annotations, ...Object.fromEntries(options.functionAnnotations) },
    })),
    credentials: load("secrets", options.functionCredentials, readObjects),
    observed: load("observed composed resources", options.observedResources, readObjects),
    extra: load("extra resources", options.extraResources, readObjects),
    required: load("required resources", options.requiredResources, readObjects),
    schemas: [
      ...load("OpenAPI schemas", options.requiredSchemas, readSchemas),
      ...(xrd === undefined ? [] : [toSchemas(xr, xrd)]),
    ],
    context: readContext(options),
  };
}

const load = <Path extends string | undefined, T>(what: string, path: Path, read: (path: Path) => T): T =>
  whileDoing(`cannot load ${what} from ${JSON.stringify(path)}`, () => read(path));

function defaultValues(xr: JsonObject, xrd: JsonObject): JsonObject {
  const name = JSON.stringify(metadataString(xr, "name"));
  return whileDoing(`cannot default values for XR ${name}`, () => withDefaults(xr, xrd));
}

/** Reads the context. Values from flags take precedence over those from files. */
function readContext({ contextFiles, contextValues }: RenderOptions): ReadonlyMap<string, JsonValue> {
  const files = [...contextFiles].map(([key, file]): [string, string] => {
    const text = whileDoing(`cannot read context value for key ${JSON.stringify(key)}`, () =>
      readFileSync(file, "utf8"),
    );
    return [key, text];
  });
  return new Map(
    [...files, ...contextValues].map(([key, text]) => [
      key,
      whileDoing(`cannot unmarshal YAML/JSON for context key ${JSON.stringify(key)}`, () => parseYaml(text)),
    ]),
  );
}

/** Guards a Composition: it is for the XR's kind, has the labels that the XR selects, and is a pipeline. */
function assertComposes({ metadata, spec }: Composition, xr: JsonObject): void {
  const name = JSON.stringify(metadata.name);
  for (const field of ["kind", "apiVersion"] as const) {
    const [wanted, found] = [spec.compositeTypeRef[field], String(xr[field])];
    if (wanted !== found) {
      throw new RenderError(
        `composition's compositeTypeRef.${field} (${wanted}) does not match XR's ${field} (${found})`,
      );
    }
  }
  for (const [key, wanted] of Object.entries(readSelector(xr))) {
    const label = `label ${JSON.stringify(key)}`;
    const found = metadata.labels[key];
    if (found === undefined) throw new RenderError(`composition ${name} is missing required ${label}`);
    if (found === wanted) continue;
    const values = `want ${JSON.stringify(wanted)}, got ${JSON.stringify(found)}`;
    throw new RenderError(`composition ${name} has incorrect value for ${label}: ${values}`);
  }
  if (spec.mode === "Pipeline") return;
  throw new RenderError(
    `render only supports Composition Function pipelines: Composition ${name} must use spec.mode: Pipeline`,
  );
}

const readSelector = (xr: JsonObject): JsonObject =>
  objectAt(objectAt(objectAt(objectAt(xr, "spec"), "crossplane"), "compositionSelector"), "matchLabels");
