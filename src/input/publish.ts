import * as z from "zod";
import { DNS_SUBDOMAIN, MAX_NAME } from "../model/names.ts";
import { choice, fieldPath, json, unique, value } from "./fields.ts";

const field = z.strictObject({
  value: value(z.string(), z.number(), z.boolean(), z.array(json)).describe("Its value."),
  toFieldPath: fieldPath.describe("A field of the EnvironmentConfig's data."),
});

export const publishSchema = z.strictObject({
  environmentConfig: z
    .strictObject({
      apiVersion: choice(
        ["apiextensions.crossplane.io/v1beta1", "apiextensions.crossplane.io/v1alpha1"],
        "Crossplane v1.18 and later serve v1beta1, earlier versions v1alpha1.",
      ),
      name: value(z.string().max(MAX_NAME, "too long").regex(DNS_SUBDOMAIN, "not a resource's name")).describe(
        "Its name.",
      ),
      labels: z.record(z.string(), z.string()).default({}).describe("Its labels, by which others select it."),
      data: unique(z.array(field).min(1), "toFieldPath").describe(
        "Its data: fields of this XR and the environment, never values of a Secret.",
      ),
    })
    .describe("An EnvironmentConfig that this XR keeps up to date. Cluster-scoped XRs only."),
});

export type EnvironmentConfig = z.output<typeof publishSchema>["environmentConfig"];
