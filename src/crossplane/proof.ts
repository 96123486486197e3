import { brief } from "../model/condition.ts";
import { type Document, stringAt } from "../model/document.ts";
import type { Composite } from "./composite.ts";
import { composerName, readComposers } from "./field-managers.ts";
import { CLAIM_NAME_LABEL, CLAIM_NAMESPACE_LABEL, COMPOSITE_LABEL, readLabel } from "./metadata.ts";

/** The answer to whether an XR composed a resource, as far as the resource proves it. */
export type Proof =
  | { readonly is: "proven" }
  | { readonly is: "unproven"; readonly because: string }
  | { readonly is: "nested"; readonly root: string }; // proven if the XR is nested below that root, as its label says

/** An XR that may have composed a resource. Read once: an XR may carry thousands of labels and owners. */
export interface PossibleComposer extends Pick<Composite, "apiVersion" | "kind" | "name"> {
  readonly uid: string | undefined;
  /** The name of the XR at the root of what composed it. */
  readonly root: string;
  readonly claimLabels: ReadonlyMap<string, string | undefined>;
  readonly fieldManager: string;
}

const CLAIM_LABELS = [CLAIM_NAME_LABEL, CLAIM_NAMESPACE_LABEL];

export function toPossibleComposer(composite: Composite): PossibleComposer {
  const { document, apiVersion, kind, name } = composite;
  return {
    apiVersion,
    kind,
    name,
    uid: stringAt(document, ["metadata", "uid"]),
    root: readLabel(document, COMPOSITE_LABEL) ?? name,
    claimLabels: new Map(CLAIM_LABELS.map((key) => [key, readLabel(document, key)])),
    fieldManager: composerName(composite),
  };
}

/**
 * Looks for the proof on the resource, never in the XR's references: whoever may edit these must not make Crossplane adopt
 * somebody else's resource (GHSA-77cv-mrm6-fr3c).
 *
 * - The field manager by which Crossplane applies what an XR composes contains the XR's name, kind and group. Where
 *   managed fields survived the restore, none of another XR may be among them.
 * - The label `crossplane.io/composite` is the XR's name. The resources of a nested XR carry the name of the XR at the root,
 *   as the nested XR does itself. That label of the XR can be edited like its references, so it counts only where the field
 *   manager confirms it, or the XRs above (`NestedComposites`).
 * - A claim's name and namespace, where they are on the resource, are on the XR too: XRs of two kinds may have one name.
 */
export function findProof(resource: Document, { name, root, claimLabels, ...composer }: PossibleComposer): Proof {
  const composers = readComposers(resource);
  const isComposedByUs = composers.includes(composer.fieldManager);
  if (composers.length > 0 && !isComposedByUs) return unproven("its managed fields name another XR as its composer");

  const found = readLabel(resource, COMPOSITE_LABEL);
  if (found !== root)
    return unproven(`its label ${COMPOSITE_LABEL} is ${brief(found ?? "not set")} instead of ${brief(root)}`);

  const label = CLAIM_LABELS.find((key) => ![undefined, claimLabels.get(key)].includes(readLabel(resource, key)));
  if (label !== undefined) return unproven(`its label ${label} differs from the XR's`);

  const isNested = root !== name;
  return isNested && !isComposedByUs ? { is: "nested", root } : { is: "proven" };
}

const unproven = (because: string): Proof => ({ is: "unproven", because });
