import { toApiGroup, toGroupKind } from "../../src/crossplane/api-group.ts";
import type { Composite } from "../../src/crossplane/composite.ts";
import { readSharedResource } from "../../src/crossplane/copies.ts";
import {
  COMPOSITION_RESOURCE_NAME,
  type Controller,
  findController,
  isBeingDeleted,
} from "../../src/crossplane/metadata.ts";
import {
  formatReference,
  type Reference,
  resourceKey,
  toReference,
  toReferences,
} from "../../src/crossplane/references.ts";
import { compareTexts } from "../../src/model/collections.ts";
import { shownCondition } from "../../src/model/condition.ts";
import { type Document, stringAt } from "../../src/model/document.ts";
import { isNamesRecord } from "../../src/ownership/names.ts";
import { findHeldBack, findStrays, type Stray } from "./cloud-resources.ts";
import { type Composer, Composers } from "./composer.ts";
import { findHanging, type Hanging } from "./hanging.ts";
import { FINDINGS, type Finding, type World } from "./world.ts";

/** The age from which an XR counts as never reconciled, and the current time. */
export interface Patience {
  readonly graceMs: number;
  readonly now: number;
}

/** Finds all faults, sorted by type, XR and resource. */
export function toFindings(world: World, patience: Patience): readonly Finding[] {
  const references = world.composites.map((composite) => ({ composite, references: toReferences(composite) }));
  const referred = new Set(references.flatMap((each) => each.references.map(resourceKey)));
  const composers = new Composers(world.composites);
  const found = [
    ...references.flatMap(({ composite, references: own }) =>
      own.flatMap((reference) => referenceFinding(reference, composite, world)),
    ),
    ...[...world.labelled]
      .filter(([key]) => !referred.has(key))
      .flatMap(([, document]) => orphanFinding(document, composers)),
    ...findStrays(world, patience).map((stray) => strayFinding(stray, composers)),
    ...copyFindings(world),
    ...findHanging(world, patience).map((hanging) => strayFinding(hanging, composers)),
    ...world.composites.flatMap((composite) => compositeFinding(composite, patience)),
  ];
  return found.sort(compareFindings);
}

/** Finds the managed resources to which the removal of the tags step is a danger, sorted by XR and resource. */
export function toFindingsBeforeRemoval(world: World): readonly Finding[] {
  const composers = new Composers(world.composites);
  return findHeldBack(world)
    .map((stray) => strayFinding(stray, composers))
    .sort(compareFindings);
}

function strayFinding({ is, document, message, ...more }: Stray | Hanging, composers: Composers): Finding {
  const composer = composers.find(document);
  const composite = composer.is === "one" ? composer.composite : undefined;
  return { ...finding(is, toReference(document), composite, document, message), ...more };
}

const ORDER = Object.keys(FINDINGS);

export const compareFindings = (a: Finding, b: Finding): number =>
  ORDER.indexOf(a.is) - ORDER.indexOf(b.is) ||
  compareTexts(formatSubject(a), formatSubject(b)) ||
  compareTexts(formatReference(a.resource), formatReference(b.resource));

const formatSubject = ({ composite }: Finding): string => (composite === undefined ? "" : formatReference(composite));

/** Checks one reference of an XR: the resource exists, and the XR controls it. */
function referenceFinding(reference: Reference, composite: Composite, world: World): readonly Finding[] {
  // As for adoption: the XR composes its record anew, and Kubernetes collects one whose owner is gone.
  if (isNamesRecord(reference, composite)) return [];
  const document = documentAt(reference, world);
  if (document === undefined) return danglingFinding(reference, composite, world);
  const controller = findController(document);
  if (controller?.uid === stringAt(composite.document, UID)) return [];
  if (controller !== undefined) {
    const { is, message } = explainController(controller, composite);
    return [finding(is, reference, composite, document, message)];
  }
  if (isBeingDeleted(document)) return [];
  const message = "nothing controls it, and its XR refers to it: Crossplane adopts it if the Composition desires it";
  return [finding("Unadopted", reference, composite, document, message)];
}

const UID = ["metadata", "uid"];

function documentAt(reference: Reference, { labelled, referred }: World): Document | undefined {
  const key = resourceKey(reference);
  const found = referred.get(key);
  return labelled.get(key) ?? (found?.is === "there" ? found.document : undefined);
}

function danglingFinding(reference: Reference, composite: Composite, { referred }: World): readonly Finding[] {
  const why = referred.get(resourceKey(reference))?.is;
  // Crossplane deletes composed resources before their XR.
  if (why === "unknown" || isBeingDeleted(composite.document)) return [];
  const message =
    why === "kindMissing"
      ? "its XR refers to it, and its kind is not installed"
      : "its XR refers to it, and it is not there";
  return [finding("Dangling", reference, composite, undefined, message)];
}

function explainController({ kind, name, uid }: Controller, composite: Composite): Pick<Finding, "is" | "message"> {
  return kind === composite.kind && name === composite.name
    ? { is: "StaleController", message: `its controller is ${kind} ${name} with UID ${uid}, which its XR had before` }
    : { is: "ControlledByAnother", message: `${kind} ${name} controls it` };
}

/** Checks a resource that no XR refers to: an existing XR composed it, and nothing controls it. */
function orphanFinding(document: Document, composers: Composers): readonly Finding[] {
  if (findController(document) !== undefined || isBeingDeleted(document)) return [];
  const composer = composers.find(document);
  if (composer.is === "none") return [];
  const composite = composer.is === "one" ? composer.composite : undefined;
  return [finding("Orphaned", toReference(document), composite, document, toSentence(composer))];
}

function toSentence(composer: Exclude<Composer, { readonly is: "none" }>): string {
  if (composer.is === "one")
    return "its XR composed it, does not refer to it any more, and nothing controls it: Crossplane will never delete it";
  const [name, ...others] = composer.composites.map((one) => formatReference(toReference(one.document)));
  return others.length === 0
    ? `${name} may have composed it, no XR above confirms that; none refers to it, and nothing controls it`
    : `one of ${[name, ...others].join(", ")} composed it, none refers to it, and nothing controls it`;
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
    return [finding("SharedResourceGone", toReference(document), undefined, document, message)];
  });
}

/** Checks an XR for the condition that each reconcile sets, successful or not. */
function compositeFinding(composite: Composite, { graceMs, now }: Patience): readonly Finding[] {
  const { document } = composite;
  if (shownCondition(document, "Synced") !== undefined || isBeingDeleted(document)) return [];
  const created = Date.parse(stringAt(document, ["metadata", "creationTimestamp"]) ?? "");
  if (now - created < graceMs) return [];
  const message = "it has no condition Synced: Crossplane has never finished reconciling it";
  return [finding("NeverReconciled", toReference(document), composite, undefined, message)];
}

const finding = (
  is: Finding["is"],
  resource: Reference,
  composite: Composite | undefined,
  document: Document | undefined,
  message: string,
): Finding => ({
  is,
  resource,
  composite: composite && toReference(composite.document),
  compositionResourceName: document && stringAt(document, COMPOSITION_RESOURCE_NAME),
  message,
});
