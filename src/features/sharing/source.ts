import { type ConnectionSecret, findConnectionSecret, judgeSecret } from "../../crossplane/connection-secret.ts";
import type { SecretName } from "../../crossplane/copies.ts";
import { toSecretRequirement } from "../../crossplane/requirement-names.ts";
import type { Connection } from "../../input/connection.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { type JsonObject, objectOf } from "../../model/json.ts";
import { once } from "../../model/once.ts";
import { askAnswer } from "../../records/answer.ts";
import type { Call } from "../feature.ts";

export const isSameSecret = (a: SecretName, b: SecretName): boolean => a.namespace === b.namespace && a.name === b.name;

/** The source Secret. `pending`: Crossplane has yet to look up the shared resource's answer. */
export type Source = ConnectionSecret | { readonly is: "pending"; readonly secret?: undefined };

type SecretRef = Connection["secretRef"];

/** Finds the Secret that a resource names. Cached, since the Secret may have a thousand copies. */
const namedBy = once((resource: Document) => once((secretRef: SecretRef) => findConnectionSecret(resource, secretRef)));

/**
 * Finds the source Secret: in the fields of the shared resource or, with `perConsumer`, in its answer to the namespace of the
 * copies (records/answer.ts).
 */
export function findSource(resource: Document, secretRef: SecretRef, copies: string | undefined, call: Call): Source {
  if (!secretRef.perConsumer) return namedBy(resource)(secretRef);
  const answer = copies === undefined ? undefined : askAnswer(resource, copies, call.requirements);
  if (answer === "pending") return { is: "pending" };
  return judgeSecret(resource, answer?.secret?.name, answer?.secret?.namespace);
}

/** A Secret's values by key, in base64. */
export type Data = ReadonlyMap<string, string>;

export type SourceSecret =
  | { readonly is: "pending" }
  | { readonly is: "missing" }
  | { readonly is: "read"; readonly data: JsonObject; readonly version: string | undefined };

/** Requires the source Secret. Call it only if access is granted and a copy needs the values. */
export function readSecret(share: string, secret: SecretName, call: Call): SourceSecret {
  const answer = call.requirements.ask(toSecretRequirement(`shared-resource/${share}/secret`, secret));
  if (answer.is === "pending") return answer;
  const found = answer.items.find((item) => stringAt(item, ["metadata", "namespace"]) === secret.namespace);
  if (found === undefined) return { is: "missing" };
  return { is: "read", data: objectOf(found.at(["data"])), version: stringAt(found, ["metadata", "resourceVersion"]) };
}
