import * as z from "zod";
import { DNS_SUBDOMAIN, MAX_NAME } from "../model/names.ts";
import { fieldPath, json, unique, value } from "./fields.ts";

const field = z.strictObject({
  value: value(z.string(), z.number(), z.boolean(), z.array(json)).describe("Its value."),
  toFieldPath: fieldPath.describe("A field of the EnvironmentConfig's data."),
});

export const publishSchema = z.strictObject({
  environmentConfig: z
    .strictObject({
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
