import type { SharedResource } from "../../input/shared-resource.ts";
import type { Document } from "../../model/document.ts";
import type { Call } from "../feature.ts";
import { grants } from "./grant.ts";
import { ask, type Question } from "./question.ts";
import { referenceGrants, referenceRemedy } from "./reference-grant.ts";
import type { SecretName } from "./source.ts";
import { annotationRemedy } from "./standing.ts";

/** Which namespaces the source Secret may be copied to. */
export type Access =
  | { readonly is: "pending"; readonly questions: readonly Question[] }
  | {
      readonly is: "known";
      readonly questions: readonly Question[];
      isGranted(namespace: string): boolean;
      /** What the owner would have to do for these namespaces. */
      remedy(namespaces: readonly string[]): string;
    };

/** Judged for every namespace before anybody asks for the Secret: what is not granted is not even looked at. */
export function accessTo(shared: SharedResource, resource: Document, source: SecretName, call: Call): Access {
  if (shared.select.by === "self" || shared.grant === "None") return granted;
  if (shared.grant === "Annotation") {
    return {
      is: "known",
      questions: [],
      isGranted: (namespace) => grants(resource, namespace),
      remedy: annotationRemedy,
    };
  }
  const question = ask(
    `shared-resource/${shared.name}/reference-grants`,
    {
      apiVersion: "gateway.networking.k8s.io/v1beta1",
      kind: "ReferenceGrant",
      namespace: source.namespace,
      match: { labels: {} },
    },
    call,
  );
  const { answer } = question;
  if (answer.is === "pending") return { is: "pending", questions: [question] };
  return {
    is: "known",
    questions: [question],
    isGranted: (namespace) => referenceGrants(answer.items, source, namespace, call.composite),
    remedy: (namespaces) => referenceRemedy(source, namespaces, call.composite),
  };
}

const granted: Access = { is: "known", questions: [], isGranted: () => true, remedy: () => "" };
