import * as z from "zod";
import { fieldPath, statusPath } from "./fields.ts";

const rescueRule = z.strictObject({
  apiGroup: z.string().min(1).describe("The kind's API group, without the `.m.` of namespaced managed resources."),
  kind: z.string().min(1).describe("The managed resource's kind."),
  fromFieldPath: fieldPath
    .prefault("status.atProvider.id")
    .describe("The field in which the provider reports the external name, exactly as the annotation must have it."),
});

/** Ways to keep the external names of managed resources. */
export const externalNames = z.strictObject({
  pin: z
    .boolean()
    .default(true)
    .describe(
      "Desire each external name once it has been observed. `false`: desire only names that were rescued or come from the ledger.",
    ),
  rescue: z
    .array(rescueRule)
    .prefault([])
    .describe(
      "Kinds whose provider may lose the external name, and the field to restore it from. These rules precede the built-in ones.",
    ),
  builtInRescue: z.boolean().default(true).describe("Also rescue the built-in kinds. docs/restore.md names them."),
  ledger: z
    .strictObject({
      toCompositeFieldPath: statusPath.describe(
        "A field of the XR's status that accepts any object. It holds the names by composed resource, then by kind.",
      ),
    })
    .optional()
    .describe("A record of all external names. A managed resource that is created again gets its name from it."),
});

export type ExternalNames = z.output<typeof externalNames>;
