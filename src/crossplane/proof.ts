import { brief } from "../model/condition.ts";
import type { Document } from "../model/document.ts";
import { once } from "../model/once.ts";
import type { LookupAnswer } from "../model/requirement.ts";
import { type Composite, toComposite } from "./composite.ts";
import {
  CLAIM_NAME_LABEL,
  CLAIM_NAMESPACE_LABEL,
  COMPOSITE_LABEL,
  type Controller,
  fieldManagerOf,
  findController,
  readComposers,
  readLabel,
  readUid,
} from "./metadata.ts";
import {
  formatReference,
  isSameResource,
  type Reference,
  readReference,
  resourceKey,
  toReference,
  toReferences,
} from "./references.ts";

type Proof =
  | { readonly is: "proven" }
  | { readonly is: "unproven"; readonly because: string; readonly remedy: string } // `remedy`: what makes the proof
  | { readonly is: "nested" }; // proven if the XR is nested below the root that its label names

const CLAIM_LABELS = [CLAIM_NAME_LABEL, CLAIM_NAMESPACE_LABEL];

export type PossibleComposer = ReturnType<typeof toPossibleComposer>;

export const toPossibleComposer = (composite: Composite) => ({
  ...composite,
  uid: readUid(composite.document),
  root: toRoot(composite.document),
  claimLabels: new Map(CLAIM_LABELS.map((key) => [key, readLabel(composite.document, key)])),
  fieldManager: fieldManagerOf(composite),
});

/**
 * Finds proof that the XR composed the resource. The XR's references prove nothing: a user who may edit them could make
 * Crossplane adopt a foreign resource (GHSA-77cv-mrm6-fr3c).
 *
 * - The field manager of a composed resource is a hash of the XR's name, kind and group. If managed fields survived the
 *   restore, this XR's field manager must be among them.
 * - The label `crossplane.io/composite` must name this XR, or the root XR if this one is nested. A user can edit the
 *   label of a nested XR. So the field manager or the XRs above (`nestingBy`) must confirm it.
 * - The claim labels must equal the XR's, since XRs of two kinds may have the same name. A resource with this XR's field
 *   manager may lack them.
 */
export function findProof(resource: Document, { name, root, claimLabels, ...composer }: PossibleComposer): Proof {
  const composers = readComposers(resource);
  const isComposedByUs = composers.includes(composer.fieldManager);
  if (composers.length > 0 && !isComposedByUs)
    return notProven(
      "its managed fields name another XR as its composer",
      "replace its metadata.managedFields with [{}]",
    );

  const found = readLabel(resource, COMPOSITE_LABEL);
  if (found !== root)
    return notProven(
      `its label ${COMPOSITE_LABEL} is ${found === undefined ? "not set" : `${brief(found)} instead of ${brief(root)}`}`,
      toRemedy(root),
    );

  const isOther = (own: string | undefined, key: string): boolean =>
    own !== claimLabels.get(key) && !(own === undefined && isComposedByUs);
  const label = CLAIM_LABELS.find((key) => isOther(readLabel(resource, key), key));
  if (label !== undefined)
    return notProven(`its label ${label} differs from the XR's`, toRemedy(claimLabels.get(label)));

  const isNested = root !== name;
  return isNested && !isComposedByUs ? { is: "nested" } : { is: "proven" };
}

const toRemedy = (label: string | undefined): string =>
  label === undefined ? "remove that label" : `set that label to ${brief(label)}`;

const notProven = (because: string, remedy: string): Proof => ({ is: "unproven", because, remedy });

/** The proof that an XR is nested below the root that its label names. */
export type Nesting =
  | { readonly is: "proven" }
  | { readonly is: "unconfirmed"; readonly root: string; readonly because: string }
  | { readonly is: "pending" };

/** The most XRs looked up above one: each takes a call, and Crossplane makes at most six in a reconcile. */
const MAX_LEVELS = 4;

