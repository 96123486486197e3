import * as z from "zod";
import { choice, dnsLabel, fieldPath, flag, list, optional, optionalValue, text, value } from "./fields.ts";

/** The rule for an existing tag: Replace overwrites it, Retain keeps it. */
const onExisting = (meaning: string) => choice(["Replace", "Retain"], meaning);

const add = z
  .strictObject({
    key: optional(text, "The tag's key. Without a key, `value` is a field with a map of tags."),
    value: optionalValue(z.string()).describe(
      "The tag's value. With `optional: true` beside a field, the tag is left out while that field is not set.",
    ),
    onExisting: onExisting(
      "For a tag of that key that an earlier step or an earlier entry set. `Replace`: it is overwritten. `Retain`: it stays.",
    ),
  })
  .refine(({ key, value: found }) => key !== undefined || found.value.is !== "literal", {
    path: ["value"],
    error: "a literal needs a key beside it",
  })
  .transform(({ value: found, ...entry }) => ({ ...entry, ...found }));

const glob = text;

/** Keys of tags: globs, or a field with exact keys. A field has no globs, since a tenant may write it. */
const keys = value(glob, z.array(glob)).describe(
  "A glob, a list of globs, or a field with keys, which are compared exactly.",
);

const toLiteral = (text: string) => ({ keys: { is: "literal" as const, value: text } });

const preserveEntry = z.union([
  glob.transform((text) => ({ ...toLiteral(text), onExisting: "Replace" as const })),
  z.strictObject({
    keys,
    onExisting: onExisting(
      "For a tag of that key that an earlier step or `add` set. `Replace`: the cloud's value overwrites it. `Retain`: it stays.",
    ),
  }),
]);

const remove = z.union([glob.transform(toLiteral), z.strictObject({ keys })]);

const resources = z.strictObject({
  apiGroup: glob.default("*").describe("API groups, as a glob such as `*.aws.upbound.io`."),
  kind: glob.default("*").describe("Kinds, as a glob."),
  fieldPath: optional(
    fieldPath,
    "The field with the tags: a map, or a list of objects with a key and a value. docs/tags.md lists the defaults.",
  ),
  externalNameFieldPath: optional(
    fieldPath,
    "The field that names the cloud resource. Default: `metadata.annotations[crossplane.io/external-name]`.",
  ),
  scopeFieldPaths: list(
    fieldPath,
    "Fields that distinguish cloud resources of the same name, in addition to the built-in fields. For a kind without built-in fields, they " +
      "replace the fields that its schema suggests, except fields with a reference beside them and ids of parents.",
  ),
  managementPolicies: flag(
    true,
    "Set to `false` for a kind without `spec.managementPolicies`, whose resources always write.",
  ),
});

const owner = z.strictObject({
  cluster: optional(
    value(dnsLabel),
    "The name of this control plane, if several share a cloud account. It is written as the tag `crossplane-cluster`.",
  ),
  account: optional(
    value(text),
    "The cloud account of the resources, where neither their names nor their ProviderConfigs tell it. Do not take it from a field of the XR that " +
      "a team may write. Without an account, two ProviderConfigs are compared by what they say and by what the cloud reports.",
  ),
  onConflict: choice(
    ["Observe", "Withhold", "Fail"],
    "For a resource that another XR owns. `Observe`: observe it. `Withhold`: do not create it. `Fail`: the XR stops with a Fatal result. " +
      "Not in a step with `connection` or `dependents`.",
  ),
  onRelease: choice(
    ["HandOver", "Delete"],
    "For a cloud resource whose owner is deleted while other XRs declare it. `HandOver`: the next XR takes over. `Delete`: the cloud " +
      "resource may be deleted with its owner.",
  ),
  preexisting: choice(
    ["Keep", "Delete"],
    "For a cloud resource that existed before the XRs that declare it. `Keep`: it stays when they are deleted, unless a managed resource " +
      "is annotated with `allow-delete` (docs/tags.md), or its kind has no managementPolicies. `Delete`: it is deleted like one that they created.",
  ),
  connectionSecret: choice(
    ["Owner", "Everyone"],
    "For the connection Secret of a cloud resource that several XRs declare. `Owner`: a managed resource that only observes writes none. " +
      "`Everyone`: the managed resource of each XR writes one.",
  ),
});

/** The section `tags`: tags of composed resources, and ownership of a cloud resource that several XRs declare. */
export const tagsSchema = z.strictObject({
  add: list(add, "Tags to set."),
  preserve: list(
    preserveEntry,
    "Tags that stay as they are in the cloud: each entry a glob of keys, or `{keys, onExisting}`.",
  ),
  remove: list(remove, "Tags of earlier steps that are removed: each entry a glob of keys, or `{keys}`."),
  resources: z
    .array(resources)
    .min(1)
    .prefault([{}])
    .describe(
      "Rules that select the resources to tag. For each resource the first rule that matches it applies. Default: all resources of kinds " +
        "that are known to have tags.",
    ),
  ignore: list(glob, "The names of composed resources, as globs, whose tags and ownership are left alone."),
  owner: owner.prefault({}).describe("Ownership of a cloud resource that several XRs declare."),
});

export type Tags = z.output<typeof tagsSchema>;
export type ResourceRule = z.output<typeof resources>;
export type Keys = Tags["remove"][number]["keys"];
