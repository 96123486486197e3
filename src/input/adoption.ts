import * as z from "zod";

/** What becomes of composed resources that the XR refers to and does not control, as after a restore from a backup. */
export const adoption = z.strictObject({
  onUnadopted: z
    .enum(["Adopt", "Block"])
    .default("Adopt")
    .describe(
      "One that this XR composed, nobody controls, and nobody desires any more. `Adopt`: put it back once, so that " +
        "Crossplane takes control of it, and deletes it properly afterwards. `Block`: stop the XR.",
    ),
  onUnproven: z
    .enum(["Block", "Release"])
    .default("Block")
    .describe(
      "One that nobody controls, and that nothing shows to be this XR's. `Block`: stop the XR. `Release`: leave it to " +
        "Crossplane, which deletes it (v1.20 to v2.3) or forgets it (v2.4).",
    ),
  onMissing: z
    .enum(["Wait", "Recreate"])
    .default("Wait")
    .describe(
      "One that a restored XR refers to, and that is not there (yet). `Wait`: stop the XR until it is. `Recreate`: go on " +
        "without it; what is desired is made anew.",
    ),
});

export type Adoption = z.output<typeof adoption>;
