import * as z from "zod";
import { DOMAIN, SECRET_KEY } from "../model/names.ts";
import { parseTemplate } from "../model/template.ts";
import { dnsLabel, exactlyOneOf, fieldPath, onObjects, unique, value } from "./fields.ts";

const keyTemplate = z.string().transform((text, check) => {
  const parsed = parseTemplate(text);
  if (parsed !== undefined) return parsed;
  check.addIssue("not a template: {key} and {key|url} are replaced by values; write {{ and }} for braces");
  return z.NEVER;
});

const secretKey = z.string().regex(SECRET_KEY, "not a Secret's key");

const key = exactlyOneOf(
  z.strictObject({
    from: z.string().min(1).optional().describe("A key of the shared resource's connection Secret."),
    value: keyTemplate
      .optional()
      .describe("A text in which {key} is replaced by that key's value, and {key|url} by the value encoded for a URL."),
    to: z
      .union([secretKey, value(secretKey)])
      .transform((to) => (typeof to === "string" ? ({ is: "literal", value: to } as const) : to))
      .describe("The key's name in the copy: a text, or a value such as `{fromCompositeFieldPath: spec.passwordKey}`."),
  }),
  ["from", "value"],
).transform(({ from, value: parts = [], to }) => (from === undefined ? { to, parts } : { to, from }));

/** The fields of a copy that are not allowed with a delivery. */
const unusable: Readonly<Record<string, readonly string[]>> = {
  Object: [],
  ObjectWithValues: [],
  ConnectionSecret: ["type", "labels", "annotations"],
  Secret: ["providerConfigRef"],
  CompositeConnectionDetails: ["namespaces", "via", "type", "labels", "annotations", "providerConfigRef"],
};

const toVia = (copy: { readonly via?: string | undefined; readonly toCompositeConnectionDetails?: unknown }) =>
  copy.toCompositeConnectionDetails === undefined ? (copy.via ?? "Object") : "CompositeConnectionDetails";

const findUnusable = (copy: object): readonly string[] => {
  const useless = unusable[toVia(copy)] ?? [];
  return useless.filter((field) => Object.entries(copy).some(([name, found]) => name === field && found !== undefined));
};

const annotations = z
  .record(z.string(), z.string())
  .refine((map) => !Object.keys(map).some((name) => name.startsWith(`${DOMAIN}/`)), {
    error: `annotations with the prefix ${DOMAIN}/ are reserved for this function`,
  });

const copy = exactlyOneOf(
  z.strictObject({
    namespaces: value(z.union([dnsLabel, z.array(dnsLabel).min(1)]))
      .optional()
      .describe("The namespace or namespaces of the copies. Default: the XR's own, or its claim's."),
    secretName: value(z.string().min(1)).optional().describe("The copies' name."),
    toCompositeConnectionDetails: z
      .literal(true)
      .optional()
      .describe(
        "Instead of a Secret: the keys become connection details of this XR, and of its claim. Combines with `keys` only. Crossplane v2, " +
          "with an XR whose definition is of apiextensions.crossplane.io/v1: XRs of v2 definitions have no connection details.",
      ),
    via: z
      .enum(["Object", "ConnectionSecret", "ObjectWithValues", "Secret"])
      .optional()
      .describe(
        "The resource that delivers the copies: an `Object` whose values provider-kubernetes copies, a `ConnectionSecret` that an Object " +
          "publishes, an `ObjectWithValues` whose manifest holds the values in plain text, or the `Secret` itself, without " +
          "`providerConfigRef`. docs/sharing.md compares them and has their limits. Default: `Object`.",
      ),
    keys: z
      .array(key)
      .min(1)
      .refine(...unique("to"))
      .optional()
      .describe(
        "The keys to copy, and their names. Default: all keys, with their names. Templates (`value`) need `via: Secret`, " +
          "`ObjectWithValues` or `toCompositeConnectionDetails`.",
      ),
    type: z.string().min(1).optional().describe("The copies' Secret type. Default: `Opaque`."),
    labels: z.record(z.string(), z.string()).optional().describe("The copies' labels."),
    annotations: annotations.optional().describe("The copies' annotations."),
    providerConfigRef: z
      .strictObject({
        name: z.string().min(1).default("default"),
        kind: z
          .enum(["ProviderConfig", "ClusterProviderConfig"])
          .default("ClusterProviderConfig")
          .describe("For the Objects of a namespaced XR; those of other XRs have one kind only."),
      })
      .optional()
      .describe("The ProviderConfig of provider-kubernetes."),
  }),
  ["secretName", "toCompositeConnectionDetails"],
)
  .refine((fields) => findUnusable(fields).length === 0, {
    ...onObjects,
    error: ({ input }) => {
      const fields = input as object;
      const delivery = toVia(fields);
      const where = delivery === "CompositeConnectionDetails" ? "toCompositeConnectionDetails" : `via: ${delivery}`;
      return `${findUnusable(fields).join(" and ")} cannot be used with ${where}`;
    },
  })
  .refine(({ keys = [], ...fields }) => !isBlind(fields) || keys.every((item) => !("parts" in item)), {
    path: ["keys"],
    error:
      "a template needs via: Secret, ObjectWithValues or toCompositeConnectionDetails: otherwise the function does not read the values",
  })
  .transform(({ type = "Opaque", labels = {}, annotations: notes = {}, providerConfigRef, ...fields }) => ({
    ...fields,
    via: toVia(fields) as Via,
    type,
    labels,
    annotations: notes,
    providerConfigRef: providerConfigRef ?? ({ name: "default", kind: "ClusterProviderConfig" } as const),
  }));

/** Tells whether the provider, and not the function, reads the values. */
const isBlind = (fields: object): boolean => ["Object", "ConnectionSecret"].includes(toVia(fields));

/** The resource that delivers a copy, or the connection details of the XR. */
export type Via = "Object" | "ConnectionSecret" | "ObjectWithValues" | "Secret" | "CompositeConnectionDetails";

/** The fields in which a resource names its connection Secret. */
export const secretRefShape = {
  nameFieldPath: fieldPath.prefault("spec.writeConnectionSecretToRef.name"),
  namespaceFieldPath: fieldPath.prefault("spec.writeConnectionSecretToRef.namespace"),
};

/** The connection Secret of a shared resource, and its copies. */
export const connection = z.strictObject({
  secretRef: z
    .strictObject({
      ...secretRefShape,
      perConsumer: z
        .boolean()
        .default(false)
        .describe(
          "Copy the credential that the shared resource's `consumers.credentials` made for the namespace of the copies, never the " +
            "common Secret.",
        ),
      consumersFieldPath: fieldPath
        .prefault("status.consumers")
        .describe("The field of the shared resource's `consumers.list`, which names that credential."),
    })
    .prefault({})
    .describe("The fields in which the shared resource names its connection Secret."),
  onSourceMissing: z
    .enum(["Keep", "Delete"])
    .default("Keep")
    .describe(
      "Keep or delete copies once the shared resource, its Secret, or its reference to the Secret no longer exists.",
    ),
  copies: z.array(copy).min(1).describe("The copies of the connection Secret."),
});

export type Connection = z.output<typeof connection>;
export type Copy = z.output<typeof copy>;
