import { isOfCopyKind, readCopiedSecret, readSharedResource, type SecretName } from "../../../crossplane/copies.ts";
import { isObserver, readPolicies } from "../../../crossplane/management-policies.ts";
import { readAnnotation } from "../../../crossplane/metadata.ts";
import { hasReadSpec } from "../../../crossplane/observed-generation.ts";
import { isSameResource, type Reference, readReference, resourceKey } from "../../../crossplane/references.ts";
import { compareTexts } from "../../../model/collections.ts";
import { shownCondition } from "../../../model/condition.ts";
import { type Document, objectsAt } from "../../../model/document.ts";
import { parseFieldPath } from "../../../model/field-path.ts";
import { isList, isObject, type JsonValue, parseJson } from "../../../model/json.ts";
import { DOMAIN } from "../../../model/names.ts";
import { once } from "../../../model/once.ts";
import type { Resource } from "../../../model/request.ts";
import { SHARED_FROM } from "../../../ownership/annotations.ts";
import { readSecretName } from "../../../records/record.ts";
import type { SharingReason } from "../reasons.ts";
import { isSameSecret } from "../source.ts";
import { isCopyName } from "./copy-name.ts";

/** An observed composed resource of a copy: an Object of provider-kubernetes, or the Secret itself. */
export interface ObservedCopy {
  /** Its name in the Composition. */
  readonly key: string;
  readonly share: string;
  readonly document: Document;
  readonly isSecret: boolean;
  readonly target: SecretName | undefined;
  /** The source Secret; undefined for none or several. */
  readonly source: SecretName | undefined;
  /** The shared resource that its annotation records; undefined if a team has removed the annotation. */
  readonly origin: Reference | undefined;
  /** Former shared resources whose values the copy may still hold. */
  readonly earlier: readonly Reference[];
}

/**
 * Finds the copies among composed resources, sorted by name. Only Objects and Secrets count. Else a team could make its XR
 * refer to a ConfigMap under a copy's name, and choose by its annotations which resources Crossplane looks up.
 */
export const findCopies = once((resources: ReadonlyMap<string, Resource>): readonly ObservedCopy[] =>
  [...resources]
    .filter(([key]) => isCopyName(key))
    .filter(([, { document }]) => isOfCopyKind(document))
    .map(([key, { document }]) => toCopy(key, document))
    .sort((a, b) => compareTexts(a.key, b.key)),
);

function toCopy(key: string, document: Document): ObservedCopy {
  const isSecret = document.at(["kind"]) === "Secret";
  return {
    key,
    share: key.split("/", 2)[1] ?? "",
    document,
    isSecret,
    target: readCopiedSecret(document),
    source: readSourceSecret(document, isSecret),
    origin: readSharedResource(document),
    // A Secret that Crossplane writes contains no former values.
    earlier: isSecret ? [] : readEarlier(document),
  };
}

/** Annotation of an Object: former shared resources, until the provider has written the values of the present one. */
export const EARLIER_RESOURCES = `${DOMAIN}/earlier-shared-resources`;

function readEarlier(document: Document): readonly Reference[] {
  const recorded = parseJson(readAnnotation(document, EARLIER_RESOURCES));
  return isList(recorded) ? recorded.flatMap((item) => readReference(item) ?? []) : [];
}

const MARK = ["metadata", "annotations", SHARED_FROM];
const CONNECTION_DETAILS = parseFieldPath("spec.connectionDetails");
/** The resources that an Object's manifest takes values from. */
export const REFERENCES = parseFieldPath("spec.references");
export const MANIFEST = parseFieldPath("spec.forProvider.manifest");

/** Reads the source Secret from an Object's references and connection details, else from the copy's annotation. */
function readSourceSecret(document: Document, isSecret: boolean): SecretName | undefined {
  const references = [
    ...objectsAt(document, REFERENCES).map(({ patchesFrom }) => patchesFrom),
    ...objectsAt(document, CONNECTION_DETAILS),
  ];
  if (references.length > 0) return findCommon(references.map(toSecretName));
  // A team may edit a Secret in its namespace, so the name may be invalid.
  return readSecretName(document.at(isSecret ? MARK : [...MANIFEST, ...MARK]))[0];
}

