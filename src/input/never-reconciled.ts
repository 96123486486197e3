import * as z from "zod";
import { choice, text } from "./fields.ts";

/** The section of Operations: finds XRs for which Crossplane has never called a function. */
export const neverReconciledSchema = z.strictObject({
  definitions: z
    .strictObject({
      matchLabels: z.record(text, z.string()).default({}).describe("The labels of these XRDs."),
    })
    .prefault({})
    .describe("The XRDs whose XRs are checked. Default: all."),
  onFound: choice(
    ["Nudge", "Report"],
    "`Nudge`: annotate the XRD, so that Crossplane reconciles it and restarts the watch of its XRs if that has ended. " +
      "`Report`: only list the XRs.",
  ),
});
