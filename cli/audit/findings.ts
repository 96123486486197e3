import { groupKindOf, toApiGroup } from "../../src/crossplane/api-group.ts";
import type { Composite } from "../../src/crossplane/composite.ts";
import { COPY_KINDS, formatSecret, readSharedResource } from "../../src/crossplane/copies.ts";
import { COMPOSITION_RESOURCE_NAME, findController, isBeingDeleted, readUid } from "../../src/crossplane/metadata.ts";
import {
  formatReference,
  type Reference,
  resourceKey,
  toReference,
  toReferences,
} from "../../src/crossplane/references.ts";
import { brief, shownCondition } from "../../src/model/condition.ts";
import { type Document, stringAt } from "../../src/model/document.ts";
import { isDependent, OWNER } from "../../src/ownership/annotations.ts";
import { isNamesRecord } from "../../src/records/names-record.ts";
import { readSecretName } from "../../src/records/record.ts";
import { findUnmanaged, findUnregistered } from "./cloud-resources.ts";
import { type Composer, type Finding, type Patience, toFinding, toPatchCommand, type World } from "./world.ts";

export function toFindings(world: World, patience: Patience): readonly Finding[] {
  const { composites, labelled } = world;
  const references = composites.map((composite) => ({ composite, own: toReferences(composite) }));
  const referred = new Set(references.flatMap(({ own }) => own.map(resourceKey)));
  const unreferred = [...labelled].filter(([key]) => !referred.has(key)).map(([, document]) => document);
  return [
    ...references.flatMap(({ composite, own }) =>
      own.flatMap((reference) => referenceFinding(reference, composite, world)),
    ),
    ...unreferred.flatMap((document) => orphanFinding(document, world)),
    ...findUnmanaged(world, patience),
    ...findUnregistered(world),
    ...copyFindings(world),
    ...findHanging(world, patience),
    ...composites.flatMap((composite) => compositeFinding(composite, patience)),
  ];
}

/** Checks one reference of an XR: the resource exists, and the XR controls it. */
function referenceFinding(reference: Reference, composite: Composite, world: World): readonly Finding[] {
  // An XR composes its missing record again, and Kubernetes deletes the record of an XR that is gone.
  if (isNamesRecord(reference, composite)) return [];
  const key = resourceKey(reference);
  const document = world.labelled.get(key) ?? world.referred.get(key);
  if (document === undefined) return [];
  if (typeof document === "string") return danglingFinding(reference, composite, document);
  const controller = findController(document);
  if (controller?.uid === readUid(composite.document)) return [];
  if (controller !== undefined) {
    const { kind, name, uid } = controller;
    if (kind !== composite.kind || name !== composite.name)
      return [toFinding("ControlledByAnother", document, composite, `${brief(kind)} ${brief(name)} controls it`)];
    const message = `its controller is ${kind} ${name} with the UID ${brief(uid)}, which that XR had before a restore`;
    return [toFinding("StaleController", document, composite, message)];
  }
  if (isBeingDeleted(document)) return [];
  const message = "nothing controls it, and its XR refers to it: Crossplane adopts it if the Composition desires it";
  return [toFinding("Unadopted", document, composite, message)];
}

function danglingFinding(resource: Reference, { document }: Composite, why: string): readonly Finding[] {
  // Crossplane deletes composed resources before their XR.
  if (isBeingDeleted(document)) return [];
  const fault = why === "kindMissing" ? "its kind is not installed" : "it does not exist";
  const message = `its XR refers to it, and ${fault}`;
  return [{ is: "Dangling", resource, composite: toReference(document), compositionResourceName: undefined, message }];
}

/** Checks a resource that no XR refers to: an orphan, or a copy or dependent, which must not outlive its grant. */
function orphanFinding(document: Document, { findComposer }: World): readonly Finding[] {
  if (isBeingDeleted(document)) return [];
  const isWithGrant = readSharedResource(document) !== undefined || isDependent(document);
  const toUnreferred = (why: string) => (isWithGrant ? [toFinding("Unreferred", document, undefined, why)] : []);
  if (findController(document) !== undefined) return toUnreferred(UNREFERRED);
  const composer = findComposer(document);
  if (composer.composites.length === 0) return toUnreferred(LEFT);
  return [toFinding("Orphaned", document, composer.only, explainOrphan(composer))];
}

const UNREFERRED =
  "it makes a copy of a connection Secret or depends on a grant, and its XR does not refer to it: Crossplane will " +
  "never delete it, not even when the grant is taken back; delete it, and find out who edits the references of the XR";

