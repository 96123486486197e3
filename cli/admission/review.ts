import { documentOf, stringAt } from "../../src/model/document.ts";
import { type FieldPath, formatFieldPath, withValueAt } from "../../src/model/field-path.ts";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import { toContender } from "../../src/ownership/contender.ts";
import { type Declaration, type Declared, findDeclarations } from "../lookup/declarations.ts";
import type { Mapping } from "../lookup/mapping.ts";
import type { Checked } from "../lookup/ownership.ts";

/** The API server's request: https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/ */
export interface AdmissionRequest {
  readonly uid: string;
  readonly username: string;
  readonly operation: string;
  readonly subResource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  readonly dryRun: boolean;
}

/** @returns undefined for anything but an AdmissionReview of v1 with a request. */
export function toAdmissionRequest(review: unknown): AdmissionRequest | undefined {
  if (!isObject(review)) return undefined;
  const document = documentOf(review);
  const isReview = document.at(["apiVersion"]) === "admission.k8s.io/v1" && document.at(["kind"]) === "AdmissionReview";
  const textAt = (...path: FieldPath) => stringAt(document, ["request", ...path]);
  const objectAt = (field: string): JsonObject | undefined => {
    const value = document.at(["request", field]);
    return isObject(value) ? value : undefined;
  };
  const [uid, operation] = [textAt("uid"), textAt("operation")];
  if (!isReview || uid === undefined || operation === undefined) return undefined;
  return {
    uid,
    username: textAt("userInfo", "username") ?? "",
    operation,
    subResource: textAt("subResource") ?? "",
    namespace: textAt("namespace"),
    name: textAt("name"),
    object: objectAt("object"),
    oldObject: objectAt("oldObject"),
    dryRun: document.at(["request", "dryRun"]) === true,
  };
}

/** The look-ups that a request needs; none if it is admitted in any case. */
export interface Inquiry {
  readonly declarations: readonly Declaration[];
  readonly doubts: readonly string[];
}

const NO_INQUIRY: Inquiry = { declarations: [], doubts: [] };

/**
 * Finds the cloud resources that an object newly represents, or begins to write; only they are looked up. So the webhook never blocks
 * other changes of an existing object: its deletion, finalizers, status, or any other field. An observer that the function promotes
 * gets its mark; a mark counts only if a trusted user writes it, such as Crossplane.
 *
 * @param trusted the names of these users.
 */
export function toInquiry(
  request: AdmissionRequest,
  mappings: readonly Mapping[],
  trusted: ReadonlySet<string>,
): Inquiry {
  const { operation, subResource, object, oldObject } = request;
  if (object === undefined || subResource !== "" || !["CREATE", "UPDATE"].includes(operation)) return NO_INQUIRY;
  if (documentOf(object).at(["metadata", "deletionTimestamp"]) !== undefined) return NO_INQUIRY;

  const trustsMarks = trusted.has(request.username);
  const { declarations, doubts } = declared(object, request, mappings, { trustsMarks });
  if (oldObject === undefined) return { declarations, doubts };
  const includeObservers = trustsMarks && toContender(documentOf(object)).isMarked;
  const before = new Set(declared(oldObject, request, mappings, { includeObservers }).declarations.map(toComparable));
  return { declarations: declarations.filter((declaration) => !before.has(toComparable(declaration))), doubts: [] };
}

/** Adds name and namespace, which the object may lack and the request has. */
function declared(
  object: JsonObject,
  { name, namespace }: AdmissionRequest,
  mappings: readonly Mapping[],
  options: Parameters<typeof findDeclarations>[2],
): Declared {
  const named = withDefault(object, ["metadata", "name"], name);
  return findDeclarations(withDefault(named, ["metadata", "namespace"], namespace), mappings, options);
}

const withDefault = (object: JsonObject, path: FieldPath, value: string | undefined): JsonObject =>
  value === undefined || stringAt(documentOf(object), path) !== undefined ? object : withValueAt(object, path, value);

const toComparable = ({ query: { group, kind, names, providerConfig, scope } }: Declaration): string =>
  JSON.stringify([group, kind, names, providerConfig, [...scope]]);

/** The answer to a request. */
export interface Decision {
  readonly is: "allowed" | "denied";
  /** The reason of a denial, for the person who applied the object. */
  readonly message?: string;
  readonly warnings: readonly string[];
}

/** The actions if a cloud resource has another owner, and if the look-up fails. */
export interface Policy {
  readonly onConflict: "deny" | "warn";
  readonly onError: "allow" | "deny";
}

export function toDecision({ doubts }: Inquiry, checked: readonly Checked[], { onConflict }: Policy): Decision {
  const conflicts = checked.flatMap(({ declaration: { path }, conflict }) =>
    conflict === undefined ? [] : [`${formatFieldPath(path)}: ${conflict.message}`],
  );
  const warnings = [...doubts, ...new Set(checked.flatMap(({ doubt }) => doubt ?? []))];
  if (conflicts.length === 0) return { is: "allowed", warnings };
  if (onConflict === "warn") return { is: "allowed", warnings: [...conflicts, ...warnings] };
  return { is: "denied", message: conflicts.join("; "), warnings };
}

/** Decides on a request whose look-up failed. */
export const withoutAnswer = (reason: string, { onError }: Policy): Decision =>
  onError === "deny"
    ? { is: "denied", message: `cannot tell who owns it: ${reason}`, warnings: [] }
    : { is: "allowed", warnings: [`admitted unchecked: ${reason}`] };

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
