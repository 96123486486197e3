import * as z from "zod";
import { DOMAIN } from "../model/names.ts";
import { adoption } from "./adoption.ts";
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

/** The input of a pipeline step: the one source of its validation, its CRD (package/input) and its reference (README). */
export const inputSchema = z.strictObject({
  apiVersion: z.literal(API_VERSION),
  kind: z.literal(KIND),
  metadata: z.looseObject({}).optional(),
  spec: z.strictObject({
    responseTTL: duration
      .prefault(DEFAULT_TTL)
      .describe(
        "How long Crossplane may wait until it calls again, spread by up to 10 % per XR. 0s: it decides itself.",
      ),
    sharedResources: z
      .array(sharedResource)
      .refine(...unique("name"))
      .prefault([])
      .describe(
        "Infrastructure of others that this XR uses: what it is, and where its connection Secret is copied to.",
      ),
    contextKey: z
      .string()
      .min(1)
      .default(`${DOMAIN}/shared-resources`)
      .describe(
        "The context key under which later steps find the shared resources, as lists by name. " +
          "`apiextensions.crossplane.io/extra-resources` is function-extra-resources' own.",
      ),
    environment: z
      .strictObject({ defaultData: z.record(z.string(), json).default({}).describe("What nobody else has set.") })
      .optional()
      .describe("The environment that later steps read, beside what `sharedResources[].toEnvironment` adds."),
    publish: publish.optional().describe("What others can select of this XR."),
    tags: tags
      .optional()
      .describe(
        "Tags of the composed resources, and who owns a cloud resource that several XRs declare: docs/tags.md.",
      ),
    externalNames: externalNames
      .optional()
      .describe("No managed resource loses the name of its cloud resource. `{}` turns it on."),
    adoption: adoption
      .optional()
      .describe(
        "Nothing that the XR refers to is dropped before the XR controls it. `{}` turns it on, as the last step.",
      ),
    neverReconciled: neverReconciled
      .optional()
      .describe("Find XRs that were never reconciled; in an Operation, with nothing else: docs/audit.md."),
  }),
});

/** A validated input: defaults filled in, field paths parsed. */
export type Input = z.output<typeof inputSchema>;
