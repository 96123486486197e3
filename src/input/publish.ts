import * as z from "zod";
import { DNS_SUBDOMAIN, MAX_NAME } from "../model/names.ts";
import { exactlyOneOf, fieldPath, json, toValue, unique, value, valueShape } from "./fields.ts";

const field = exactlyOneOf(
  z.strictObject({
    ...valueShape(json),
    toFieldPath: fieldPath.describe("A field of the EnvironmentConfig's data."),
  }),
  ["value", "fromCompositeFieldPath", "fromEnvironmentFieldPath"],
).transform(({ toFieldPath, ...sources }) => ({ toFieldPath, value: toValue(sources) }));

/** The resources that this XR shares, for others to select. */
export const publish = z.strictObject({
  environmentConfig: z
    .strictObject({
      apiVersion: z
        .enum(["apiextensions.crossplane.io/v1beta1", "apiextensions.crossplane.io/v1alpha1"])
        .default("apiextensions.crossplane.io/v1beta1")
        .describe("v1beta1 is served since Crossplane v1.18; before, it was v1alpha1."),
      name: value(z.string().max(MAX_NAME, "too long").regex(DNS_SUBDOMAIN, "not a resource's name")).describe(
        "Its name.",
      ),
      labels: z.record(z.string(), z.string()).default({}).describe("Labels by which others select it."),
      data: z
        .array(field)
        .min(1)
        .refine(...unique("toFieldPath"))
        .describe("What it says: fields of this XR and the environment, never values of a Secret."),
    })
    .describe("An EnvironmentConfig that this XR keeps up to date. Cluster-scoped XRs only."),
});

export type EnvironmentConfig = z.output<typeof publish>["environmentConfig"];
