import * as z from "zod";
import { DNS_SUBDOMAIN, MAX_NAME } from "../model/names.ts";
import { fieldPath, json, unique, value } from "./fields.ts";

const field = z.strictObject({
  value: value(z.string(), z.number(), z.boolean(), z.array(json)).describe("The field's value."),
  toFieldPath: fieldPath.describe("A field of the EnvironmentConfig's data."),
});

export const publishSchema = z.strictObject({
  environmentConfig: z
    .strictObject({
      name: value(
        z
          .string()
          .max(MAX_NAME, `more than ${MAX_NAME} characters`)
          .regex(DNS_SUBDOMAIN, "not a resource's name: lower case letters, digits, '-' and '.'"),
      ).describe("The EnvironmentConfig's name."),
      labels: z
        .record(z.string(), z.string())
        .default({})
        .describe("The EnvironmentConfig's labels, by which others select it."),
      data: unique(z.array(field).min(1), "toFieldPath").describe(
        "The EnvironmentConfig's data: fields of this XR and the environment, never values of a Secret.",
      ),
    })
    .describe("An EnvironmentConfig that this XR keeps up to date. Cluster-scoped XRs only."),
});

export type EnvironmentConfig = z.output<typeof publishSchema>["environmentConfig"];
