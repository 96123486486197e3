import { z } from "zod";
import { DOMAIN } from "../model/names.ts";
import {
  dnsLabel,
  exactlyOneOf,
  fieldPath,
  onObjects,
  statusPath,
  toValue,
  unique,
  value,
  valueShape,
} from "./fields.ts";

const label = exactlyOneOf(
  z.strictObject({
    key: z.string().min(1).describe("The label's key."),
    ...valueShape(z.string()),
    optional: z
      .boolean()
      .default(false)
      .describe("Leave this label out where its value is not set, instead of waiting."),
  }),
  ["value", "fromCompositeFieldPath", "fromEnvironmentFieldPath"],
).transform(({ key, optional, ...sources }) => ({ key, optional, value: toValue(sources) }));

const select = exactlyOneOf(
  z.strictObject({
    name: value(z.string().min(1)).optional().describe("The shared resource's name."),
    matchLabels: z.array(label).min(1).optional().describe("Labels that exactly one resource carries."),
    namespace: value(dnsLabel)
      .optional()
      .describe("The namespace of a namespaced kind (Crossplane v2). Without it labels match in all namespaces."),
  }),
  ["name", "matchLabels"],
).transform(({ name, matchLabels, namespace }) => ({
  namespace,
  by: name === undefined ? { labels: matchLabels ?? [] } : { name },
}));

const patch = z.strictObject({
  fromFieldPath: fieldPath.describe("A field of the shared resource. Where it is not set, nothing is."),
  toCompositeFieldPath: statusPath.describe("A field of the XR's status."),
});

const key = z.strictObject({
  from: z.string().min(1).describe("A key of the shared resource's connection Secret."),
  to: z
    .string()
    .regex(/^[-._a-zA-Z0-9]{1,253}$/, "not a Secret's key")
    .describe("The key's name in the copy."),
});

const copy = z.strictObject({
  namespaces: value(z.union([dnsLabel, z.array(dnsLabel).min(1)]))
    .optional()
    .describe("The namespace or namespaces of the copies. Default: the XR's own, or its claim's."),
  secretName: value(z.string().min(1)).describe("The copies' name."),
  via: z.literal("Object").default("Object").describe("What copies: an Object of provider-kubernetes."),
  keys: z
    .array(key)
    .min(1)
    .refine(...unique("to"))
    .optional()
    .describe("The keys to copy, each under a name of its own. Default: all, as they are."),
  type: z.string().min(1).default("Opaque").describe("The copies' Secret type."),
  labels: z.record(z.string(), z.string()).default({}).describe("The copies' labels."),
  annotations: z
    .record(z.string(), z.string())
    .default({})
    .refine((annotations) => !Object.keys(annotations).some((key) => key.startsWith(`${DOMAIN}/`)), {
      error: `annotations under ${DOMAIN}/ are this function's own`,
    })
    .describe("The copies' annotations."),
  providerConfigRef: z
    .strictObject({
      name: z.string().min(1).default("default"),
      kind: z
        .enum(["ProviderConfig", "ClusterProviderConfig"])
        .default("ClusterProviderConfig")
        .describe("Of a namespaced XR's Objects only; others know no choice."),
    })
    .prefault({})
    .describe("The ProviderConfig of provider-kubernetes."),
});

const connection = z.strictObject({
  secretRef: z
    .strictObject({
      nameFieldPath: fieldPath.prefault("spec.writeConnectionSecretToRef.name"),
      namespaceFieldPath: fieldPath.prefault("spec.writeConnectionSecretToRef.namespace"),
    })
    .prefault({})
    .describe("Where the shared resource says which Secret holds its connection details."),
  onSourceMissing: z
    .enum(["Keep", "Delete"])
    .default("Keep")
    .describe("What becomes of copies once the shared resource, or its reference to a Secret, is gone."),
  copies: z.array(copy).min(1).describe("Where the connection Secret is copied to."),
});

/** A resource that somebody else owns, and what this XR takes from it. */
export const sharedResource = z
  .strictObject({
    name: dnsLabel.describe("Names it in conditions, events, the context and the composed resources."),
    apiVersion: z.string().min(1).describe("Its API version."),
    kind: z.string().min(1).describe("Its kind."),
    select: select.describe("Which one it is: exactly one of name and matchLabels."),
    grant: z
      .literal("Annotation")
      .default("Annotation")
      .describe(`How its owner grants access: by naming namespaces in its annotation ${DOMAIN}/allowed-namespaces.`),
    patches: z.array(patch).prefault([]).describe("Fields of it that go into the XR's status."),
    connection: connection.optional().describe("Copies of its connection Secret."),
  })
  .refine(({ apiVersion, kind }) => apiVersion !== "v1" || kind !== "Secret", {
    ...onObjects,
    path: ["kind"],
    error: "a Secret cannot be shared by itself, since nobody could grant it: select the resource that writes it",
  });

export type SharedResource = z.output<typeof sharedResource>;
export type Connection = z.output<typeof connection>;
export type Copy = z.output<typeof copy>;
