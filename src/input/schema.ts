import { z } from "zod";
import { DOMAIN } from "../model/names.ts";
import { duration } from "./fields.ts";
import { sharedResource } from "./shared-resource.ts";

export const API_VERSION = `${DOMAIN}/v1beta1`;
export const KIND = "Input";

/** The default of `spec.responseTTL`: Crossplane's own default, so that every XR has a next reconcile (crossplane#5400). */
const DEFAULT_TTL = "60s";

/** Names tell shared resources apart in all that we return. */
function checkNamesAreUnique({ value, issues }: z.core.ParsePayload<readonly { readonly name: string }[]>): void {
  const first = new Map<unknown, number>();
  for (const [index, { name }] of value.entries()) {
    const taken = first.get(name);
    if (taken === undefined) first.set(name, index);
    else issues.push({ code: "custom", input: name, path: [index, "name"], message: `also the name of [${taken}]` });
  }
}

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
      .check(checkNamesAreUnique)
      .prefault([])
      .describe(
        "Infrastructure of others that this XR uses: what it is, and where its connection Secret is copied to.",
      ),
  }),
});

/** A validated input: defaults filled in, field paths parsed. */
export type Input = z.output<typeof inputSchema>;
