import * as z from "zod";
import {
  dnsLabel,
  exactlyOneOf,
  fieldPath,
  NOT_A_DNS_LABEL,
  onObjects,
  toValue,
  VALUE_SOURCES,
  value,
  valueShape,
} from "./fields.ts";

const label = exactlyOneOf(
  z.strictObject({
    key: z.string().min(1).describe("The label's key."),
    ...valueShape(z.string()),
    optional: z.boolean().default(false).describe("Omit this label if its value is not set, instead of waiting."),
  }),
  VALUE_SOURCES,
).transform(({ key, optional, ...sources }) => ({ key, optional, value: toValue(sources) }));

/** The fields that are allowed with `matchLabels` only. */
const ofLabels = ["minMatch", "maxMatch", "sortByFieldPath"] as const;

const count = z.int("not a whole number");

/** The selector of one or more shared resources. */
export const select = exactlyOneOf(
  z.strictObject({
    name: value(z.string().min(1)).optional().describe("The shared resource's name."),
    matchLabels: z.array(label).min(1).optional().describe("The shared resource's labels."),
    self: z.literal(true).optional().describe("This XR itself is the shared resource, and pushes its own credentials."),
    namespace: value(z.union([dnsLabel, z.literal("*")], { error: `${NOT_A_DNS_LABEL}, or "*"` }))
      .optional()
      .describe(
        'The namespace of a namespaced kind (Crossplane v2). `"*"`, with `matchLabels`, for all namespaces: only ' +
          "safe if no team can create a resource with these labels in its own namespace.",
      ),
    minMatch: count
      .min(0, "less than 0")
      .optional()
      .describe("The fewest resources that matchLabels has to find. Default: 1."),
    maxMatch: count
      .min(1, "less than 1")
      .optional()
      .describe(
        "The most resources that matchLabels may find. With sortByFieldPath, the most that are used. Default: 1.",
      ),
    sortByFieldPath: fieldPath
      .optional()
      .describe("The field by which the resources are sorted. Default: their names."),
  }),
  ["name", "matchLabels", "self"],
)
  .refine(
    ({ matchLabels, ...given }) => matchLabels !== undefined || ofLabels.every((key) => given[key] === undefined),
    {
      ...onObjects,
      error: `${ofLabels.join(", ")} need matchLabels`,
    },
  )
  .refine(({ self, namespace }) => self === undefined || namespace === undefined, {
    ...onObjects,
    path: ["namespace"],
    error: "not allowed with self",
  })
  .refine(({ name, namespace }) => name === undefined || namespace?.is !== "literal" || namespace.value !== "*", {
    ...onObjects,
    path: ["namespace"],
    error: '"*" needs matchLabels',
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
