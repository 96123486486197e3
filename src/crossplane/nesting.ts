import { brief } from "../model/condition.ts";
import { type Document, stringAt } from "../model/document.ts";
import type { Answer } from "../model/requirement.ts";
import { toApiGroup } from "./api-group.ts";
import { toComposite } from "./composite.ts";
import { type Controller, findController } from "./controller.ts";
import { COMPOSITE_LABEL, readLabel } from "./metadata.ts";
import {
  formatReference,
  type Reference,
  readReference,
  resourceKey,
  toReference,
  toReferences,
} from "./references.ts";

/** The answer to whether an XR is nested below the XR at the root that its label names. */
export type Nesting = { readonly is: "confirmed" } | Unconfirmed | { readonly is: "pending" };

interface Unconfirmed {
  readonly is: "unconfirmed";
  readonly because: string;
}

/** How many XRs are looked up above one: each takes a call, and Crossplane makes six in a reconcile. */
const MAX_LEVELS = 4;

/** Looks up an object; a cluster-scoped one is found with any namespace, as Crossplane finds it. */
type LookUp = (reference: Reference) => Answer;

/** The XR that composed a nested one, or why there is none. */
type Step = Unconfirmed | { readonly is: "pending" } | { readonly is: "found"; readonly composer: Document };

/**
 * XRs that may be nested, and those that control them. Whoever may write an XR's metadata can give it any label and any
 * controller. So a controller counts only if it is there with the UID of the owner reference, and refers to the XR itself: its
 * references are in another object, and Crossplane removes those to what it does not compose. The controller is the XR at the root,
 * or it is confirmed in the same way.
 */
export class NestedComposites {
  readonly #lookUp: LookUp;
  /** Each XR is read once, although many may be nested in it. */
  readonly #steps = new Map<Document, Step>();
  readonly #referred = new Map<Document, ReadonlySet<string>>();

  constructor(lookUp: LookUp) {
    this.#lookUp = lookUp;
  }

  /** Climbs from an XR to the one that its label names. A controller that is not looked up yet makes it `pending`. */
  confirm(composite: Document): Nesting {
    const root = toRoot(composite);
    let nested = composite;
    for (let level = 0; level < MAX_LEVELS; level++) {
      const step = this.#steps.get(nested) ?? this.#climb(nested);
      this.#steps.set(nested, step);
      if (step.is !== "found") return step;
      if (toRoot(step.composer) !== root) return unconfirmed(`${describe(step.composer)} is not below ${brief(root)}`);
      if (nameOf(step.composer) === root) return { is: "confirmed" };
      nested = step.composer;
    }
    return unconfirmed(`${brief(root)} is more than ${MAX_LEVELS} XRs above this one`);
  }

  #climb(nested: Document): Step {
    const controller = findController(nested);
    if (controller === undefined) return unconfirmed(`${describe(nested)} has no controller`);
    const reference = toCompositeReference(controller, nested);
    if (reference === undefined) return unconfirmed(`the controller of ${describe(nested)} is not an XR`);

    const answer = this.#lookUp(reference);
    if (answer.is === "pending") return { is: "pending" };
    const composer = answer.items.find((item) => isSame(toReference(item), reference));
    const described = `${brief(formatReference(reference))}, the controller of ${describe(nested)},`;
    if (composer === undefined) return unconfirmed(`${described} does not exist`);
    if (stringAt(composer, UID) !== controller.uid) return unconfirmed(`${described} has another UID`);
    if (!this.#refersTo(composer, nested)) return unconfirmed(`${described} does not refer to it`);
    return { is: "found", composer };
  }

  #refersTo(composer: Document, nested: Document): boolean {
    const referred = this.#referred.get(composer) ?? new Set(toReferences(toComposite(composer)).map(resourceKey));
    this.#referred.set(composer, referred);
    return referred.has(resourceKey(toReference(nested)));
  }
}

const UID = ["metadata", "uid"];

const nameOf = (composite: Document): string => toReference(composite).name;
const toRoot = (composite: Document): string => readLabel(composite, COMPOSITE_LABEL) ?? nameOf(composite);
const describe = (composite: Document): string => brief(formatReference(toReference(composite)));
const unconfirmed = (because: string): Unconfirmed => ({ is: "unconfirmed", because });

/**
 * The controller as it can be looked up: in the namespace of what it controls, or cluster-scoped. An XR is a custom resource, whose
 * API group contains a dot; other kinds are not looked up, or a team could have Crossplane read all Pods.
 */
function toCompositeReference({ apiVersion, kind, name }: Controller, nested: Document): Reference | undefined {
  const [group = "", version = "", ...more] = apiVersion.split("/", 3);
  if (!group.includes(".") || version === "" || more.length > 0 || kind === "") return undefined;
  return readReference({ apiVersion, kind, name, namespace: toReference(nested).namespace ?? null });
}

/** Tells whether it is the object that was looked up, in any version of its kind. */
const isSame = (found: Reference, { apiVersion, kind, name, namespace }: Reference): boolean =>
  toApiGroup(found.apiVersion) === toApiGroup(apiVersion) &&
  found.kind === kind &&
  found.name === name &&
  (found.namespace === undefined || found.namespace === namespace);
