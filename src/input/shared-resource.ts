import * as z from "zod";
import { isObject } from "../model/json.ts";
import { DOMAIN } from "../model/names.ts";
import { connection } from "./connection.ts";
import { apiVersion, dnsLabel, fieldPath, onObjects } from "./fields.ts";
import { patch } from "./patch.ts";
import { select } from "./select.ts";

const toEnvironment = z.strictObject({
  fromFieldPath: fieldPath.describe("An object in the shared resource, such as an EnvironmentConfig's data."),
  toFieldPath: fieldPath.optional().describe("Where in the environment it goes. Default: its fields go to the top."),
});

/** Tells whether the selector is `self`. It may be parsed or not: this check runs even if the selector has faults. */
const isSelf = (found: unknown): boolean => isObject(found) && (found["by"] === "self" || found["self"] === true);

const orSelf = (field: "apiVersion" | "kind") => ({
  ...onObjects,
  path: [field],
  error: ({ input }: { readonly input?: unknown }) =>
    isObject(input) && input[field] !== undefined ? "does not go with select.self" : "required",
});

/** A resource that somebody else owns (or this XR itself), and the data to take from it. */
export const sharedResource = z
  .strictObject({
    name: dnsLabel.describe("Names it in conditions, events, the context and the composed resources."),
    into: z
      .string()
      .min(1)
      .optional()
      .describe("Its key in the context, any text, as in function-extra-resources. Default: its name."),
    apiVersion: apiVersion.optional().describe("Its API version. Required, but for `select.self`."),
    kind: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9]{0,62}$/, "not a kind")
      .optional()
      .describe("Its kind. Required, but for `select.self`."),
    select: select.describe("Which one it is: exactly one of name, matchLabels and self."),
    resolution: z
      .enum(["Required", "Optional", "Fail"])
      .default("Required")
      .describe(
        "What happens where it is not available. `Required`: the XR is not ready, and later steps run without it. `Optional`: a missing " +
          "one is no fault. `Fail`: a Fatal result, so that nothing is composed without it; not beside `connection`.",
      ),
    grant: z
      .enum(["Annotation", "ReferenceGrant", "None"])
      .optional()
      .describe(
        `How its owner grants access: by naming namespaces in its annotation ${DOMAIN}/allowed-namespaces, ` +
          "by a ReferenceGrant beside the Secret (Crossplane v2), or not at all. It holds for its fields, too. " +
          "Default: `Annotation` with `connection`, else `None`.",
      ),
    patches: z.array(patch).prefault([]).describe("Fields of it that go elsewhere."),
    toEnvironment: toEnvironment
      .optional()
      .describe("Merged into the environment that later steps read, as function-environment-configs does."),
    connection: connection.optional().describe("Copies of its connection Secret."),
  })
  .refine(({ apiVersion: version, kind }) => !isBuiltIn(version) || kind !== "Secret", {
    ...onObjects,
    path: ["kind"],
    error: "a Secret cannot be shared by itself, since nobody could grant it: select the resource that writes it",
  })
  .refine(
    ({ apiVersion: version, kind, connection: copies, grant = "Annotation" }) =>
      !isBuiltIn(version) || kind === "Secret" || copies === undefined || grant !== "Annotation",
    {
      ...onObjects,
      path: ["grant"],
      error:
        "Annotation does not go with connection for a kind of Kubernetes itself: no controller vouches for the Secret that it names, so " +
        "anyone who can edit it could share any Secret; use ReferenceGrant or None",
    },
  )
  .refine(({ connection: copies, grant }) => grant !== "ReferenceGrant" || copies !== undefined, {
    ...onObjects,
    path: ["grant"],
    error: "ReferenceGrant needs connection: it grants access to the connection Secret",
  })
  .refine(({ connection: copies, grant }) => grant !== "ReferenceGrant" || copies?.secretRef.perConsumer !== true, {
    ...onObjects,
    path: ["grant"],
    error:
      "ReferenceGrant does not go with perConsumer: credentials are made for the namespaces that annotations grant",
  })
  .refine(({ connection: copies, select: found }) => !isSelf(found) || copies?.secretRef.perConsumer !== true, {
    ...onObjects,
    path: ["connection", "secretRef", "perConsumer"],
    error: "does not go with select.self: it is for those who use this XR",
  })
  .refine(({ apiVersion: version, select: found }) => (version === undefined) === isSelf(found), orSelf("apiVersion"))
  .refine(({ kind, select: found }) => (kind === undefined) === isSelf(found), orSelf("kind"))
  .refine(({ select: found, patches, connection: copies }) => !isMany(found) || (patches.length === 0 && !copies), {
    path: ["select", "maxMatch"],
    error: "more than 1 does not go with connection or patches: several resources can be used from the context only",
  })
  // With `select.self` neither field is used: the XR is in the request already.
  .transform(({ apiVersion: version = "", kind = "XR", grant, ...rest }) => ({
    ...rest,
    apiVersion: version,
    kind,
    grant: grant ?? (rest.connection === undefined ? ("None" as const) : ("Annotation" as const)),
  }));

/** The groups of Kubernetes' own kinds have no period, or end in k8s.io. */
const BUILT_IN = /^(?:v[a-z0-9]+$|[^./]+\/|[^/]*\.k8s\.io\/)/;

const isBuiltIn = (version: string | undefined): boolean => version !== undefined && BUILT_IN.test(version);

const isMany = (found: z.output<typeof select>): boolean => found.by === "labels" && found.maxMatch > 1;

export type SharedResource = z.output<typeof sharedResource>;
