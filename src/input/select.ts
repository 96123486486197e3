import * as z from "zod";
import { dnsLabel, exactlyOneOf, fieldPath, NOT_A_DNS_LABEL, onObjects, toValue, value, valueShape } from "./fields.ts";

const label = exactlyOneOf(
  z.strictObject({
    key: z.string().min(1).describe("The label's key."),
    ...valueShape(z.string()),
    optional: z
      .boolean()
      .default(false)
      .describe("Leave this label out where its value is not set, instead of waiting."),
  }),
  ["value", "fromCompositeFieldPath", "fromEnvironmentFieldPath"],
).transform(({ key, optional, ...sources }) => ({ key, optional, value: toValue(sources) }));

/** The fields that only `matchLabels` has. */
const ofLabels = ["minMatch", "maxMatch", "sortByFieldPath"] as const;

const count = z.int("not a whole number");

/** The selector of one shared resource or of several. */
export const select = exactlyOneOf(
  z.strictObject({
    name: value(z.string().min(1)).optional().describe("The shared resource's name."),
    matchLabels: z.array(label).min(1).optional().describe("Labels that the shared resource carries."),
    self: z.literal(true).optional().describe("This XR itself is the shared resource, and pushes its own credentials."),
    namespace: value(z.union([dnsLabel, z.literal("*")], { error: `${NOT_A_DNS_LABEL}, or "*"` }))
      .optional()
      .describe(
        'The namespace of a namespaced kind (Crossplane v2). `"*"`, beside `matchLabels`, for all namespaces: only ' +
          "safe if no team can create a resource with these labels in its own namespace.",
      ),
    minMatch: count
      .min(0, "less than 0")
      .optional()
      .describe("How many resources matchLabels has to find. Default: 1."),
    maxMatch: count
      .min(1, "less than 1")
      .optional()
      .describe("How many it may find, 1 by default. With sortByFieldPath, how many of them are taken."),
    sortByFieldPath: fieldPath
      .optional()
      .describe("The field whose values say which come first. Without it they are in the order of their names."),
  }),
  ["name", "matchLabels", "self"],
)
  .refine(
    ({ matchLabels, ...given }) => matchLabels !== undefined || ofLabels.every((key) => given[key] === undefined),
    {
      ...onObjects,
      error: `${ofLabels.join(", ")} go with matchLabels`,
    },
  )
  .refine(({ self, namespace }) => self === undefined || namespace === undefined, {
    ...onObjects,
    path: ["namespace"],
    error: "does not go with self",
  })
  .refine(({ name, namespace }) => name === undefined || namespace?.is !== "literal" || namespace.value !== "*", {
    ...onObjects,
    path: ["namespace"],
    error: '"*" goes with matchLabels',
  })
  .refine(({ minMatch = 1, maxMatch = Number.POSITIVE_INFINITY }) => minMatch <= maxMatch, {
    ...onObjects,
    path: ["minMatch"],
    error: "more than maxMatch",
  })
  .transform(({ name, matchLabels, namespace, minMatch = 1, maxMatch, sortByFieldPath }) => {
    if (name !== undefined) return { by: "name" as const, name, namespace };
    if (matchLabels === undefined) return { by: "self" as const, namespace: undefined };
    const atMost = maxMatch ?? Math.max(1, minMatch);
    return { by: "labels" as const, labels: matchLabels, namespace, minMatch, maxMatch: atMost, sortByFieldPath };
  });

export type Select = z.output<typeof select>;
