import * as z from "zod";
import { belowStatus, exactlyOneOf, fieldPath, targetPath } from "./fields.ts";

/** Ways to combine a value with the one in its place. */
const MERGES = [
  "Replace",
  "MergeObjects",
  "MergeObjectsAppendArrays",
  "ForceMergeObjects",
  "ForceMergeObjectsAppendArrays",
] as const;

const policy = z.strictObject({
  fromFieldPath: z
    .enum(["Required", "Optional"])
    .default("Required")
    .describe(
      "`Required`: without the field the XR is not ready, a resource that does not exist is held back, and a name that no earlier step " +
        "desires stops the XR, in a step without `connection`. `Optional`: the XR goes on without the field; choose it also for a resource " +
        "that earlier steps leave out at times.",
    ),
  toFieldPath: z
    .enum(MERGES)
    .default("Replace")
    .describe(
      "The treatment of a value that is there already. `MergeObjects` keeps its keys, `ForceMergeObjects` replaces them, and " +
        "with `AppendArrays` new items are added to its lists.",
    ),
});

export type ToFieldPath = z.output<typeof policy>["toFieldPath"];

/** A copy of one field of a shared resource, as it is; its keys are those of function-patch-and-transform. */
export const patch = exactlyOneOf(
  z.strictObject({
    fromFieldPath: fieldPath.describe("A field of the shared resource."),
    toCompositeFieldPath: targetPath
      .refine(...belowStatus)
      .optional()
      .describe("A field of the XR's status; `[*]` stands for each of a list."),
    toResource: z
      .strictObject({
        name: z
          .string()
          .min(1)
          .describe(
            "A composed resource's name in the Composition; an earlier step desires it. Once it exists, its field stays as it is while the " +
              "value is not available.",
          ),
        fieldPath: targetPath.describe("A field of it; `[*]` stands for each item or field that is there."),
      })
      .optional()
      .describe("A field of a composed resource."),
    policy: policy.prefault({}).describe("For a field that is not set, and for a target that has a value already."),
  }),
  ["toCompositeFieldPath", "toResource"],
);

export type Patch = z.output<typeof patch>;

/** Tells whether a patch has to have its field: a composed resource created without it may not be mendable (subnets, keys). */
export const isRequired = ({ policy: { fromFieldPath } }: Patch): boolean => fromFieldPath === "Required";
