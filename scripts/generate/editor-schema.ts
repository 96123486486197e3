import { z } from "zod";
import { INPUT_API_VERSION, INPUT_KIND, inputSchema } from "../../src/input/schema.ts";

const properties = (entries: Readonly<Record<string, object>>): object => ({ type: "object", properties: entries });

/**
 * For editors: a Composition, of which only our steps' inputs are looked at, with what the CRD has to leave out: unknown fields
 * are faults.
 */
export function editorSchema(): object {
  const { $schema, ...input } = z.toJSONSchema(inputSchema, { io: "input", target: "draft-7", unrepresentable: "any" });
  const ours = { properties: { apiVersion: { const: INPUT_API_VERSION } }, required: ["apiVersion"] };
  const step = properties({ input: { anyOf: [{ $ref: "#/definitions/Input" }, { not: ours }] } });
  return {
    $schema,
    title: `A Composition with steps of function-shared-infrastructure (${INPUT_API_VERSION}, kind ${INPUT_KIND})`,
    ...properties({ spec: properties({ pipeline: { type: "array", items: step } }) }),
    definitions: { Input: input },
  };
}