function toSecretName(reference: JsonValue | undefined): SecretName | undefined {
  if (!isObject(reference)) return undefined;
  const { namespace, name } = reference;
  return typeof namespace === "string" && typeof name === "string" ? { namespace, name } : undefined;
}

/** Finds the Secret that all entries of a list name; undefined if they differ, or the list is empty. */
const findCommon = ([first, ...others]: readonly (SecretName | undefined)[]): SecretName | undefined =>
  first && others.every((other) => other && isSameSecret(first, other)) ? first : undefined;

/** Tells whether an Object's policies only observe. Its provider may not have read them yet. */
export function isLimited({ document }: ObservedCopy): boolean {
  const policies = readPolicies(document);
  return policies !== undefined && isObserver(policies);
}

/**
 * Tells whether an Object can be deleted without its Secret: its provider has read that it only observes. A Ready condition
 * with the reason Creating does not prove that: right after a creation the provider may report a later generation than the
 * one that it acted on.
 */
export const isReleased = (copy: ObservedCopy): boolean =>
  isLimited(copy) &&
  !isPublisher(copy) &&
  hasReadSpec(copy.document) &&
  shownCondition(copy.document, "Ready")?.reason !== "Creating";

/** Tells whether the copy is its Object's connection Secret, which is deleted with the Object. */
export const isPublisher = ({ document }: ObservedCopy): boolean => document.at(CONNECTION_DETAILS) !== undefined;

/** Tells whether a copy can be given up at once: its Secret is deleted with it anyway, or its Object is released. */
export const isDroppable = (copy: ObservedCopy): boolean => copy.isSecret || isPublisher(copy) || isReleased(copy);

/** Tells whether a copy was written. Checks Synced, too, since an Object that fails to write stays Ready. */
export const isReady = ({ document, isSecret }: ObservedCopy): boolean =>
  isSecret || ["Ready", "Synced"].every((type) => shownCondition(document, type)?.status === "True");

/** Tells whether a copy is written from the present spec of its composed resource. */
export const isWritten = (copy: ObservedCopy): boolean =>
  copy.isSecret || (isReady(copy) && hasReadSpec(copy.document) && (isPublisher(copy) || !isLimited(copy)));

/**
 * Finds the shared resources other than `now` whose values a copy may still hold: its `origin` and, until the provider has
 * written the present spec, its `earlier` ones. None for a Secret that Crossplane writes, which has only present values.
 */
export function findStale(copy: ObservedCopy, now: Reference): readonly Reference[] {
  const { origin, earlier, isSecret } = copy;
  const stale = [...(origin && !isSecret ? [origin] : []), ...(isWritten(copy) ? [] : earlier)];
  const seen = new Set([resourceKey(now)]);
  return stale.filter((each) => !seen.has(resourceKey(each)) && seen.add(resourceKey(each)));
}

/** Tells whether a copy may hold values of another resource than `now`. A copy without an `origin` counts as made from `now`. */
export const isMoving = ({ origin, earlier }: ObservedCopy, now: Reference): boolean =>
  earlier.length > 0 || (origin !== undefined && !isSameResource(origin, now));

/** Finds the source Secret whose values all copies of a shared resource hold; undefined for no copies, or while they differ. */
export function findCopied(copies: readonly ObservedCopy[], shared: Reference): SecretName | undefined {
  const own = copies.filter(({ origin }) => origin !== undefined && isSameResource(origin, shared));
  return findCommon(own.map((copy) => (isWritten(copy) ? copy.source : undefined)));
}

/** Matches the errors by which a provider refuses to write a connection Secret: ConnectionSecretMustBeControllableBy in crossplane-runtime. */
const UNCONTROLLED = /refusing to modify uncontrolled secret|existing secret is not controlled by UID/;

/** Finds the error with which the provider fails to write a copy, such as a missing Secret, key or permission. */
export function findFailure({ document }: ObservedCopy, target: SecretName): SharingReason | undefined {
  const { status = "", message = "" } = shownCondition(document, "Synced") ?? {};
  if (UNCONTROLLED.test(message)) return { is: "TargetTaken", target, writer: undefined, isRival: false };
  return status === "False" && message !== "" ? { is: "CopyFailed", target, says: message } : undefined;
}
