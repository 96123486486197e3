import * as z from "zod";
import { isObject, type JsonObject } from "../model/json.ts";
import { secretRefShape } from "./connection.ts";
import { apiVersion, fieldPath, onObjects, statusPath } from "./fields.ts";

/** The placeholder for the namespace, or for a hash of it, in a template. */
const PLACEHOLDER = /\{(?:namespace|hash)\}/;

const isIn = (value: unknown, placeholder: RegExp): boolean => placeholder.test(JSON.stringify(value) ?? "");

const template = z
  .looseObject({
    apiVersion,
    kind: z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,62}$/, "not a kind"),
  })
  .refine((found) => isIn(found, PLACEHOLDER), {
    ...onObjects,
    error: "the same for each namespace: use {namespace} or {hash} in one of its texts",
  })
  .refine(
    ({ metadata }) => !isObject(metadata) || metadata["name"] === undefined || isIn(metadata["name"], PLACEHOLDER),
    {
      ...onObjects,
      path: ["metadata", "name"],
      error: "the same for each namespace: use {namespace} or {hash} in it, or leave the name to Crossplane",
    },
  )
  .transform((found) => found as unknown as JsonObject);

const credentials = z.strictObject({
  forEach: z.literal("Grant").default("Grant").describe("One for each namespace that the owner's annotations name."),
  template: template.describe(
    "The composed resource. In its texts {namespace} stands for the namespace and {hash} for eight digits that are different for " +
      "each XR and namespace.",
  ),
  secretRef: z
    .strictObject(secretRefShape)
    .prefault({})
    .describe("Where the composed resource says which Secret holds the credential."),
});

const rotation = z.strictObject({
  resource: z.string().min(1).describe("A composed resource's name in the Composition; an earlier step desires it."),
  toFieldPath: fieldPath.describe("A field of it whose change makes its provider or generator choose a new password."),
});

/** The consumers of an XR that is a shared resource. */
export const consumers = z
  .strictObject({
    list: z
      .strictObject({
        toCompositeFieldPath: statusPath.describe(
          "A field of the XR's status, an object: `count`, `withoutGrant`, `items` and `credentials`.",
        ),
      })
      .optional()
      .describe("Lists in the XR's status who has a copy of its connection Secret, 1,000 at most."),
    protect: z
      .boolean()
      .default(false)
      .describe(
        "Keeps the XR from being deleted while a namespace that it is granted to uses it, by a Usage of Crossplane.",
      ),
    grant: z
      .enum(["Annotation", "ReferenceGrant", "None"])
      .default("Annotation")
      .describe(
        "How the consumers' Compositions judge access: by the annotations of this XR, some by these and some by ReferenceGrants beside " +
          "its Secret (Crossplane v2), or not at all, where each consumer counts as granted.",
      ),
    secretRef: z
      .strictObject(secretRefShape)
      .prefault({})
      .describe(
        "Where this XR says which Secret holds its connection details. Read with `grant: ReferenceGrant` only.",
      ),
    kinds: z
      .array(z.enum(["Object", "NamespacedObject", "Secret"]))
      .min(1)
      .optional()
      .describe(
        "The kinds that make copies: `Object` of kubernetes.crossplane.io, `NamespacedObject` of kubernetes.m.crossplane.io, and " +
          "`Secret`. Default: those that are installed, which Crossplane v2.2 and later say; before, this is required.",
      ),
    credentials: credentials
      .optional()
      .describe(
        "A credential of its own for each namespace. Consumers take it with `connection.secretRef.perConsumer`.",
      ),
    rotation: rotation
      .optional()
      .describe("Has the common password changed once when a namespace loses access, and at no other time."),
  })
  .refine(({ credentials: found, list }) => found === undefined || list !== undefined, {
    ...onObjects,
    path: ["list"],
    error: "required with credentials: it tells consumers which Secret is theirs",
  })
  .refine(({ credentials: found, grant }) => found === undefined || grant !== "None", {
    ...onObjects,
    path: ["grant"],
    error: "None names no namespaces to make credentials for",
  })
  .refine(({ rotation: found, grant }) => found === undefined || grant !== "None", {
    ...onObjects,
    path: ["grant"],
    error: "None has no grants to revoke, so nothing would cause a rotation",
  });

export type Consumers = z.output<typeof consumers>;
export type Credentials = z.output<typeof credentials>;
export type Rotation = z.output<typeof rotation>;
