import type { Kind, Schema } from "./crd.ts";

/** The fields below spec.forProvider that hold tags in some kind of a family, the usual one first. */
const tagFields: Readonly<Record<string, readonly string[]>> = {
  "aws.upbound.io": ["tags", "tag", "resourceTags"],
  "aws.crossplane.io": ["tags", "userPoolTags", "identityPoolTags", "tagging.tagSet"],
  "azure.upbound.io": ["tags"],
  "gcp.upbound.io": ["labels", "resourceLabels", "userLabels", "settings.userLabels", "metadata.labels"],
};

const LIST_KEYS = [
  ["key", "value"],
  ["tagKey", "tagValue"],
  ["tag", "value"],
];

/**
 * Finds the field that holds the tags of a kind, with its shape where that is no map: `tags[key,value]`. The field has to have
 * that shape in every version: a GroupTag's `tag`, of which it has one, is not the tags of anything.
 */
export function findTagField(versions: readonly Kind[], domain: string): string | undefined {
  const schemas = versions.flatMap((kind) => [...kind.versions.values()]);
  for (const path of tagFields[domain] ?? []) {
    const shapes = new Set(schemas.map((schema) => shapeOf(schemaAt(schema, path.split(".")))));
    const [shape] = shapes;
    if (shapes.size === 1 && shape !== undefined) return `${path}${shape}`;
  }
  return undefined;
}

/** "" for a map of texts, the fields of a list's items in brackets, undefined for what holds no tags. */
function shapeOf(schema: Schema | undefined): string | undefined {
  if (schema?.additionalProperties?.type === "string") return "";
  const fields = Object.keys(schema?.items?.properties ?? {});
  const keys = LIST_KEYS.find((names) => names.every((name) => fields.includes(name)));
  if (schema?.type !== "array" || keys === undefined) return undefined;
  const others = fields.filter((field) => !keys.includes(field));
  return others.every((field) => field === "propagateAtLaunch") ? `[${[...keys, ...others].join(",")}]` : undefined;
}

/** The schema of a field; a block may be a list of one in one version and an object in another. */
export function schemaAt(schema: Schema, path: readonly string[]): Schema | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return schema;
  const next = (schema.properties ?? schema.items?.properties)?.[step];
  return next && schemaAt(next, rest);
}
