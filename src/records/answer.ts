import type { Composite } from "../crossplane/composite.ts";
import type { SecretName } from "../crossplane/copies.ts";
import { findController, labelPath, OWNER_REFERENCES, qualifiedName, readUid } from "../crossplane/metadata.ts";
import { type Reference, resourceKey, toReference } from "../crossplane/references.ts";
import { toRequirement } from "../crossplane/requirement-names.ts";
import { compareTexts } from "../model/collections.ts";
import { type Document, objectsAt, stringAt } from "../model/document.ts";
import { hashText } from "../model/hash.ts";
import type { JsonObject } from "../model/json.ts";
import { DOMAIN } from "../model/names.ts";
import type { Requirements } from "../model/requirement.ts";
import { recordKind } from "./record.ts";

/**
 * The answer of a shared resource to the consumers of one namespace, or to one admitted consumer. The shared XR, or its companion,
 * composes an object with the answer, which consumers require by ANSWER_LABEL. In the shared resource's status, each change would
 * reconcile all consumers.
 */
export interface Answer {
  /** The Secret with the credential of the namespace. */
  readonly secret?: SecretName | undefined;
  /** The ticket of the consumer that is admitted. */
  readonly ticket?: string | undefined;
}

/** Makes the subject of the answer by which a pool's member admits one share of an XR. @param id the XR's `recordId` */
export const admissionSubject = (namespace: string | undefined, id: string, share: string): string =>
  `admission/${hashText(JSON.stringify([namespace, id, share]), 40)}`;

/** The label of an answer: a hash of the shared resource and of the subject, which is a namespace or the result of `admissionSubject`. */
export const ANSWER_LABEL = `${DOMAIN}/answer`;

/** The fields of an answer that this function desires. */
export const ANSWER_FIELDS = [["apiVersion"], ["kind"], labelPath(ANSWER_LABEL), OWNER_REFERENCES, ["data"]];

const toLabels = (shared: Reference, subject: string) => ({
  [ANSWER_LABEL]: hashText(`${resourceKey(shared)}#${subject}`, 40),
});

/** Composes an answer. @param owner the shared XR. @param composer the XR that composes the answer: the shared XR, or its companion */
export function composeAnswer(
  owner: Composite,
  subject: string,
  { secret, ticket }: Answer,
  composer = owner,
): JsonObject {
  const { apiVersion, kind, name, document } = owner;
  const reference = { apiVersion, kind, name, uid: readUid(document) ?? "" };
  return {
    ...recordKind(owner),
    // Crossplane adds an owner reference to the composer.
    metadata: { labels: toLabels(owner, subject), ...(composer !== owner && { ownerReferences: [reference] }) },
    data: {
      ...(secret !== undefined && { secretName: secret.name, secretNamespace: secret.namespace }),
      ...(ticket !== undefined && { ticket }),
    },
  };
}

/**
 * Requires the answer of a shared resource to a subject; undefined if there is none. An answer counts only if it has an owner reference to
 * the shared resource: anyone's ConfigMap in the same namespace could name another Secret. It needs a controller, too: Kubernetes leaves
 * the answers of a deleted companion to the shared resource, their other owner.
 */
export function askAnswer(
  shared: Document,
  subject: string,
  requirements: Requirements,
): Answer | "pending" | undefined {
  const resource = toReference(shared);
  const match = { labels: toLabels(resource, subject) };
  const selector = { ...recordKind(resource), namespace: resource.namespace, match };
  const answer = requirements.ask(toRequirement("shared-resource/answer", selector));
  if (answer.is === "pending") return "pending";
  const uid = readUid(shared);
  const isOwned = (item: Document): boolean =>
    findController(item) !== undefined && objectsAt(item, OWNER_REFERENCES).some((owner) => owner["uid"] === uid);
  const isInPlace = (item: Document): boolean => stringAt(item, ["metadata", "namespace"]) === resource.namespace;
  const own = answer.items.filter((item) => uid !== undefined && isOwned(item) && isInPlace(item));
  // A companion may answer beside the shared XR, and Crossplane lists answers in any order.
  const [found] = own.sort((a, b) => compareTexts(qualifiedName(a), qualifiedName(b)));
  return found && readAnswer(found);
}

export function readAnswer(answer: Document): Answer {
  const text = (key: string): string | undefined => stringAt(answer, ["data", key]);
  const [name, namespace] = [text("secretName"), text("secretNamespace")];
  const secret = name === undefined || namespace === undefined ? undefined : { namespace, name };
  return { secret, ticket: text("ticket") };
}
