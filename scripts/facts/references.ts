import { listReferences } from "../../src/crossplane/providers/reference-names.ts";
import type { Kind, Schema } from "./crd.ts";
import { schemaAt } from "./tags.ts";

/**
 * Checks that the function finds the references that fill in identifying fields, by their names.
 *
 * @throws {Error} naming those that it does not find.
 */
export function assertReferences(versions: readonly Kind[], fields: readonly string[]): void {
  for (const { kind, group, versions: schemas } of versions) {
    const unknown = [...schemas.values()].flatMap((schema) => fields.flatMap((field) => findUnknown(schema, field)));
    if (unknown.length === 0) continue;
    throw new Error(`cannot find ${unknown.join(", ")} of ${kind}.${group}: add it to reference-names.ts`);
  }
}

const POPULATES = /^(?:References? to|Selector for) .* to populate (?<field>\w+)/;

/** Finds the references to a field that are called otherwise. */
function findUnknown(schema: Schema, path: string): readonly string[] {
  const steps = path.split(".");
  const field = steps.pop() ?? "";
  const names = listReferences(field);
  const block = schemaAt(schema, steps);
  return Object.entries(block?.properties ?? block?.items?.properties ?? {}).flatMap(([name, { description = "" }]) =>
    POPULATES.exec(description)?.groups?.["field"] === field && !names.includes(name) ? [name] : [],
  );
}