const LEFT =
  "it makes a copy of a connection Secret or depends on a grant, and its XR does not exist, as after kubectl delete " +
  "--cascade=orphan: it outlives its grant; delete it, unless its XR is about to be restored";

function explainOrphan({ composites, only }: Composer): string {
  if (only !== undefined)
    return "its XR composed it, does not refer to it any more, and nothing controls it: Crossplane will never delete it";
  const names = composites.map(formatReference).join(", ");
  const how =
    composites.length === 1
      ? `${names} may have composed it, but its parent XR does not confirm that`
      : `one of ${names} composed it`;
  return `${how}; no XR refers to it, and nothing controls it`;
}

/** Finds copies of Secrets of XRs that do not exist. If their kind has no XR at all, it may not have been read. */
function copyFindings({ composites, labelled }: World): readonly Finding[] {
  const there = new Set(composites.map(resourceKey));
  const kinds = new Set(composites.map(groupKindOf));
  return [...labelled.values()].flatMap((document) => {
    const origin = readSharedResource(document);
    if (origin === undefined || isBeingDeleted(document) || there.has(resourceKey(origin))) return [];
    if (!kinds.has(groupKindOf(origin))) return [];
    const message = `it makes a copy of the connection Secret of ${formatReference(origin)}, which does not exist`;
    return [toFinding("SharedResourceGone", document, undefined, message)];
  });
}

/** Checks that Crossplane has reconciled an XR: each reconcile, successful or not, sets the condition Synced. */
function compositeFinding(composite: Composite, { graceMs, now }: Patience): readonly Finding[] {
  const { document } = composite;
  if (shownCondition(document, "Synced") !== undefined || isBeingDeleted(document)) return [];
  const created = Date.parse(stringAt(document, ["metadata", "creationTimestamp"]) ?? "");
  if (now - created < graceMs) return [];
  const message = "it has no condition Synced: Crossplane has never finished reconciling it";
  return [toFinding("NeverReconciled", document, composite, message)];
}

/** The finalizer of crossplane-runtime. A provider removes it after it has deleted the external resource. */
const FINALIZER = "finalizer.managedresource.crossplane.io";

/**
 * Finds managed resources whose deletion hangs in a namespace that is being deleted. Before each step a provider
 * creates a ProviderConfigUsage in that namespace, which Kubernetes no longer allows.
 */
function findHanging({ labelled, leaving, findComposer }: World, { graceMs, now }: Patience): readonly Finding[] {
  const isOld = (document: Document): boolean =>
    now - Date.parse(stringAt(document, ["metadata", "deletionTimestamp"]) ?? "") >= graceMs;
  const isHeld = (document: Document): boolean => [document.at(["metadata", "finalizers"])].flat().includes(FINALIZER);
  return [...labelled.values()]
    .filter((document) => leaving.has(toReference(document).namespace ?? "") && isHeld(document) && isOld(document))
    .map((document) => toFinding("Hanging", document, findComposer(document).only, ...explainHanging(document)));
}

/** Gives a command for Objects that make copies only: of other kinds, Observe may leave a cloud resource behind. */
function explainHanging(document: Document): readonly [message: string, command?: string] {
  const reference = toReference(document);
  const why =
    "its namespace is being deleted, so the provider waits: it can no longer create a ProviderConfigUsage there";
  // The annotation alone does not tell: a team may write it on any object of its namespace.
  const isObject = toApiGroup(reference.apiVersion) === toApiGroup(COPY_KINDS.NamespacedObject.apiVersion);
  if (!isObject || readSharedResource(document) === undefined)
    return [`${why}; with managementPolicies [Observe] the resource is removed, and its cloud resource stays`];
  const command = toPatchCommand(reference, "merge", `'{"spec":{"managementPolicies":["Observe"]}}'`);
  // A copy's name in the Composition is shared/SHARE/NAMESPACE/SECRET. A team may write this annotation, too.
  const [, , ...named] = (stringAt(document, COMPOSITION_RESOURCE_NAME) ?? "").split("/", 4);
  const [secret] = readSecretName(named.join("/"));
  const left =
    secret === undefined || secret.namespace === reference.namespace
      ? ""
      : `; its copy ${formatSecret(secret)} stays then: delete that Secret if its annotation ${OWNER} names an XR or claim in ${reference.namespace}`;
  return [`${why}${left}; to end it`, command];
}
