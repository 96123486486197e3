import * as z from "zod";

/** Decisions about resources that the XR refers to and does not control, as after a restore from a backup. */
export const adoptionSchema = z.strictObject({
  onUnadopted: z
    .enum(["Adopt", "Block"])
    .default("Adopt")
    .describe(
      "For a resource that this XR composed, that has no controller and that no step desires any more. `Adopt`: desire it " +
        "again, so that Crossplane takes control of it before it deletes it. `Block`: stop the XR.",
    ),
  onUnproven: z
    .enum(["Block", "Release"])
    .default("Block")
    .describe(
      "For a resource without a controller and without proof that this XR composed it. `Block`: stop the XR. `Release`: " +
        "leave it to Crossplane, which deletes it (v1.20 to v2.3) or forgets it (v2.4).",
    ),
  onMissing: z
    .enum(["Wait", "Recreate"])
    .default("Wait")
    .describe(
      "For a resource that a restored XR refers to and that does not exist (yet). `Wait`: stop the XR until it exists. " +
        "`Recreate`: go on; Crossplane creates it again if a step desires it.",
    ),
  restore: z
    .enum(["Continue", "ObserveFirst"])
    .default("Continue")
    .describe(
      "For managed resources that were restored. `Continue`: they are written at once. `ObserveFirst`: none is written, created or " +
        "deleted until each was found in the cloud as it is desired, or a person releases it.",
    ),
});

export type Adoption = z.output<typeof adoptionSchema>;
