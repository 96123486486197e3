import * as z from "zod";
import { fieldPath, statusPath } from "./fields.ts";

const rescueRule = z.strictObject({
  apiGroup: z.string().min(1).describe("The kind's API group, without the `.m.` of namespaced managed resources."),
  kind: z.string().min(1).describe("The managed resource's kind."),
  fromFieldPath: fieldPath
    .prefault("status.atProvider.id")
    .describe("The field in which the provider reports the external name, exactly as in the annotation."),
});

export const externalNamesSchema = z.strictObject({
  pin: z
    .boolean()
    .default(true)
    .describe(
      "Desire each external name once it is observed. `false`: desire only rescued names and names from the ledger.",
    ),
  rescue: z
    .array(rescueRule)
    .prefault([])
    .describe(
      "Kinds whose provider may lose the external name, and the field to restore it from. They precede the built-in rules.",
    ),
  builtInRescue: z.boolean().default(true).describe("Also rescue the built-in kinds. docs/restore.md names them."),
  ledger: z
    .strictObject({
      toCompositeFieldPath: statusPath.describe(
        "A field of the XR's status that accepts any object: the names by composed resource, then by kind.",
      ),
    })
    .optional()
    .describe("A record of all external names. A managed resource that is created again gets its name from it."),
});

export type ExternalNames = z.output<typeof externalNamesSchema>;
