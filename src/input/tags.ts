import * as z from "zod";
import { dnsLabel, exactlyOneOf, fieldPath, onObjects, toValue, VALUE_SOURCES, value, valueShape } from "./fields.ts";

/** The rule for a key that is set already: Replace overwrites it, Retain keeps it. */
const tagPolicy = z.enum(["Replace", "Retain"]).default("Replace");

const add = exactlyOneOf(
  z.strictObject({
    key: z.string().min(1).optional().describe("The tag's key. Without a key the value is a map of tags."),
    ...valueShape(z.union([z.string(), z.record(z.string(), z.string())])),
    policy: tagPolicy.describe("Replace or keep a tag of the same key that an earlier step or an earlier entry set."),
    optional: z
      .boolean()
      .default(false)
      .describe("Omit the tag, without a fault in the condition, while its value is not set."),
  }),
  VALUE_SOURCES,
)
  .refine(({ key, value: literal }) => literal === undefined || (key === undefined) === (typeof literal !== "string"), {
    ...onObjects,
    path: ["value"],
    error: "must be a text with a key, and a map of texts without a key",
  })
  .transform(({ key, policy: chosen, optional, ...sources }) => ({
    key,
    policy: chosen,
    optional,
    value: toValue(sources),
  }));

/** The longest glob: it bounds the cost of a match per character of a key. */
export const MAX_GLOB = 256;

const glob = z.string().min(1).max(MAX_GLOB, `longer than ${MAX_GLOB} characters`);

/** Keys: globs as literals, compared exactly if they come from a field. */
const keys = {
  ...valueShape(z.union([glob, z.array(glob)])),
  match: z
    .enum(["Exact", "Glob"])
    .optional()
    .describe("How keys are compared. Default: `Glob` for a `value`, `Exact` for keys from a field."),
};
type KeyMatch = "Exact" | "Glob";

const toTagKeys = ({
  match,
  ...sources
}: { readonly match?: KeyMatch | undefined } & Parameters<typeof toValue<string | string[]>>[0]) => {
  const found = toValue(sources);
  return { value: found, match: match ?? (found.is === "literal" ? ("Glob" as const) : ("Exact" as const)) };
};

const preserveEntry = z.union([
  glob.transform((text) => ({ ...toTagKeys({ value: text }), policy: "Replace" as const })),
  exactlyOneOf(z.strictObject({ ...keys, policy: tagPolicy }), VALUE_SOURCES).transform(
    ({ policy: chosen, ...given }) => ({
      ...toTagKeys(given),
      policy: chosen,
    }),
  ),
]);

const remove = z.union([
  glob.transform((text) => toTagKeys({ value: text })),
  exactlyOneOf(z.strictObject(keys), VALUE_SOURCES).transform(toTagKeys),
]);

const resources = z.strictObject({
  apiGroup: glob.default("*").describe("API groups, as a glob such as `*.aws.upbound.io`."),
  kind: glob.default("*").describe("Kinds, as a glob."),
  fieldPath: fieldPath
    .optional()
    .describe(
      "The field with the tags: a map, or a list of objects with a key and a value. docs/tags.md lists the defaults.",
    ),
  externalNameFieldPath: fieldPath
    .optional()
    .describe("The field that names the cloud resource. Default: `metadata.annotations[crossplane.io/external-name]`."),
  scopeFieldPaths: z
    .array(fieldPath)
    .prefault([])
    .describe("Fields that distinguish cloud resources of the same name, in addition to the built-in ones."),
  managementPolicies: z
    .boolean()
    .default(true)
    .describe("Set to `false` for a kind without `spec.managementPolicies`, whose resources cannot only observe."),
});

const owner = z.strictObject({
  cluster: value(dnsLabel)
    .optional()
    .describe(
      "The name of this control plane, if several share a cloud account. It is written as the tag `crossplane-cluster`.",
    ),
  onConflict: z
    .enum(["Observe", "Withhold", "Fail"])
    .default("Observe")
    .describe(
      "For a resource that another XR owns. `Observe`: observe it. `Withhold`: do not create it. `Fail`: return a Fatal result.",
    ),
  onRelease: z
    .enum(["HandOver", "Delete"])
    .default("HandOver")
    .describe(
      "For the deletion of the owner while other XRs declare the cloud resource. `HandOver`: the next XR takes over. `Delete`: the cloud " +
        "resource may be deleted with its owner.",
    ),
  onExisting: z
    .enum(["Keep", "Delete"])
    .default("Keep")
    .describe(
      "For a cloud resource that none of the XRs that declare it created. `Keep`: it is never deleted with them. `Delete`: like one that " +
        "they created.",
    ),
  connectionSecret: z
    .enum(["Owner", "Everyone"])
    .default("Owner")
    .describe(
      "The XRs whose managed resources write a connection Secret of a cloud resource that several XRs declare.",
    ),
});

/** Tags of the composed resources, and ownership of a cloud resource that several XRs declare. */
export const tagsSchema = z.strictObject({
  add: z.array(add).prefault([]).describe("Tags to set."),
  preserve: z
    .array(preserveEntry)
    .prefault([])
    .describe("Keys, as globs, whose tags in the cloud stay. An entry may also be a value with a list of keys."),
  remove: z
    .array(remove)
    .prefault([])
    .describe(
      "Keys, as globs, of tags from earlier steps that are removed. An entry may also be a value with a list of keys.",
    ),
  resources: z
    .array(resources)
    .min(1)
    .optional()
    .describe(
      "The resources to tag; the first match applies. Default: all resources of kinds that are known to have tags.",
    ),
  ignore: z
    .array(glob)
    .prefault([])
    .describe("The names of composed resources, as globs, whose tags and ownership are left alone."),
  owner: owner.prefault({}).describe("Ownership of a cloud resource that several XRs declare."),
});

export type Tags = z.output<typeof tagsSchema>;
export type ResourceRule = z.output<typeof resources>;
export type Keys = Pick<Tags["remove"][number], "value" | "match">;
