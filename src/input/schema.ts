import * as z from "zod";
import { isObject } from "../model/json.ts";
import { DOMAIN } from "../model/names.ts";
import { consumersSchema } from "./consumers.ts";
import { choice, duration, json, optional, text, unique } from "./fields.ts";
import { publishSchema } from "./publish.ts";
import { adoptionSchema, externalNamesSchema } from "./restore.ts";
import { findEnvironmentLoop, sharedResourceSchema } from "./shared-resource.ts";
import { tagsSchema } from "./tags.ts";

export const INPUT_API_VERSION = `${DOMAIN}/v1beta1`;
export const INPUT_KIND = "Input";

/** The default of `spec.responseTTL`. It equals Crossplane's, and gives every XR a next reconcile (crossplane#5400). */
const DEFAULT_TTL = "60s";

/** Tells whether a shared resource has copies or dependents, which a revoked grant deletes. A Fatal result would keep them. */
const hasRevocable = ({ connection, dependents }: { readonly connection?: unknown; readonly dependents?: unknown }) =>
  Boolean(connection) || (Array.isArray(dependents) && dependents.length > 0);

/** Tells whether the shared resources, parsed or not, keep the rule that `resolution: Fail` excludes copies and dependents. */
function mayFail(shares: readonly unknown[]): boolean {
  const objects = shares.filter(isObject);
  return objects.every(({ resolution }) => resolution !== "Fail") || !objects.some(hasRevocable);
}

const FROZEN =
  "is not allowed with connection or dependents, because a Fatal result would keep copies and dependents after their grant is revoked";

const neverReconciledSchema = z.strictObject({
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

/** The schema of a pipeline step's input: the source of its validation, its CRD (package/input), the editors' schema and docs/input.md. */
export const inputSchema = z.strictObject({
  apiVersion: z.literal(INPUT_API_VERSION),
  kind: z.literal(INPUT_KIND),
  metadata: z.looseObject({}).optional(),
  spec: z
    .strictObject({
      responseTTL: duration
        .prefault(DEFAULT_TTL)
        .describe(
          "Crossplane reconciles the XR again after this time, 10 % more or less. `0s` leaves the interval to Crossplane.",
        ),
      sharedResources: unique(z.array(sharedResourceSchema), "name")
        .refine(mayFail, {
          when: ({ value }) => Array.isArray(value),
          error: `resolution: Fail ${FROZEN}; use Required`,
        })
        .prefault([])
        .describe("Shared resources that this XR uses, and the copies of their connection Secrets."),
      contextKey: text
        .default(`${DOMAIN}/shared-resources`)
        .describe(
          "The context key under which later steps find the shared resources, as lists by `into`. Templates written for " +
            "function-extra-resources read `apiextensions.crossplane.io/extra-resources`.",
        ),
      environment: optional(
        z.strictObject({
          defaultData: z
            .record(z.string(), json)
            .default({})
            .describe("Defaults; values from earlier steps and from `toEnvironment` win."),
        }),
        "The environment that later steps read. `sharedResources[].toEnvironment` adds to it.",
      ),
      publish: optional(publishSchema, "Makes fields of this XR available to others."),
      consumers: optional(
        consumersSchema,
        "For the Composition of a shared XR: serves its consumers. See docs/consumers.md.",
      ),
      tags: optional(
        tagsSchema,
        "Sets tags on composed resources, and decides which XR owns a cloud resource that several XRs declare. See docs/tags.md.",
      ),
      externalNames: optional(
        externalNamesSchema,
        "Keeps the external names of managed resources. `{}` turns it on. See docs/restore.md.",
      ),
      adoption: optional(
        adoptionSchema,
        "For a restore: keeps every resource that the XR refers to until the XR controls it. `{}` turns it on. The step " +
          "must be the last of the pipeline. See docs/restore.md.",
      ),
      neverReconciled: optional(
        neverReconciledSchema,
        "In an Operation only, without any other section: finds XRs that were never reconciled. See docs/cli.md.",
      ),
    })
    .refine(({ sharedResources, tags }) => tags?.owner?.onConflict !== "Fail" || !sharedResources.some(hasRevocable), {
      path: ["tags", "owner", "onConflict"],
      error: `Fail ${FROZEN}; use Observe or Withhold`,
    })
    .superRefine((spec, { addIssue }) => {
      for (const section of ["sharedResources", "publish", "consumers", "tags"] as const) {
        const read = findEnvironmentLoop(spec.sharedResources, [spec[section]].flat());
        const message = `reads ${read} of the environment, which toEnvironment of this step sets: read it in a later step, or have toEnvironment set another field`;
        if (read !== undefined) addIssue({ code: "custom", path: [section], message });
      }
    }),
});

/** A validated input: defaults filled in, field paths parsed. */
export type Input = z.output<typeof inputSchema>;
