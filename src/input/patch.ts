import * as z from "zod";
import { choice, exactlyOneOf, fieldPath, optional, statusPath, text } from "./fields.ts";

/** A copy of one field of a shared resource. function-patch-and-transform can transform values in the environment. */
export const patch = exactlyOneOf(
  z.strictObject({
    fromFieldPath: fieldPath.describe("A field of the shared resource."),
    toCompositeFieldPath: optional(statusPath, "A field of the XR's status."),
    toResource: optional(
      z.strictObject({
        name: text.describe(
          "A composed resource's name in the Composition; an earlier step desires it. Once it exists, its field stays as it is while the " +
            "value is not available.",
        ),
        fieldPath: fieldPath.describe("A field of it."),
      }),
      "A field of a composed resource.",
    ),
    policy: choice(
      ["Required", "Optional"],
      "`Required`: without the field the XR is not ready, a resource that does not exist is held back, and a name that no earlier step " +
        "desires stops the XR, in a step without `connection`. `Optional`: the XR goes on without the field; choose it also for a resource " +
        "that earlier steps leave out at times.",
    ),
  }),
  ["toCompositeFieldPath", "toResource"],
);

export type Patch = z.output<typeof patch>;

export const isRequired = ({ policy }: Patch): boolean => policy === "Required";
