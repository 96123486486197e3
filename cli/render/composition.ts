import * as z from "zod";
import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";
import { RenderError } from "./error.ts";
import { toManifest } from "./manifests.ts";
import { metadataString } from "./metadata.ts";
import { listOf, narrow, orElse } from "./objects.ts";

const text = orElse("", z.string());
const selector = { requirementName: text, apiVersion: text, kind: text };
const labels = orElse({}, z.record(z.string(), z.string()));

const step = z.object({
  step: text,
  functionRef: orElse({}, z.object({ name: text })),
  input: orElse(undefined, z.custom<JsonObject>(isObject, "expected an object").optional()),
  credentials: listOf({
    name: text,
    source: text,
    secretRef: orElse(undefined, z.object({ name: text, namespace: text }).optional()),
  }),
  requirements: orElse(
    undefined,
    z
      .object({
        requiredResources: listOf({ ...selector, name: orElse(undefined, z.string().optional()), matchLabels: labels }),
        requiredSchemas: listOf(selector),
      })
      .optional(),
  ),
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

const functionManifest = z.object({
  metadata: orElse({}, z.object({ name: text, annotations: labels })),
  spec: orElse({}, z.object({ package: text })),
});

export type Composition = z.output<typeof composition>;
export type Step = z.output<typeof step>;

/** A Function of the functions file. */
export interface FunctionManifest {
  readonly name: string;
  readonly package: string;
  readonly annotations: Readonly<Record<string, string>>;
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
  return { name: metadata.name, package: spec.package, annotations: metadata.annotations };
}

function assertIs(object: JsonObject, what: string, apiVersions: readonly string[], kind: string): void {
  if (apiVersions.includes(String(object["apiVersion"])) && object["kind"] === kind) return;
  throw new RenderError(`not a ${what}: ${String(object["kind"])}/${metadataString(object, "name")}`);
}