/** Looks up an object. Crossplane finds a cluster-scoped object whatever the reference's namespace is. */
type LookUp = (reference: Reference) => LookupAnswer;

/**
 * Makes the function that confirms the root that a nested XR's label names, by following the controllers upwards.
 *
 * A user who may write an XR's metadata can set any label and any controller. So each controller must exist with the UID
 * of the owner reference, and must refer to the nested XR. Crossplane removes references to resources that the controller
 * does not compose.
 */
export function nestingBy(lookUp: LookUp): (composite: Document) => Nesting {
  const climbFrom = once((nested: Document) => climb(nested, lookUp));
  const confirm = (nested: Document, level: number): Nesting => {
    const root = toRoot(nested);
    if (level === MAX_LEVELS)
      return unconfirmed(nested, `${brief(root)} is more than ${MAX_LEVELS} XRs above this one`);
    const step = climbFrom(nested);
    if (step.is !== "found") return step;
    const { composer } = step;
    if (toRoot(composer) !== root)
      return unconfirmed(nested, `${describeComposite(composer)} is not below ${brief(root)}`);
    return toReference(composer).name === root ? { is: "proven" } : confirm(composer, level + 1);
  };
  return (composite) => confirm(composite, 0);
}

/** Finds the XR that controls a nested XR and refers to it, or the reason why there is none. */
function climb(nested: Document, lookUp: LookUp): Nesting | { readonly is: "found"; readonly composer: Document } {
  const controller = findController(nested);
  if (controller === undefined) return unconfirmed(nested, `${describeComposite(nested)} has no controller`);
  const reference = toCompositeReference(controller, nested);
  if (reference === undefined)
    return unconfirmed(nested, `the controller of ${describeComposite(nested)} is not an XR`);

  const answer = lookUp(reference);
  if (answer.is === "pending") return { is: "pending" };
  // The reference has the nested XR's namespace, which is not compared with a cluster-scoped controller's: that has none.
  const composer = answer.items.find((item) => {
    const found = toReference(item);
    return isSameResource(found, { ...reference, namespace: found.namespace && reference.namespace });
  });
  const described = `${brief(formatReference(reference))}, the controller of ${describeComposite(nested)},`;
  if (composer === undefined) return unconfirmed(nested, `${described} does not exist`);
  if (readUid(composer) !== controller.uid) return unconfirmed(nested, `${described} has another UID`);
  if (!keysReferredBy(composer).has(resourceKey(toReference(nested))))
    return unconfirmed(nested, `${described} does not refer to that XR`);
  return { is: "found", composer };
}

/** Makes the keys of the resources to which an XR refers. Cached for all XRs nested in it. */
const keysReferredBy = once(
  (composer: Document): ReadonlySet<string> => new Set(toReferences(toComposite(composer)).map(resourceKey)),
);

/** Reads the name of the XR at the root of an XR's tree, once: a team may write thousands of labels. */
export const toRoot = once(
  (composite: Document): string => readLabel(composite, COMPOSITE_LABEL) ?? toReference(composite).name,
);

const describeComposite = (composite: Document): string => brief(formatReference(toReference(composite)));
function unconfirmed(nested: Document, because: string): Nesting {
  return { is: "unconfirmed", root: toRoot(nested), because };
}

/**
 * Makes a reference to a nested XR's controller, which is in the same namespace or cluster-scoped. Undefined for a built-in
 * kind, whose API group has no dot: a team could otherwise make Crossplane watch, and keep in memory, all Pods, for example.
 */
function toCompositeReference({ apiVersion, kind, name }: Controller, nested: Document): Reference | undefined {
  const [group = "", version = "", ...more] = apiVersion.split("/", 3);
  if (!group.includes(".") || version === "" || more.length > 0 || kind === "") return undefined;
  return readReference({ apiVersion, kind, name, namespace: toReference(nested).namespace ?? null });
}
