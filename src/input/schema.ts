import * as z from "zod";
import { isObject } from "../model/json.ts";
import { DOMAIN } from "../model/names.ts";
import { adoption } from "./adoption.ts";
import { consumers } from "./consumers.ts";
import { externalNames } from "./external-names.ts";
import { duration, json, unique } from "./fields.ts";
import { neverReconciled } from "./never-reconciled.ts";
import { publish } from "./publish.ts";
import { sharedResource } from "./shared-resource.ts";
import { tags } from "./tags.ts";

export const API_VERSION = `${DOMAIN}/v1beta1`;
export const KIND = "Input";

/** The default of `spec.responseTTL`: Crossplane's own default, so that every XR has a next reconcile (crossplane#5400). */
const DEFAULT_TTL = "60s";

/** Tells whether no share that fails the XR goes with copies. They may be parsed or not. */
function mayFail(shares: readonly unknown[]): boolean {
  const objects = shares.filter(isObject);
  return objects.every(({ resolution }) => resolution !== "Fail") || objects.every((share) => !share["connection"]);
}

/** The input of a pipeline step: the source of its validation, its CRD (package/input) and its reference (docs/input.md). */
export const inputSchema = z.strictObject({
  apiVersion: z.literal(API_VERSION),
  kind: z.literal(KIND),
  metadata: z.looseObject({}).optional(),
  spec: z.strictObject({
    responseTTL: duration
      .prefault(DEFAULT_TTL)
      .describe(
        "Time to live of the response: Crossplane reconciles the XR again after this time, 10 % more or less depending on the " +
          "XR. `0s` leaves the interval to Crossplane.",
      ),
    sharedResources: z
      .array(sharedResource)
      .refine(...unique("name"))
      .refine(mayFail, {
        when: ({ value }) => Array.isArray(value),
        error: "resolution: Fail does not go with connection: a Fatal result keeps copies whatever their owners say",
      })
      .prefault([])
      .describe(
        "Resources of other owners that this XR uses, and the places to which their connection Secrets are copied.",
      ),
    contextKey: z
      .string()
      .min(1)
      .default(`${DOMAIN}/shared-resources`)
      .describe(
        "The context key under which later steps find the shared resources, as lists by name. Templates written for " +
          "function-extra-resources read `apiextensions.crossplane.io/extra-resources`.",
      ),
    environment: z
      .strictObject({
        defaultData: z
          .record(z.string(), json)
          .default({})
          .describe("Defaults; values from earlier steps and from `toEnvironment` win."),
      })
      .optional()
      .describe("The environment that later steps read. `sharedResources[].toEnvironment` adds to it."),
    publish: publish.optional().describe("Makes fields of this XR available to others."),
    consumers: consumers
      .optional()
      .describe("For the Composition of a shared XR: who uses it, and what each of them gets. See docs/consumers.md."),
    tags: tags
      .optional()
      .describe(
        "Sets tags on composed resources, and decides which XR owns a cloud resource that several XRs declare. See docs/tags.md.",
      ),
    externalNames: externalNames
      .optional()
      .describe("Keeps the external names of managed resources. `{}` turns it on. See docs/restore.md."),
    adoption: adoption
      .optional()
      .describe(
        "Keeps every resource that the XR refers to until the XR controls it, as after a restore. `{}` turns it on. The step " +
          "must be the last of the pipeline. See docs/restore.md.",
      ),
    neverReconciled: neverReconciled
      .optional()
      .describe(
        "In an Operation only, and without any other section: finds XRs that were never reconciled. See docs/cli.md.",
      ),
  }),
});

/** A validated input: defaults filled in, field paths parsed. */
export type Input = z.output<typeof inputSchema>;
