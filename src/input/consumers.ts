import * as z from "zod";
import { formatFieldPath, valueAt } from "../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue } from "../model/json.ts";
import { credentialRef, secretRef } from "./connection.ts";
import {
  apiVersion,
  choice,
  fieldPath,
  flag,
  forbid,
  kind,
  onObjects,
  optional,
  statusPath,
  text,
  value,
} from "./fields.ts";

/** Tells whether a value of the template has a placeholder, and so differs between namespaces. */
const hasPlaceholder = (value: unknown): boolean => /\{(?:namespace|hash)\}/.test(JSON.stringify(value) ?? "");

/** Tells whether a name contains `{hash}`, and so differs between XRs and namespaces; true if the template has no name. */
const hasHash = (name: JsonValue | undefined): boolean => typeof name !== "string" || name.includes("{hash}");

const credentialTemplate = z
  .looseObject({ apiVersion, kind })
  .refine(hasPlaceholder, {
    ...onObjects,
    error: "is the same for all namespaces: use {namespace} or {hash} in one of its texts",
  })
  .check(
    forbid(
      "metadata.name",
      "is the same for all namespaces: use {namespace} or {hash} in it, or leave it out, so that Crossplane chooses the name",
      ({ metadata }) => isObject(metadata) && metadata["name"] !== undefined && !hasPlaceholder(metadata["name"]),
    ),
  )
  .transform((found) => found as unknown as JsonObject);

const credentials = z
  .strictObject({
    forEach: choice(
      ["Consumer", "Grant"],
      "`Consumer`: one credential for each granted namespace whose XRs copy a credential of their own (`secretRef.perConsumer`). `Grant`: one credential for " +
        "each namespace that the owner's annotations name.",
    ),
    template: credentialTemplate.describe(
      "The composed resource. In its texts {namespace} is replaced by the namespace and {hash} by sixteen digits that differ between " +
        "XRs and namespaces. If the template names the resource's Secret, that name must contain {hash}.",
    ),
    turns: optional(
      value(text, z.array(text).min(1).max(2)),
      "To rotate credentials: any text, or a list of two. Each namespace has one credential for each text. Consumers copy the credential " +
        "of the last text once its Secret exists. A credential whose text is no longer listed stays until no consumer copies it.",
    ),
    secretRef: credentialRef
      .prefault({})
      .describe("The fields in which the composed resource names the Secret with the credential."),
  })
  .refine(({ template, turns }) => turns === undefined || hasHash(valueAt(template, ["metadata", "name"]) ?? null), {
    path: ["template", "metadata", "name"],
    error: "needs {hash} with turns: otherwise the credentials of one namespace would have the same name",
  })
  .refine(({ template, secretRef }) => hasHash(valueAt(template, secretRef.nameFieldPath)), {
    path: ["template"],
    error: ({ input }) => {
      const { nameFieldPath } = (input as { secretRef: z.output<typeof credentialRef> }).secretRef;
      return `needs {hash} in ${formatFieldPath(nameFieldPath)}, its Secret's name: otherwise two XRs, or two namespaces, could have the same Secret`;
    },
  });

const rotation = z.strictObject({
  resource: text.describe("A composed resource's name in the Composition; an earlier step desires it."),
  toFieldPath: fieldPath.describe(
    "A field of that resource whose change makes its provider or generator choose a new password.",
  ),
});

const of = z.strictObject({
  apiVersion: apiVersion.describe("The API version of the shared XR."),
  kind: kind.describe("The kind of the shared XR."),
  name: value(text).describe("The name of the shared XR."),
});

export const consumersSchema = z
  .strictObject({
    of: optional(
      of,
      "The shared XR whose consumers this XR serves as a companion, in this XR's namespace. Default: this XR is the shared one.",
    ),
    list: optional(
      z.strictObject({
        toCompositeFieldPath: statusPath.describe(
          "A field of the XR's status. It gets an object: `items` (of 50 consumers at most, else none) and `count` of the consumers with a grant, " +
            "and `withoutGrant`, roughly how many have none: docs/consumers.md says how it is rounded.",
        ),
      }),
      "Lists the XRs and claims that use this XR in its status, 50 at most.",
    ),
    protect: flag(true, "Protects the XR from deletion, by a Usage of Crossplane, while a granted namespace uses it."),
    capacity: optional(
      z.int("not a whole number").min(1, "less than 1").max(1000, "more than 1000"),
      "The most XRs that may use this XR at a time. XRs that select this XR with `select.prefer` are admitted, the oldest first. XRs that select it " +
        "otherwise count, too.",
    ),
    grant: choice(
      ["Annotation", "ReferenceGrant", "None"],
      "How the consumers' Compositions judge access. `Annotation`: by this XR's annotations. `ReferenceGrant`: by its annotations, or by " +
        "ReferenceGrants in the namespace of this XR's connection Secret (Crossplane v2). `None`: not at all; every consumer counts as granted.",
    ),
    secretRef: secretRef.prefault({}).describe("How this XR names its connection Secret, for `grant: ReferenceGrant`."),
    credentials: optional(
      credentials,
      "Makes a credential for each namespace. Consumers copy it with `connection.secretRef.perConsumer`.",
    ),
    rotation: optional(rotation, "Rotates the common password when a namespace loses access, and at no other time."),
  })
  .check(
    forbid(
      "protect",
      "must be false with grant: None, because otherwise any team could prevent the deletion of this XR",
      ({ protect, grant }) => protect && grant === "None",
    ),
    forbid(
      "capacity",
      "not allowed with consumers.of: set capacity in the Composition of the shared XR itself, because consumers read in its status whether " +
        "capacity is left",
      ({ of: shared, capacity }) => shared !== undefined && capacity !== undefined,
    ),
    forbid(
      "grant",
      "None is not allowed with credentials or rotation, which depend on the namespaces that are granted access",
      ({ credentials: found, rotation: rotated, grant }) => grant === "None" && (found || rotated),
    ),
  );

export type Consumers = z.output<typeof consumersSchema>;
export type Credentials = z.output<typeof credentials>;
