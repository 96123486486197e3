import * as z from "zod";

/** For an Operation: finds XRs for which Crossplane has never called a function. */
export const neverReconciled = z.strictObject({
  definitions: z
    .strictObject({
      matchLabels: z
        .record(z.string().min(1), z.string())
        .default({})
        .describe("Labels that an XRD must have, all of them."),
    })
    .prefault({})
    .describe("The XRDs whose XRs are checked. Default: all."),
  onFound: z
    .enum(["Nudge", "Report"])
    .default("Nudge")
    .describe(
      "`Nudge`: annotate the XRD, so that Crossplane reconciles it and restarts the watch of its XRs if that has ended. " +
        "`Report`: only list the XRs.",
    ),
});
