import * as z from "zod";
import { DOMAIN } from "../model/names.ts";
import { dnsLabel, exactlyOneOf, fieldPath, onObjects, toValue, value, valueShape } from "./fields.ts";

/** The annotation of a desired resource that is not to be tagged. */
export const IGNORE_TAGS = `${DOMAIN}/ignore-tags`;

const SOURCES = ["value", "fromCompositeFieldPath", "fromEnvironmentFieldPath"] as const;

/** The rule for a key that is set already: Replace overwrites it, Retain leaves it. */
const policy = z.enum(["Replace", "Retain"]).default("Replace");

const add = exactlyOneOf(
  z.strictObject({
    key: z
      .string()
      .min(1)
      .optional()
      .describe("The tag's key. Without a key the value is a map, and each of its entries is a tag."),
    ...valueShape(z.union([z.string(), z.record(z.string(), z.string())])),
    policy: policy.describe("Replace or keep a tag of the same key that an earlier step or an earlier entry set."),
    optional: z.boolean().default(false).describe("Leave the tag out without a condition while its value is not set."),
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

/** The length of a glob: the cost of a glob at each character of a key is bounded by it. */
export const MAX_GLOB = 256;

const glob = z.string().min(1).max(MAX_GLOB, `longer than ${MAX_GLOB} characters`);

/** Keys: globs where the Composition's author writes them, compared exactly where a field holds them. */
const keys = {
  ...valueShape(z.union([glob, z.array(glob)])),
  match: z
    .enum(["Exact", "Glob"])
    .optional()
    .describe("How keys are compared. Default: `Glob` for a `value`, `Exact` for the keys that a field holds."),
};
type Match = "Exact" | "Glob";

const toKeys = ({
  match,
  ...sources
}: { readonly match?: Match | undefined } & Parameters<typeof toValue<string | string[]>>[0]) => {
  const found = toValue(sources);
  return { value: found, match: match ?? (found.is === "literal" ? ("Glob" as const) : ("Exact" as const)) };
};

const preserve = z.union([
  glob.transform((text) => ({ ...toKeys({ value: text }), policy: "Replace" as const })),
  exactlyOneOf(z.strictObject({ ...keys, policy }), SOURCES).transform(({ policy: chosen, ...given }) => ({
    ...toKeys(given),
    policy: chosen,
  })),
]);

const remove = z.union([
  glob.transform((text) => toKeys({ value: text })),
  exactlyOneOf(z.strictObject(keys), SOURCES).transform(toKeys),
]);

const resources = z.strictObject({
  apiGroup: glob.default("*").describe("API groups, as a glob such as `*.aws.upbound.io`."),
  kind: glob.default("*").describe("Kinds, as a glob."),
  fieldPath: fieldPath
    .optional()
    .describe(
      "The field that holds the tags: a map, or a list of objects with a key and a value. docs/tags.md lists the defaults.",
    ),
  externalNameFieldPath: fieldPath
    .optional()
    .describe("The field that names the cloud resource. Default: `metadata.annotations[crossplane.io/external-name]`."),
  scopeFieldPaths: z
    .array(fieldPath)
    .prefault([])
    .describe("Fields that tell apart cloud resources of the same name, in addition to the built-in ones."),
  managementPolicies: z
    .boolean()
    .default(true)
    .describe("Set to `false` for a kind without `spec.managementPolicies`: its resources cannot be observed only."),
});

const owner = z.strictObject({
  cluster: value(dnsLabel)
    .optional()
    .describe(
      "The name of this control plane, where several share a cloud account. It is written as the tag `crossplane-cluster`.",
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
      "When the owner is deleted while others declare the cloud resource. `HandOver`: the next one takes over. `Delete`: the cloud " +
        "resource may be deleted with its owner.",
    ),
});

/** Tags of the composed resources, and ownership of a cloud resource that several XRs declare. */
export const tags = z.strictObject({
  add: z.array(add).prefault([]).describe("Tags to set."),
  preserve: z
    .array(preserve)
    .prefault([])
    .describe(
      "Keys, as globs, whose tags stay as they are in the cloud. An entry may also be a value that holds a list of keys.",
    ),
  remove: z
    .array(remove)
    .prefault([])
    .describe(
      "Keys, as globs, of tags that earlier steps set and that are removed. An entry may also be a value that holds a list of keys.",
    ),
  resources: z
    .array(resources)
    .min(1)
    .optional()
    .describe(
      "The resources to tag; the first entry that matches applies. Default: all resources whose kind is known to have tags.",
    ),
  owner: owner.prefault({}).describe("Ownership of a cloud resource that several XRs declare."),
});

export type Tags = z.output<typeof tags>;
export type ResourceRule = z.output<typeof resources>;
export type Keys = Pick<Tags["remove"][number], "value" | "match">;
