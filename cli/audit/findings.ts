import { toApiGroup, toGroupKind } from "../../src/crossplane/api-group.ts";
import type { Composite } from "../../src/crossplane/composite.ts";
import { readSharedResource } from "../../src/crossplane/copies.ts";
import { type Controller, findController, isBeingDeleted } from "../../src/crossplane/metadata.ts";
import {
  formatReference,
  type Reference,
  resourceKey,
  toReference,
  toReferences,
} from "../../src/crossplane/references.ts";
import { shownCondition } from "../../src/model/condition.ts";
import { type Document, stringAt } from "../../src/model/document.ts";
import { isNamesRecord } from "../../src/ownership/names.ts";
import { findHeldBack, findUnmanaged, findUnregistered } from "./cloud-resources.ts";
import type { Composer } from "./composer.ts";
import { findHanging } from "./hanging.ts";
import { compareFindings, type Finding, type Patience, toFinding, type World } from "./world.ts";

/** Finds all faults, sorted by type, XR and resource. */
export function toFindings(world: World, patience: Patience): readonly Finding[] {
  const { composites, labelled } = world;
  const references = composites.map((composite) => ({ composite, own: toReferences(composite) }));
  const referred = new Set(references.flatMap(({ own }) => own.map(resourceKey)));
  const unreferred = [...labelled].filter(([key]) => !referred.has(key)).map(([, document]) => document);
  const found = [
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
  return found.sort(compareFindings);
}

/** Finds the managed resources to which the removal of the tags step is a danger, sorted by XR and resource. */
export const toFindingsBeforeRemoval = (world: World): readonly Finding[] =>
  findHeldBack(world).toSorted(compareFindings);

/** Checks one reference of an XR: the resource exists, and the XR controls it. */
function referenceFinding(reference: Reference, composite: Composite, world: World): readonly Finding[] {
  // As for adoption: the XR composes its record anew, and Kubernetes collects one whose owner is gone.
  if (isNamesRecord(reference, composite)) return [];
  const key = resourceKey(reference);
  const document = world.labelled.get(key) ?? world.referred.get(key);
  if (document === undefined) return [];
  if (typeof document === "string") return danglingFinding(reference, composite, document);
  const controller = findController(document);
  if (controller?.uid === stringAt(composite.document, UID)) return [];
  if (controller !== undefined) {
    const { is, message } = explainController(controller, composite);
    return [toFinding(is, document, composite, message)];
  }
  if (isBeingDeleted(document)) return [];
  const message = "nothing controls it, and its XR refers to it: Crossplane adopts it if the Composition desires it";
  return [toFinding("Unadopted", document, composite, message)];
}

const UID = ["metadata", "uid"];

function danglingFinding(
  resource: Reference,
  { document }: Composite,
  why: "missing" | "kindMissing",
): readonly Finding[] {
  // Crossplane deletes composed resources before their XR.
  if (isBeingDeleted(document)) return [];
  const message = `its XR refers to it, and ${why === "kindMissing" ? "its kind is not installed" : "it is not there"}`;
  return [{ is: "Dangling", resource, composite: toReference(document), compositionResourceName: undefined, message }];
}

function explainController({ kind, name, uid }: Controller, composite: Composite): Pick<Finding, "is" | "message"> {
  return kind === composite.kind && name === composite.name
    ? { is: "StaleController", message: `its controller is ${kind} ${name} with UID ${uid}, which its XR had before` }
    : { is: "ControlledByAnother", message: `${kind} ${name} controls it` };
}

/** Checks a resource that no XR refers to: an existing XR composed it, and nothing controls it. */
function orphanFinding(document: Document, { composers }: World): readonly Finding[] {
  if (findController(document) !== undefined || isBeingDeleted(document)) return [];
  const composer = composers.find(document);
  return composer.composites.length === 0
    ? []
    : [toFinding("Orphaned", document, composer.only, explainOrphan(composer))];
}

function explainOrphan({ composites, only }: Composer): string {
  if (only !== undefined)
    return "its XR composed it, does not refer to it any more, and nothing controls it: Crossplane will never delete it";
  const names = composites.map((one) => formatReference(toReference(one.document)));
  return names.length === 1
    ? `${names.join()} may have composed it, no XR above confirms that; none refers to it, and nothing controls it`
    : `one of ${names.join(", ")} composed it, none refers to it, and nothing controls it`;
}

/**
 * Finds copies of the connection Secrets of XRs that are gone. Only kinds that have XRs are checked: of others it is
 * unknown whether they were read.
 */
function copyFindings({ composites, labelled }: World): readonly Finding[] {
  const there = new Set(composites.map(({ document }) => resourceKey(toReference(document))));
  const kinds = new Set(composites.map(({ apiVersion, kind }) => toGroupKind(kind, toApiGroup(apiVersion))));
  return [...labelled.values()].flatMap((document) => {
    const origin = readSharedResource(document);
    if (origin === undefined || isBeingDeleted(document) || there.has(resourceKey(origin))) return [];
    if (!kinds.has(toGroupKind(origin.kind, toApiGroup(origin.apiVersion)))) return [];
    const message = `it makes a copy of the connection Secret of ${formatReference(origin)}, which is not there`;
    return [toFinding("SharedResourceGone", document, undefined, message)];
  });
}

/** Checks an XR for the condition that each reconcile sets, successful or not. */
function compositeFinding(composite: Composite, { graceMs, now }: Patience): readonly Finding[] {
  const { document } = composite;
  if (shownCondition(document, "Synced") !== undefined || isBeingDeleted(document)) return [];
  const created = Date.parse(stringAt(document, ["metadata", "creationTimestamp"]) ?? "");
  if (now - created < graceMs) return [];
  const message = "it has no condition Synced: Crossplane has never finished reconciling it";
  return [toFinding("NeverReconciled", document, composite, message)];
}
