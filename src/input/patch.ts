import * as z from "zod";
import { choice, exactlyOneOf, fieldPath, optional, statusPath, text } from "./fields.ts";

/** A copy of one field of a shared resource, as it is. To transform values: `toEnvironment`, then function-patch-and-transform. */
export const patch = exactlyOneOf(
  z.strictObject({
    fromFieldPath: fieldPath.describe("A field of the shared resource."),
    toCompositeFieldPath: optional(statusPath, "A field of the XR's status."),
    toResource: optional(
      z.strictObject({
        name: text.describe(
          "A composed resource's name in the Composition; an earlier step desires it. Once the resource exists, its field stays as it is while the " +
            "value is not available.",
        ),
        fieldPath: fieldPath.describe("A field of that resource."),
      }),
      "A field of a composed resource.",
    ),
    policy: choice(
      ["Required", "Optional"],
      "`Required`: while `fromFieldPath` has no value, the XR is not ready, and the resource `toResource.name` is not created if it does not " +
        "exist yet. If no earlier step desires `toResource.name`, the XR stops; in a step with `connection` it is not ready. `Optional`: the XR " +
        "goes on without the value. Choose it also for a resource that earlier steps leave out at times.",
    ),
  }),
  ["toCompositeFieldPath", "toResource"],
);

export type Patch = z.output<typeof patch>;

export const isRequired = ({ policy }: Patch): boolean => policy === "Required";
