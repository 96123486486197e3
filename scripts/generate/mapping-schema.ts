import { z } from "zod";
import { mappingSchema } from "../../cli/lookup/mapping.ts";

/** The mapping file's schema for editors, from the one that validates it. */
export function mappingJsonSchema(): string {
  const schema = z.toJSONSchema(mappingSchema, { io: "input", target: "draft-7" });
  const title = "IdentityMapping of function-shared-infrastructure";
  return `${JSON.stringify({ title, ...schema }, null, 2)}\n`;
}
