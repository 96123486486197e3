import * as z from "zod";
import { exactlyOneOf, fieldPath, statusPath } from "./fields.ts";

/** A format with the verbs of Go's fmt that make sense for JSON values. */
const FORMAT = /^(?:[^%]|%%)*(?:%[sdv](?:[^%]|%%)*)?$/;

const transform = exactlyOneOf(
  z
    .strictObject({
      type: z.enum(["string", "map", "convert"]).describe("Which of them it is; may be left out."),
      string: z
        .strictObject({
          type: z.literal("Format").default("Format"),
          fmt: z.string().regex(FORMAT, "not a format with one of %s, %d, %v"),
        })
        .optional()
        .describe("Puts the value into a text, where %s, %d or %v stands."),
      map: z.record(z.string(), z.string()).optional().describe("Looks the value up."),
      convert: z
        .strictObject({ toType: z.enum(["string", "bool", "int64", "float64"]) })
        .optional()
        .describe("Makes another type of the value."),
    })
    .partial({ type: true }),
  ["string", "map", "convert"],
).refine(({ type, ...given }) => type === undefined || given[type] !== undefined, {
  path: ["type"],
  error: "does not go with what is beside it",
});

export type Transform = z.output<typeof transform>;

/** A copy of one field of a shared resource; its keys are those of function-patch-and-transform. */
export const patch = exactlyOneOf(
  z.strictObject({
    fromFieldPath: fieldPath.describe("A field of the shared resource."),
    toCompositeFieldPath: statusPath.optional().describe("A field of the XR's status."),
    toResource: z
      .strictObject({
        name: z.string().min(1).describe("A composed resource's name in the Composition; an earlier step desires it."),
        fieldPath: fieldPath.describe("A field of it."),
      })
      .optional()
      .describe("A field of a composed resource."),
    policy: z
      .strictObject({ fromFieldPath: z.enum(["Optional", "Required"]).default("Optional") })
      .prefault({})
      .describe("Whether the XR waits while the field is not set."),
    transforms: z.array(transform).prefault([]).describe("What is done to the value, one after the other."),
  }),
  ["toCompositeFieldPath", "toResource"],
);

export type Patch = z.output<typeof patch>;
