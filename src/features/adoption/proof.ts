import { createHash } from "node:crypto";
import type { Composite } from "../../model/composite.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { isObject } from "../../model/json.ts";
import { isControlled } from "./controller.ts";

/** Crossplane puts the name of the XR at the root of a tree of XRs on each resource of the tree, and on nested XRs. */
export const COMPOSITE_LABEL = "crossplane.io/composite";

const CLAIM_LABELS = ["crossplane.io/claim-name", "crossplane.io/claim-namespace"];

/** Before the hash of who composed it: `ComposedFieldOwnerName` in Crossplane's composition_functions.go. */
const MANAGER = "apiextensions.crossplane.io/composed/";

/** Whether an XR composed a resource, as far as that can be told. */
export type Proof =
  | { readonly is: "proven" }
  | { readonly is: "unproven"; readonly because: string }
  | { readonly is: "untold"; readonly root: string }; // the XR itself has to be adopted first

/**
 * The proof lies on the resource, never in the XR's references: whoever may edit these must not make Crossplane adopt
 * somebody else's resource (GHSA-77cv-mrm6-fr3c).
 *
 * - The field manager by which Crossplane applies what an XR composes has the XR's name, kind and group in it. Where
 *   managed fields survived the restore, there must be none of another XR.
 * - The label `crossplane.io/composite` is the XR's name. The resources of a nested XR carry the name of the XR at the root,
 *   as the nested XR does itself. That label of the XR can be edited like its references, so it counts only for an XR that
 *   is controlled, or where the field manager confirms it.
 * - A claim's name and namespace, where they are on the resource, are on the XR too: XRs of two kinds may have one name.
 */
export function proofOf(resource: Document, composite: Composite): Proof {
  const managers = composersOf(resource);
  const isManagedByUs = managers.includes(managerOf(composite));
  if (managers.length > 0 && !isManagedByUs) return unproven("its managed fields name another XR as its composer");

  const root = stringAt(composite.document, label(COMPOSITE_LABEL)) ?? composite.name;
  const found = stringAt(resource, label(COMPOSITE_LABEL));
  if (found !== root) return unproven(`its label ${COMPOSITE_LABEL} is ${found ?? "not set"}, and not ${root}`);

  const claim = CLAIM_LABELS.find((key) => !isOfTheSame(resource, composite, key));
  if (claim !== undefined) return unproven(`its label ${claim} is not the XR's`);

  const isNested = root !== composite.name;
  return isNested && !isManagedByUs && !isControlled(composite.document) ? { is: "untold", root } : { is: "proven" };
}

/** Whether the resource has no such label, or the XR's. */
function isOfTheSame(resource: Document, composite: Composite, key: string): boolean {
  const found = stringAt(resource, label(key));
  return found === undefined || found === stringAt(composite.document, label(key));
}

const unproven = (because: string): Proof => ({ is: "unproven", because });

const label = (key: string): readonly string[] => ["metadata", "labels", key];

function composersOf(resource: Document): readonly string[] {
  const entries = resource.at(["metadata", "managedFields"]);
  if (!Array.isArray(entries)) return [];
  return entries
    .filter(isObject)
    .map(({ manager }) => String(manager))
    .filter((manager) => manager.startsWith(MANAGER));
}

export function managerOf({ apiVersion, kind, name }: Pick<Composite, "apiVersion" | "kind" | "name">): string {
  const [group] = apiVersion.includes("/") ? apiVersion.split("/") : [];
  const groupKind = group === undefined ? kind : `${kind}.${group}`;
  return `${MANAGER}${createHash("sha256").update(`${name}${groupKind}`).digest("hex")}`;
}
