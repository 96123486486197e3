import * as z from "zod";
import { choice, fieldPath, flag, list, text } from "./fields.ts";

/** The section `adoption`: resources that the XR refers to and does not control, as after a restore from a backup. */
export const adoptionSchema = z.strictObject({
  onUnadopted: choice(
    ["Adopt", "Block"],
    "For a resource of this XR without a controller, once no step desires it any more. `Adopt`: desire it again until " +
      "Crossplane has taken control of it; then Crossplane deletes it. `Block`: stop the XR.",
  ),
  onUnproven: choice(
    ["Block", "Release"],
    "For a resource without a controller and without proof that this XR composed it. `Block`: stop the XR. `Release`: " +
      "leave it to Crossplane. v1.20 to v2.3 delete it, v2.4 forgets it.",
  ),
  onMissing: choice(
    ["Wait", "Recreate"],
    "For a resource that does not exist although a restored XR refers to it. `Wait`: stop the XR until it exists. " +
      "`Recreate`: go on. Crossplane creates it again if a step desires it.",
  ),
  restore: choice(
    ["Continue", "ObserveFirst"],
    "For managed resources that were restored. `Continue`: they are written at once. `ObserveFirst`: none is written, created or " +
      "deleted until each was found in the cloud as it is desired. A person can release some sooner, with the command in the condition " +
      "ResourcesAdopted.",
  ),
});

export type Adoption = z.output<typeof adoptionSchema>;

const rescueRule = z.strictObject({
  apiGroup: text.describe("The kind's API group, without the `.m.` of namespaced managed resources."),
  kind: text.describe("The managed resource's kind."),
  fromFieldPath: fieldPath
    .prefault("status.atProvider.id")
    .describe("The field in which the provider reports the external name, exactly as in the annotation."),
});

export const externalNamesSchema = z.strictObject({
  rescue: list(
    rescueRule,
    "Kinds whose provider may lose the external name, and the field to restore it from. These rules precede the built-in rules, which docs/restore.md names.",
  ),
  requireRecord: flag(
    false,
    "For a cluster that is rebuilt: creates a managed resource only if the pipeline or the record names it. `metadata.name` is enough where " +
      "the provider does not choose the external name.",
  ),
});

export type ExternalNames = z.output<typeof externalNamesSchema>;
