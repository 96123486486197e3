import * as z from "zod";
import { choice } from "./fields.ts";

/** Decisions about resources that the XR refers to and does not control, as after a restore from a backup. */
export const adoptionSchema = z.strictObject({
  onUnadopted: choice(
    ["Adopt", "Block"],
    "For a resource that this XR composed, that has no controller and that no step desires any more. `Adopt`: desire it " +
      "again, so that Crossplane takes control of it before it deletes it. `Block`: stop the XR.",
  ),
  onUnproven: choice(
    ["Block", "Release"],
    "For a resource without a controller and without proof that this XR composed it. `Block`: stop the XR. `Release`: " +
      "leave it to Crossplane, which deletes it (v1.20 to v2.3) or forgets it (v2.4).",
  ),
  onMissing: choice(
    ["Wait", "Recreate"],
    "For a resource that a restored XR refers to and that does not exist (yet). `Wait`: stop the XR until it exists. " +
      "`Recreate`: go on; Crossplane creates it again if a step desires it.",
  ),
  restore: choice(
    ["Continue", "ObserveFirst"],
    "For managed resources that were restored. `Continue`: they are written at once. `ObserveFirst`: none is written, created or " +
      "deleted until each was found in the cloud as it is desired, or a person releases it.",
  ),
});

export type Adoption = z.output<typeof adoptionSchema>;
