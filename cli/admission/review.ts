import * as z from "zod";
import { documentOf, stringAt } from "../../src/model/document.ts";
import { type FieldPath, formatFieldPath, withValueAt } from "../../src/model/field-path.ts";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import { toContender } from "../../src/ownership/contender.ts";
import { type Declaration, findDeclarations, NOTHING } from "../lookup/declarations.ts";
import type { Mapping } from "../lookup/mapping.ts";
import type { Checked } from "../lookup/ownership.ts";

const text = z.string().min(1).optional().catch(undefined);
const object = z.custom<JsonObject>(isObject).optional().catch(undefined);

const admissionReview = z.object({
  apiVersion: z.literal("admission.k8s.io/v1"),
  kind: z.literal("AdmissionReview"),
  request: z.object({
    uid: z.string().min(1),
    userInfo: z.object({ username: text }).catch({ username: undefined }),
    operation: z.string().min(1),
    subResource: text,
    namespace: text,
    name: text,
    object,
    oldObject: object,
    dryRun: z.boolean().catch(false),
  }),
});

/** The API server's request: https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/ */
export type AdmissionRequest = z.output<typeof admissionReview>["request"];

/** @returns undefined for anything but an AdmissionReview of v1 with a request. */
export const readAdmissionRequest = (review: unknown): AdmissionRequest | undefined =>
  admissionReview.safeParse(review).data?.request;

/**
 * Finds the cloud resources that an object newly represents, or begins to write. Only these are looked up, so the webhook
 * never blocks other changes of an existing object, such as its finalizers or status. The function makes an
 * observer the owner by an annotation, which counts only if a trusted user, such as Crossplane, writes it.
 */
export function findNewDeclarations(
  request: AdmissionRequest,
  mappings: readonly Mapping[],
  trusted: ReadonlySet<string>,
) {
  const { operation, subResource, object, oldObject } = request;
  if (object === undefined || subResource !== undefined || !["CREATE", "UPDATE"].includes(operation)) return NOTHING;
  // An XR that is being deleted composes nothing any more. A managed resource deletes what it names.
  const has = (path: FieldPath): boolean => documentOf(object).at(path) !== undefined;
  if (has(["metadata", "deletionTimestamp"]) && !has(["spec", "forProvider"])) return NOTHING;
  const trustsMarks = trusted.has(request.userInfo.username ?? "");
  const found = findDeclarations(named(object, request), mappings, { trustsMarks });
  if (oldObject === undefined) return found;
  // An observer that Crossplane makes the owner represented the cloud resource before: that is no new declaration.
  const includeObservers = trustsMarks && toContender(documentOf(object)).isMarked;
  const old = findDeclarations(named(oldObject, request), mappings, { includeObservers });
  const before = new Set(old.declarations.map(toComparable));
  const declarations = found.declarations.filter((declaration) => !before.has(toComparable(declaration)));
  return { ...NOTHING, declarations };
}

const named = (object: JsonObject, { name, namespace }: AdmissionRequest): JsonObject =>
  withDefault(withDefault(object, ["metadata", "name"], name), ["metadata", "namespace"], namespace);

const withDefault = (object: JsonObject, path: FieldPath, value: string | undefined): JsonObject =>
  value === undefined || stringAt(documentOf(object), path) !== undefined ? object : withValueAt(object, path, value);

const toComparable = ({ query: { group, kind, names, providerConfig, scope } }: Declaration): string =>
  JSON.stringify([group, kind, names, providerConfig, [...scope]]);

export interface Decision {
  readonly is: "allowed" | "denied";
  /** The reason of a denial, for the person who applied the object. */
  readonly message?: string;
  readonly warnings: readonly string[];
}

export function toDecision(doubts: readonly string[], checked: Checked, onConflict: "deny" | "warn"): Decision {
  const conflicts = checked.conflicts.map(
    ({ declaration: { path }, message }) => `${formatFieldPath(path)}: ${message}`,
  );
  const warnings = [...doubts, ...checked.doubts];
  if (conflicts.length === 0) return { is: "allowed", warnings };
  if (onConflict === "warn") return { is: "allowed", warnings: [...conflicts, ...warnings] };
  return { is: "denied", message: conflicts.join("; "), warnings };
}

export const decideUnchecked = (reason: string, onError: "allow" | "deny"): Decision =>
  onError === "deny"
    ? { is: "denied", message: `cannot tell who owns the cloud resource: ${reason}`, warnings: [] }
    : { is: "allowed", warnings: [`admitted without looking up who owns the cloud resource: ${reason}`] };

/** Writes the response. Its code is 403 and not 409, after which controllers would retry at once. */
export const toReview = (uid: string, { is, message, warnings }: Decision): object => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  response: {
    uid,
    allowed: is === "allowed",
    ...(message !== undefined && { status: { code: 403, reason: "Forbidden", message } }),
    ...(warnings.length > 0 && { warnings }),
  },
});
