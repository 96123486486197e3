import * as z from "zod";
import { dnsLabel, exactlyOneOf, fieldPath, onObjects, toValue, value, valueShape } from "./fields.ts";

const SOURCES = ["value", "fromCompositeFieldPath", "fromEnvironmentFieldPath"] as const;

/** The rule for a key that is set already: Replace overwrites it, Retain leaves it. */
const policy = z.enum(["Replace", "Retain"]).default("Replace");

const add = exactlyOneOf(
  z.strictObject({
    key: z.string().min(1).optional().describe("The tag's key. Without it the value is a map, and each entry a tag."),
    ...valueShape(z.union([z.string(), z.record(z.string(), z.string())])),
    policy: policy.describe("Whether a tag of that key that an earlier step or entry set is replaced or retained."),
    optional: z.boolean().default(false).describe("Say nothing where the value is not set."),
  }),
  SOURCES,
)
  .refine(({ key, value: literal }) => literal === undefined || (key === undefined) === (typeof literal !== "string"), {
    ...onObjects,
    path: ["value"],
    error: "a text where there is a key, a map of texts where there is none",
  })
  .transform(({ key, policy: chosen, optional, ...sources }) => ({
    key,
    policy: chosen,
    optional,
    value: toValue(sources),
  }));

const glob = z.string().min(1);
const globs = z.union([glob, z.array(glob)]);

const preserve = z.union([
  glob.transform((keys) => ({ value: { is: "literal" as const, value: keys }, policy: "Replace" as const })),
  exactlyOneOf(z.strictObject({ ...valueShape(globs), policy }), SOURCES).transform(
    ({ policy: chosen, ...sources }) => ({
      value: toValue(sources),
      policy: chosen,
    }),
  ),
]);

const remove = z.union([glob.transform((keys) => ({ is: "literal" as const, value: keys })), value(globs)]);

const resources = z.strictObject({
  apiGroup: glob.default("*").describe("A glob over API groups, such as *.aws.upbound.io."),
  kind: glob.default("*").describe("A glob over kinds."),
  fieldPath: fieldPath
    .optional()
    .describe("Where the tags are: a map, or a list of objects with a key and a value. Default: docs/tags.md."),
  externalNameFieldPath: fieldPath
    .optional()
    .describe("What names the cloud resource. Default: metadata.annotations[crossplane.io/external-name]."),
  scopeFieldPaths: z
    .array(fieldPath)
    .prefault([])
    .describe("What else tells two cloud resources of one name apart. Added to the built-in ones."),
  managementPolicies: z
    .boolean()
    .default(true)
    .describe("Whether the kind has spec.managementPolicies; without it a resource cannot be merely observed."),
});

const owner = z.strictObject({
  cluster: value(dnsLabel)
    .optional()
    .describe("Names this control plane, and becomes tag crossplane-cluster, where several share a cloud account."),
  onConflict: z
    .enum(["Observe", "Withhold", "Fail"])
    .default("Observe")
    .describe("What becomes of a resource that somebody else owns: observed, not created, or a Fatal result."),
  onRelease: z
    .enum(["HandOver", "Delete"])
    .default("HandOver")
    .describe("What becomes of the cloud resource when its owner goes while others need it."),
});

/** Tags of the composed resources, and who may write those of a cloud resource that several XRs declare. */
export const tags = z.strictObject({
  add: z.array(add).prefault([]).describe("Tags to set."),
  preserve: z
    .array(preserve)
    .prefault([])
    .describe("Keys (globs) whose tags stay as the cloud has them, whoever set them; or lists of keys, as values."),
  remove: z
    .array(remove)
    .prefault([])
    .describe("Keys (globs) that earlier steps set and that are to go; or lists of keys."),
  resources: z
    .array(resources)
    .min(1)
    .optional()
    .describe("Which resources; the first entry that fits counts. Default: all whose kind is known to have tags."),
  owner: owner.prefault({}).describe("Who writes where several XRs declare one cloud resource."),
});

export type Tags = z.output<typeof tags>;
export type ResourceRule = z.output<typeof resources>;
