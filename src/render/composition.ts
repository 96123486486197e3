import { z } from "zod";
import { isObject, type JsonObject, type JsonValue } from "../model/json.ts";
import { RenderError } from "./error.ts";
import { toManifest } from "./manifests.ts";
import { metadataString } from "./metadata.ts";
import { narrow } from "./objects.ts";

/** What Go reads where nothing is written. */
const text = z.string().default("");
const labels = z.record(z.string(), z.string()).optional();

const resourceSelector = z.object({
  requirementName: text,
  apiVersion: text,
  kind: text,
  name: z.string().optional(),
  matchLabels: labels,
});

const step = z.object({
  step: text,
  functionRef: z.object({ name: text }).prefault({}),
  input: z.custom<JsonObject>(isObject, "expected an object").optional(),
  credentials: z
    .array(z.object({ name: text, source: text, secretRef: z.object({ name: text, namespace: text }).optional() }))
    .default([]),
  requirements: z
    .object({
      requiredResources: z.array(resourceSelector).default([]),
      requiredSchemas: z.array(z.object({ requirementName: text, apiVersion: text, kind: text })).default([]),
    })
    .optional(),
});

const composition = z.object({
  metadata: z.object({ name: text, labels }).prefault({}),
  spec: z
    .object({
      compositeTypeRef: z.object({ apiVersion: text, kind: text }).prefault({}),
      mode: text,
      pipeline: z.array(step).default([]),
    })
    .prefault({}),
});

const functionManifest = z.object({
  metadata: z.object({ name: text }).prefault({}),
  spec: z.object({ package: text }).prefault({}),
});

export type Composition = z.output<typeof composition>;
export type Step = z.output<typeof step>;

/** A Function of the functions file. */
export interface FunctionManifest {
  readonly name: string;
  readonly package: string;
}

/** @throws {RenderError} where the value is no Composition, or one whose fields have other types than Crossplane's. */
export function toComposition(value: JsonValue): Composition {
  const object = toManifest(value);
  assertIs(object, "composition", ["apiextensions.crossplane.io/v1"], "Composition");
  return narrow(composition, object);
}

/** @throws {RenderError} where the object is no Function. */
export function toFunction(object: JsonObject): FunctionManifest {
  assertIs(object, "function", ["pkg.crossplane.io/v1", "pkg.crossplane.io/v1beta1"], "Function");
  const { metadata, spec } = narrow(functionManifest, object);
  return { name: metadata.name, package: spec.package };
}

function assertIs(object: JsonObject, what: string, apiVersions: readonly string[], kind: string): void {
  if (apiVersions.includes(String(object["apiVersion"])) && object["kind"] === kind) return;
  throw new RenderError(`not a ${what}: ${String(object["kind"])}/${metadataString(object, "name")}`);
}
