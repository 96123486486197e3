import { toApiGroup } from "../../src/crossplane/api-group.ts";
import { COPY_KINDS, readSharedResource } from "../../src/crossplane/copies.ts";
import { COMPOSITION_RESOURCE_NAME, isBeingDeleted } from "../../src/crossplane/metadata.ts";
import { toReference } from "../../src/crossplane/references.ts";
import { type Document, stringAt } from "../../src/model/document.ts";
import { toPatchCommand } from "./adopt.ts";
import { type Finding, type Patience, toFinding, type World } from "./world.ts";

/** The finalizer of crossplane-runtime, which a provider takes away once it has deleted what a managed resource represents. */
const FINALIZER = "finalizer.managedresource.crossplane.io";

/**
 * Finds what hangs in namespaces that are being deleted. A provider records in the namespace of a managed resource that this uses a
 * ProviderConfig, before each of its steps; Kubernetes deletes the record with the namespace, and lets it make no other one.
 */
export function findHanging({ labelled, leaving, composers }: World, { graceMs, now }: Patience): readonly Finding[] {
  const isOld = (document: Document): boolean =>
    now - Date.parse(stringAt(document, ["metadata", "deletionTimestamp"]) ?? "") >= graceMs;
  const isHeld = (document: Document): boolean => {
    const finalizers = document.at(["metadata", "finalizers"]);
    return Array.isArray(finalizers) && finalizers.includes(FINALIZER);
  };
  return [...labelled.values()]
    .filter((document) => leaving.has(namespaceOf(document) ?? "") && isBeingDeleted(document))
    .filter((document) => isHeld(document) && isOld(document))
    .map((document) => {
      const { message, command } = explain(document);
      return toFinding("Hanging", document, composers.find(document).only, message, command);
    });
}

const namespaceOf = (document: Document): string | undefined => stringAt(document, ["metadata", "namespace"]);

/** There is no command where that would leave more behind than a Secret of the same namespace. */
function explain(document: Document): Pick<Finding, "message" | "command"> {
  const reference = toReference(document);
  const why =
    "its namespace is being deleted, so its provider cannot record its use of a ProviderConfig there, and waits";
  // A team may annotate what is in its namespace: what Observe leaves behind of other kinds may be in the cloud.
  const isObject = toApiGroup(reference.apiVersion) === toApiGroup(COPY_KINDS.NamespacedObject.apiVersion);
  if (!isObject || readSharedResource(document) === undefined)
    return { message: `${why}; with managementPolicies [Observe] it goes, and what it represents stays` };
  const [, , elsewhere, secret] = (stringAt(document, COMPOSITION_RESOURCE_NAME) ?? "").split("/");
  const left =
    elsewhere === undefined || elsewhere === reference.namespace
      ? ""
      : `; its copy ${elsewhere}/${secret} stays then, for you to delete`;
  return {
    message: `${why}${left}; to end it`,
    command: toPatchCommand(reference, "merge", `'{"spec":{"managementPolicies":["Observe"]}}'`),
  };
}
