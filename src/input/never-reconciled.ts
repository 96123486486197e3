import * as z from "zod";

/** In an Operation: what becomes of XRs for which Crossplane has never called a function. */
export const neverReconciled = z.strictObject({
  definitions: z
    .strictObject({
      matchLabels: z.record(z.string().min(1), z.string()).default({}).describe("Labels that an XRD has. All of them."),
    })
    .prefault({})
    .describe("Of which XRDs the XRs are looked at. Default: all."),
  onFound: z
    .enum(["Nudge", "Report"])
    .default("Nudge")
    .describe(
      "`Nudge`: annotate the XRD, so that Crossplane looks at it and starts the watch of its XRs where that has ended. " +
        "`Report`: only say which they are.",
    ),
});
