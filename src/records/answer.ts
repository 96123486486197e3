import type { Composite } from "../crossplane/composite.ts";
import type { SecretName } from "../crossplane/copies.ts";
import { labelPath, OWNER_REFERENCES } from "../crossplane/metadata.ts";
import { type Reference, resourceKey, toReference } from "../crossplane/references.ts";
import { toRequirement } from "../crossplane/requirement-names.ts";
import { type Document, objectsAt, stringAt } from "../model/document.ts";
import { hashText } from "../model/hash.ts";
import type { JsonObject } from "../model/json.ts";
import { DOMAIN } from "../model/names.ts";
import type { Requirements } from "../model/requirement.ts";
import { recordKind } from "./record.ts";

/**
 * The answer of a shared resource to the consumers of one namespace, or to one that is admitted: an object that the owner's XR composes,
 * and consumers require by its label. A change of the shared resource itself would wake all consumers.
 */
export interface Answer {
  /** The Secret with the consumer's own credential. */
  readonly secret?: SecretName | undefined;
  /** The ticket of the consumer that is admitted. */
  readonly ticket?: string | undefined;
}

/** Makes the subject of the answer that admits a share of an XR. @param recordOf the label of the XR's record */
export const admissionSubject = (namespace: string | undefined, recordOf: string, share: string): string =>
  `admission/${hashText(JSON.stringify([namespace, recordOf, share]), 40)}`;

/** The label with the hash of the shared resource and the answer's subject: the consumer's namespace, or its admission. */
export const ANSWER_LABEL = `${DOMAIN}/answer`;

/** The fields of an answer that its composer desires. */
export const ANSWER_FIELDS = [["apiVersion"], ["kind"], labelPath(ANSWER_LABEL), OWNER_REFERENCES, ["data"]];

const toLabels = (shared: Reference, subject: string) => ({
  [ANSWER_LABEL]: hashText(`${resourceKey(shared)}#${subject}`, 40),
});

/** Composes an answer. @param composer the shared resource, or its companion */
export function composeAnswer(
  owner: Composite,
  subject: string,
  { secret, ticket }: Answer,
  composer = owner,
): JsonObject {
  const { apiVersion, kind, name, document } = owner;
  const reference = { apiVersion, kind, name, uid: stringAt(document, UID) ?? "" };
  return {
    ...recordKind(owner),
    // Crossplane makes the composer an owner.
    metadata: { labels: toLabels(owner, subject), ...(composer !== owner && { ownerReferences: [reference] }) },
    data: {
      ...(secret !== undefined && { secretName: secret.name, secretNamespace: secret.namespace }),
      ...(ticket !== undefined && { ticket }),
    },
  };
}

const UID = ["metadata", "uid"];

/**
 * Asks for the answer of a shared resource to a subject. It counts only if the shared resource owns it: a ConfigMap of another author in
 * its namespace could name another Secret.
 *
 * @returns undefined if there is none.
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
  const uid = stringAt(shared, UID);
  const isOwned = (item: Document): boolean => objectsAt(item, OWNER_REFERENCES).some((owner) => owner["uid"] === uid);
  const isInPlace = (item: Document): boolean => stringAt(item, ["metadata", "namespace"]) === resource.namespace;
  const found = answer.items.find((item) => uid !== undefined && isOwned(item) && isInPlace(item));
  return found && readAnswer(found);
}

export function readAnswer(answer: Document): Answer {
  const text = (key: string): string | undefined => stringAt(answer, ["data", key]);
  const [name, namespace] = [text("secretName"), text("secretNamespace")];
  const secret = name === undefined || namespace === undefined ? undefined : { namespace, name };
  return { secret, ticket: text("ticket") };
}
