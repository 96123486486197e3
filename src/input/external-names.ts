import * as z from "zod";
import { fieldPath, statusPath } from "./fields.ts";

const rescueRule = z.strictObject({
  apiGroup: z.string().min(1).describe("The kind's API group; `.m.` of namespaced managed resources is left out."),
  kind: z.string().min(1).describe("The managed resource's kind."),
  fromFieldPath: fieldPath
    .prefault("status.atProvider.id")
    .describe("Where the provider says what the cloud calls it: exactly what the external name has to be."),
});

/** How managed resources keep the names that the cloud gave to what they stand for. */
export const externalNames = z.strictObject({
  pin: z
    .boolean()
    .default(true)
    .describe(
      "Desire each external name from when it is first observed. `false`: only those rescued or from the ledger.",
    ),
  rescue: z
    .array(rescueRule)
    .prefault([])
    .describe(
      "Kinds whose provider may lose the external name, and where it is found then. They come before the built-in ones.",
    ),
  builtInRescue: z.boolean().default(true).describe("Whether the kinds in docs/external-names.md are rescued too."),
  ledger: z
    .strictObject({
      toCompositeFieldPath: statusPath.describe(
        "A field of the XR's status that takes any object: names by composed resource, then by kind.",
      ),
    })
    .optional()
    .describe("A record of all external names, from which a managed resource that is made anew gets its name back."),
});

export type ExternalNames = z.output<typeof externalNames>;
export type RescueRule = z.output<typeof rescueRule>;
