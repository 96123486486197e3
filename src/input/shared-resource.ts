import * as z from "zod";
import { type FieldPath, formatFieldPath } from "../model/field-path.ts";
import { isObject } from "../model/json.ts";
import { DOMAIN } from "../model/names.ts";
import { connection } from "./connection.ts";
import { apiVersion, choice, dnsLabel, fieldPath, forbid, kind, list, optional, text } from "./fields.ts";
import { patch } from "./patch.ts";
import { select } from "./select.ts";

/** The prefixes of the names that this function gives its own composed resources. */
const OWN_NAMES = ["shared/", "shared-infrastructure/", "consumers/"] as const;

/** Recognizes the name in the Composition of a resource that this function itself composes. */
export const isOwnName = (name: string): boolean => OWN_NAMES.some((own) => name.startsWith(own));

const dependent = text.refine((name) => !isOwnName(name), {
  error: "this function itself composes that resource: name one that another function composes",
});

/**
 * A path that can be set in an empty environment. It must not set the environment's apiVersion or kind: with another type,
 * function-patch-and-transform would stop the XR.
 */
const environmentPath = fieldPath
  .refine((path) => typeof path[0] === "string" && path.every((step) => typeof step === "string" || step === 0), {
    error: "cannot be set in an empty environment: begin with the name of a field, and use no index but [0]",
  })
  .refine(
    ([field]) => field !== "apiVersion" && field !== "kind",
    "not allowed: apiVersion and kind are the type of the environment itself",
  );

const toEnvironment = z.strictObject({
  fromFieldPath: fieldPath.describe("A field of the shared resource with a map, such as an EnvironmentConfig's data."),
  toFieldPath: optional(environmentPath, "A field of the environment. Default: the top of the environment."),
});

/** Tells whether a selector, parsed or not, is `self`. */
const isSelf = (found: unknown): boolean => isObject(found) && (found["by"] === "self" || isObject(found["self"]));

const NOT_WITH_SELF = "not allowed with select.self";

export const sharedResourceSchema = z
  .strictObject({
    name: dnsLabel.describe(
      "The shared resource's name in conditions, events, the context and the names of composed resources.",
    ),
    into: optional(
      text,
      "The key under which later steps find the shared resource in the context: any text, as in function-extra-resources. Default: not in the context.",
    ),
    apiVersion: optional(apiVersion, "The shared resource's API version. Required, except with `select.self`."),
    kind: optional(kind, "The shared resource's kind. Required, except with `select.self`."),
    select: select.describe("Selects the shared resource, by exactly one of name, matchLabels and self."),
    resolution: choice(
      ["Required", "Optional", "Fail"],
      "For a resource that is not available. `Required`: the XR is not ready, and later steps run without it. `Optional`: the XR does not wait for a " +
        "missing one. `Fail`: the XR stops with a Fatal result. Not in a step with `connection` or `dependents`.",
    ),
    readiness: choice(
      ["Ignored", "Required"],
      "For a resource whose condition Ready is not True. `Ignored`: it is used as soon as it is found and granted. `Required`: this XR waits until it is Ready. Once " +
        "served, this XR stays served, whatever Ready says later. `Required` is not allowed with `select.self`, or with `maxMatch` above 1.",
    ),
    grant: choice(
      ["Annotation", "ReferenceGrant", "None"],
      `How the owner grants access to the shared resource's connection Secret and fields. \`Annotation\`: by the shared resource's ` +
        `annotation ${DOMAIN}/allowed-namespaces. ` +
        "`ReferenceGrant`: by a ReferenceGrant in the Secret's namespace (Crossplane v2). `None`: no grant is needed.",
    ),
    patches: list(patch, "Copies of fields of the shared resource."),
    toEnvironment: optional(
      toEnvironment,
      "Merges a map from the shared resource, such as an EnvironmentConfig's data, into the environment for later steps, like function-environment-configs.",
    ),
    connection: optional(connection, "Copies of the shared resource's connection Secret."),
    dependents: list(
      dependent,
      "Composed resources that exist only while this XR has access, such as a PushSecret, an IAM attachment or a RoleBinding. Each item " +
        "names resources that earlier steps of other functions desire, by their names in the Composition, with `*` for any text. They are created once " +
        "access is granted and the copies are written, and deleted with the copies. In a step without `connection`, a name without `*` that no earlier step " +
        "desires stops the XR.",
    ),
  })
  .check(
    forbid(
      "kind",
      "a Secret itself cannot be shared, because it has no owner who could grant it: select the resource that writes the Secret",
      ({ apiVersion: version, kind }) => isBuiltIn(version) && kind === "Secret",
    ),
    forbid(
      "grant",
      "Annotation is not allowed with connection for Kubernetes' own kinds: anyone who can edit such a resource could name any Secret in it, and " +
        "so share that Secret; use ReferenceGrant or None",
      ({ apiVersion: version, kind, connection: copies, grant }) =>
        isBuiltIn(version) && kind !== "Secret" && copies !== undefined && grant === "Annotation",
    ),
    forbid(
      "grant",
      "ReferenceGrant needs connection, because it grants access to the connection Secret; else use Annotation",
      ({ connection: copies, grant }) => grant === "ReferenceGrant" && copies === undefined,
    ),
    forbid(
      "grant",
      "ReferenceGrant is not allowed with select.prefer, which chooses by the annotations of the pool's members; use Annotation",
      ({ grant, select: found }) => grant === "ReferenceGrant" && found.by === "labels" && found.prefer,
    ),
    forbid(
      "grant",
      "ReferenceGrant is not allowed with perConsumer, because credentials are made for the namespaces that annotations grant; use Annotation",
      ({ connection: copies, grant }) => grant === "ReferenceGrant" && copies?.secretRef.perConsumer === true,
    ),
    forbid(
      "connection.secretRef.perConsumer",
      "not allowed with via: Object: provider-kubernetes puts a finalizer on the credential's Secret, so a revoked credential would stay " +
        "until its copy is deleted; use via: ConnectionSecret or Secret",
      ({ connection: found }) => found?.secretRef.perConsumer && found.copies.some(({ via }) => via === "Object"),
    ),
    forbid(
      "connection.secretRef.perConsumer",
      "not allowed with select.self: a credential for each consumer is for the XRs that use this XR, not for this XR itself",
      ({ connection: copies, select: found }) => isSelf(found) && copies?.secretRef.perConsumer === true,
    ),
    forbid(
      "readiness",
      "Required is not allowed with select.self, or with maxMatch above 1",
      ({ readiness, select: found }) => readiness === "Required" && (isSelf(found) || isMany(found)),
    ),
    forbid("apiVersion", NOT_WITH_SELF, (share) => share.apiVersion !== undefined && isSelf(share.select)),
    forbid("apiVersion", "required", (share) => share.apiVersion === undefined && !isSelf(share.select)),
    forbid("kind", NOT_WITH_SELF, (share) => share.kind !== undefined && isSelf(share.select)),
    forbid("kind", "required", (share) => share.kind === undefined && !isSelf(share.select)),
    forbid(
      "select.maxMatch",
      "more than 1 is not allowed with connection, patches or dependents: later steps can use several resources from the context",
      ({ select: found, patches, connection: copies, dependents }) =>
        isMany(found) && (copies || patches.length > 0 || dependents.length > 0),
    ),
  )
  // With `select.self` apiVersion and kind are not used, since the XR is in the request already, and no grant is needed.
  .transform(({ apiVersion: version = "", kind = "XR", grant, ...rest }) => ({
    ...rest,
    apiVersion: version,
    kind,
    grant: isSelf(rest.select) ? "None" : grant,
  }));

