import { qualifiedName, readAnnotation } from "../crossplane/metadata.ts";
import { shownCondition } from "../model/condition.ts";
import { type Document, objectsAt, stringAt } from "../model/document.ts";
import { type Draft, withObject } from "../model/draft.ts";
import { hashText } from "../model/hash.ts";
import { toPlainText } from "../model/json.ts";
import { DOMAIN } from "../model/names.ts";

export const XRD = { apiVersion: "apiextensions.crossplane.io/v2", kind: "CompositeResourceDefinition" } as const;

/** A CompositeResourceDefinition (XRD), and the kind of XR that it defines. */
interface Definition {
  readonly name: string;
  /** The referenceable API version of its XRs. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly document: Document;
}

/** Reads an XRD; undefined until its XRs are served, because requiring them would fail the whole Operation. */
export function toDefinition(document: Document): Definition | undefined {
  const name = stringAt(document, ["metadata", "name"]);
  const group = stringAt(document, ["spec", "group"]);
  const kind = stringAt(document, ["spec", "names", "kind"]);
  const version = objectsAt(document, ["spec", "versions"]).find(({ referenceable }) => referenceable === true);
  const isEstablished = shownCondition(document, "Established")?.status === "True";
  if (!isEstablished || name === undefined || group === undefined || kind === undefined || version === undefined)
    return undefined;
  return { name, apiVersion: `${group}/${toPlainText(version["name"])}`, kind, document };
}

/** Annotation of an XRD: a hash of the XRs for which it was nudged. */
export const NUDGED_FOR = `${DOMAIN}/nudged-for`;

/** An XRD, and those of its XRs that Crossplane has never reconciled. */
export interface JudgedDefinition {
  readonly definition: Definition;
  /** StillNotReconciled: a nudge for these XRs did not help. */
  readonly is: "Reconciled" | "NeverReconciled" | "StillNotReconciled";
  readonly composites: readonly string[];
  readonly nudgedFor: string;
}

/**
 * Finds the XRs that Crossplane has never reconciled. Every completed reconcile sets the condition `Synced`, so an XR without it was
 * just created, its function does not answer, or the watch of its kind has ended (crossplane#5400).
 *
 * An XR that was just created counts too, because a function has no clock; nudging its XRD is harmless. The nudge's value is a hash
 * of the XRs' UIDs, so an XRD is nudged once for the same XRs. If that did not help, an operator has to look.
 */
export function judgeReconciles(definition: Definition, all: readonly Document[]): JudgedDefinition {
  const never = all.filter((composite) => shownCondition(composite, "Synced") === undefined);
  const uids = never.map((composite) => stringAt(composite, ["metadata", "uid"]) ?? qualifiedName(composite));
  const nudgedFor = hashText(uids.sort().join(), 16);
  const isNudged = readAnnotation(definition.document, NUDGED_FOR) === nudgedFor;
  const state = isNudged ? "StillNotReconciled" : "NeverReconciled";
  const is = never.length === 0 ? "Reconciled" : state;
  return { definition, is, composites: never.map(qualifiedName).sort(), nudgedFor };
}

/** Nudges XRDs by an annotation; server-side apply leaves the rest of the XRD unchanged. */
export const withNudges = (draft: Draft, judged: readonly JudgedDefinition[]): Draft =>
  judged
    .filter(({ is }) => is === "NeverReconciled")
    .reduce((nudging, { definition: { name }, nudgedFor }) => {
      const metadata = { name, annotations: { [NUDGED_FOR]: nudgedFor } };
      return withObject(nudging, `nudge/${name}`, { ...XRD, metadata });
    }, draft);
