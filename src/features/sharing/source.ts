import { type ConnectionSecret, findConnectionSecret, judgeSecret } from "../../crossplane/connection-secret.ts";
import type { SecretName } from "../../crossplane/copies.ts";
import { toSecretRequirement } from "../../crossplane/requirement-names.ts";
import type { Connection } from "../../input/connection.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { once } from "../../model/once.ts";
import { askAnswer } from "../../records/answer.ts";
import type { Call } from "../feature.ts";

export const isSameSecret = (a: SecretName, b: SecretName): boolean => a.namespace === b.namespace && a.name === b.name;

/** The source Secret. `pending`: Crossplane has to look up the shared resource's answer first. */
export type Source = ConnectionSecret | { readonly is: "pending" };

type SecretRef = Connection["secretRef"];

/** Caches the Secret that a resource names: it may have a thousand copies, and thousands of fields to search. */
const namedBy = once((resource: Document) => once((secretRef: SecretRef) => findConnectionSecret(resource, secretRef)));

/**
 * Finds the source Secret. A shared resource names it in its fields or, with `perConsumer`, in its answer.
 *
 * @param consumer the namespace whose own credential the answer names, with `perConsumer`.
 */
export function findSource(
  resource: Document,
  secretRef: SecretRef,
  consumer: string | undefined,
  { requirements }: Call,
): Source {
  if (!secretRef.perConsumer) return namedBy(resource)(secretRef);
  const answer = consumer === undefined ? undefined : askAnswer(resource, consumer, requirements);
  if (answer === "pending") return { is: "pending" };
  return judgeSecret(resource, answer?.secret?.name, answer?.secret?.namespace);
}

/** A Secret's values by key, in base64. */
export type Data = ReadonlyMap<string, string>;

export type SourceSecret =
  | { readonly is: "pending" }
  | { readonly is: "missing" }
  | { readonly is: "read"; readonly data: JsonObject; readonly version: string | undefined };

/** Requires the source Secret. Call this only if access is granted and a copy needs the values. */
export function readSecret(share: string, secret: SecretName, call: Call): SourceSecret {
  const answer = call.requirements.ask(toSecretRequirement(`shared-resource/${share}/secret`, secret));
  if (answer.is === "pending") return answer;
  const found = answer.items.find((item) => stringAt(item, ["metadata", "namespace"]) === secret.namespace);
  if (found === undefined) return { is: "missing" };
  const values = found.at(["data"]);
  const version = stringAt(found, ["metadata", "resourceVersion"]);
  return { is: "read", data: isObject(values) ? values : {}, version };
}
