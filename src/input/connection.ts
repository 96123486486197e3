import * as z from "zod";
import { type FieldPath, parseFieldPath } from "../model/field-path.ts";
import { isObject } from "../model/json.ts";
import { DOMAIN, SECRET_KEY } from "../model/names.ts";
import { type FieldsText, parseFieldsText, parseTemplate } from "../model/template.ts";
import {
  atMostOneOf,
  choice,
  converted,
  dnsLabel,
  exactlyOneOf,
  fieldPath,
  flag,
  forbid,
  onObjects,
  optional,
  source,
  text,
  unique,
  type Value,
  value,
} from "./fields.ts";

const secretKey = z.string().regex(SECRET_KEY, "not a Secret's key: letters, digits, '-', '_' and '.'");

const key = exactlyOneOf(
  z.strictObject({
    from: optional(secretKey, "A key of the shared resource's connection Secret."),
    value: optional(
      converted(parseTemplate),
      "A text. In it {key} is replaced by that key's value, {xr:spec.database} by that field of the XR, and {shared:status.endpoint} by that " +
        "field of the shared resource. {key|url} encodes the value for a URL, {key|base64} in base64, and {key|json} for a JSON string, " +
        "without its quotes.",
    ),
    to: value(secretKey).describe("The key's name in the copy."),
  }),
  ["from", "value"],
).transform(({ from, value: template = [], to }) => (from === undefined ? { to, template } : { to, from }));

const keys = z.union([unique(z.array(key).min(1), "to"), source]);

/** The fields that a copy cannot have, by its `via`. */
const unusable: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["ConnectionSecret", ["type", "labels", "annotations"]],
  ["Secret", ["providerConfigRef"]],
]);

const findUnusable = (copy: Readonly<Record<string, unknown>>): readonly string[] =>
  (unusable.get(copy["via"]) ?? []).filter((field) => copy[field] !== undefined);

const annotations = z
  .record(z.string(), value(z.string()))
  .refine((map) => !Object.keys(map).some((name) => name.startsWith(`${DOMAIN}/`)), {
    error: `annotations with the prefix ${DOMAIN}/ are reserved for this function`,
  });

const OPAQUE: Value<string> = { is: "literal", value: "Opaque" };

const copy = z
  .strictObject({
    secretName: value(text).describe("The copies' name."),
    namespaces: optional(
      value(dnsLabel, z.array(dnsLabel).min(1)),
      "The namespace of the copy, or a list of namespaces. Default: the namespace of the XR, or of its claim.",
    ),
    via: choice(
      ["Object", "ConnectionSecret", "Secret"],
      "The resource that delivers the copies. `Object`: an Object, by which provider-kubernetes copies the values. `ConnectionSecret`: an " +
        "Object that publishes the values as its connection Secret. `Secret`: the Secret itself. docs/sharing.md compares them.",
    ),
    keys: optional(
      keys,
      "The keys to copy, and their names in the copy. Default: all keys, with their names. In place of a list, name a field of the XR or " +
        "the environment with a map, such as {PGPASSWORD: password}. Its keys are those of the copy. Its values are keys of the Secret, " +
        "or texts with braces as in `value`.",
    ),
    type: optional(value(text), "The copies' Secret type, which Kubernetes never changes. Default: `Opaque`."),
    labels: optional(z.record(z.string(), value(z.string())), "The copies' labels."),
    annotations: optional(annotations, "The copies' annotations."),
    providerConfigRef: optional(
      z.strictObject({
        name: text.default("default"),
        kind: choice(
          ["ClusterProviderConfig", "ProviderConfig"],
          "The ProviderConfig's kind, for a namespaced XR. For other XRs there is one kind only.",
        ),
      }),
      "The ProviderConfig of provider-kubernetes. No field can name it: a team could choose a cluster where its namespace is another team's.",
    ),
  })
  .refine((fields) => findUnusable(fields).length === 0, {
    ...onObjects,
    error: ({ input }) => {
      const fields = input as Readonly<Record<string, unknown>>;
      return `${findUnusable(fields).join(" and ")} cannot be used with via: ${fields["via"]}`;
    },
  })
  .check(
    forbid(
      "keys",
      "a key with value cannot be used with via: ConnectionSecret, which publishes only keys that a Secret has",
      ({ keys: listed, via: chosen }) => chosen === "ConnectionSecret" && hasTemplate(listed),
    ),
  )
  .transform(({ type = OPAQUE, labels = {}, annotations: notes = {}, providerConfigRef, ...fields }) => ({
    ...fields,
    type,
    labels,
    annotations: notes,
    providerConfigRef: providerConfigRef ?? ({ name: "default", kind: "ClusterProviderConfig" } as const),
  }));

/** Tells whether one of the keys, parsed or not, has a template. */
const hasTemplate = (listed: unknown): boolean =>
  Array.isArray(listed) && listed.some((item) => isObject(item) && ("template" in item || "value" in item));

const namespaceFieldPath = fieldPath.prefault("spec.writeConnectionSecretToRef.namespace");

/** The fields in which a credential names its Secret. */
export const credentialRef = z.strictObject({
  nameFieldPath: fieldPath.prefault("spec.writeConnectionSecretToRef.name"),
  namespaceFieldPath,
});

/** The fields that say how a resource names its connection Secret. */
const secretShape = {
  name: optional(
    text.pipe(converted(parseFieldsText)),
    "The Secret's name, where no field has it: a text with fields of the resource, such as {metadata.name}-sql.",
  ),
  nameFieldPath: optional(fieldPath, "A field with the Secret's name. Default: spec.writeConnectionSecretToRef.name."),
  namespaceFieldPath,
};

const WRITTEN = parseFieldPath("spec.writeConnectionSecretToRef.name");

/** Converts `nameFieldPath` to `name`: a text that consists of that field. */
const toNamed = <T extends { name?: FieldsText | undefined; nameFieldPath?: FieldPath | undefined }>({
  name,
  nameFieldPath = WRITTEN,
  ...rest
}: T) => ({ ...rest, name: name ?? [nameFieldPath] });

export const secretRef = atMostOneOf(z.strictObject(secretShape), ["name", "nameFieldPath"]).transform(toNamed);

const perConsumer = flag(
  false,
  "Copies the credential of the copies' own namespace, which the shared resource's `consumers.credentials` makes, and never the common Secret.",
);

export const connection = z.strictObject({
  secretRef: atMostOneOf(z.strictObject({ ...secretShape, perConsumer }), ["name", "nameFieldPath"])
    .check(
      forbid(
        "name",
        "not allowed with perConsumer, because the shared resource itself tells each namespace the Secret's name",
        ({ name, perConsumer: isOwn }) => name !== undefined && isOwn,
      ),
    )
    .transform(toNamed)
    .prefault({})
    .describe("How the shared resource names its connection Secret."),
  onSourceMissing: choice(
    ["Keep", "Delete"],
    "For copies whose shared resource, reference to the Secret, or Secret no longer exists. `Keep`: they stay. `Delete`: they are deleted. " +
      "A missing Secret is noticed only where this function reads it: docs/sharing.md says where.",
  ),
  copies: z.array(copy).min(1).describe("The copies of the connection Secret."),
});

export type Connection = z.output<typeof connection>;
export type Copy = z.output<typeof copy>;