/** Matches the API versions of Kubernetes' own kinds, whose groups have no dot or end in k8s.io. */
const BUILT_IN = /^(?:v[a-z0-9]+$|[^./]+\/|[^/]*\.k8s\.io\/)/;

const isBuiltIn = (version: string | undefined): boolean => version !== undefined && BUILT_IN.test(version);

const isMany = (found: z.output<typeof select>): boolean => found.by === "labels" && found.maxMatch > 1;

export type SharedResource = z.output<typeof sharedResourceSchema>;

/**
 * Finds a field of the environment that one part of the input reads, and that the `toEnvironment` of a shared resource sets.
 * Crossplane calls a step again with the context that the step returned, so each call could read another value.
 *
 * @param readers the parts of the input. A field that one shared resource both reads and sets is no fault: `toLayers` in
 * features/sharing/context.ts leaves it out.
 */
export function findEnvironmentLoop(shares: readonly SharedResource[], readers: readonly unknown[]) {
  const written = shares.flatMap((share) =>
    share.toEnvironment ? [{ share, path: share.toEnvironment.toFieldPath ?? [] }] : [],
  );
  const isBelow = (path: FieldPath, other: FieldPath): boolean => other.every((step, index) => path[index] === step);
  const overlap = (a: FieldPath, b: FieldPath): boolean => isBelow(a, b) || isBelow(b, a);
  const read = readers.flatMap((reader) => readPathsOf(reader).map((path) => ({ reader, path })));
  const found = read.find(({ reader, path }) =>
    written.some((other) => other.share !== reader && overlap(path, other.path)),
  );
  return found && formatFieldPath(found.path);
}

/** Lists the fields of the environment that a part of a parsed input reads. */
export function readPathsOf(part: unknown): readonly FieldPath[] {
  if (Array.isArray(part)) return part.flatMap(readPathsOf);
  if (!isObject(part) || part["is"] === "literal") return [];
  if (part["is"] === "environment" && Array.isArray(part["path"])) return [part["path"] as FieldPath];
  return Object.entries(part).flatMap(([field, value]) => (field === "template" ? [] : readPathsOf(value)));
}
