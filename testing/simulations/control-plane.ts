import { readAnnotation } from "../../src/crossplane/metadata.ts";
import { compareEntries } from "../../src/model/collections.ts";
import { documentOf } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { objectSetBy } from "../builders/read-draft.ts";
import { callUntilStable, type Outcome, type Parts, type Requirements } from "./calls.ts";
import { controllerOf, type Kind, kindOf, lookUpIn, metadataOf, type Name, nameOf, objectIn, Store } from "./store.ts";

/** A state that must never occur. */
export class Violation extends Error {}

/** Objects by their names in the Composition. */
export type Objects = ReadonlyMap<string, JsonObject>;

/** An XR, and what Crossplane keeps of it from one reconcile to the next. */
export interface Xr {
  /** Changes when the XR is made anew. */
  uid: string;
  references: readonly (Kind & Name)[];
  required: Requirements;
  conditions: readonly JsonObject[];
}

export const NEW_XR = { references: [], required: new Map(), conditions: [] } as const;

/** The point at which a reconcile is cut off. `stepFails`: before all else, also where a kind is not installed. */
export type Cut = "none" | "stepFails" | "beforeReferences" | "beforeApply" | "afterOne";

export const COMPOSED_AS = "crossplane.io/composition-resource-name";

export const composedAs = (object: JsonObject): string => readAnnotation(documentOf(object), COMPOSED_AS) ?? "";

/**
 * The part of Crossplane's reconcile that composes (composition_functions.go: observe, call, collect garbage, write references, apply),
 * with the real pipeline in the function's place.
 */
export abstract class ControlPlane<X extends Xr> {
  readonly store = new Store();
  #made = 0;

  /** The XR as the API server shows it. */
  abstract show(xr: X): JsonObject;

  /** The labels of all that the XR composes. */
  protected abstract labelsOf(xr: X): JsonObject;

  /** The resources that the XR refers to, that nobody else controls and that say what they are composed as. */
  observe({ references, uid }: X): Objects {
    const found = references.flatMap<JsonObject>((reference) => this.store.get(reference, reference) ?? []);
    const own = found.filter((object) => (controllerOf(object) ?? uid) === uid && composedAs(object) !== "");
    return new Map(own.map((object) => [composedAs(object), object]));
  }

  /** Calls the function until it requires nothing new. */
  protected call(xr: X, observed: Objects, parts: Pick<Parts, "input" | "desired"> & Partial<Parts>): Outcome {
    const lookUp = lookUpIn(this.store.everything);
    const own = { xr: this.show(xr), observed: Object.fromEntries(observed), before: xr.required };
    const outcome = callUntilStable({ ...own, lookUp, ...parts });
    if (outcome.is === "done") xr.required = outcome.draft.requirements;
    return outcome;
  }

  /** Collects what is not desired, writes the references, and applies what is desired. */
  protected apply(xr: X, observed: Objects, desired: Objects, cut: Cut = "none"): void {
    for (const [key, object] of observed) if (!desired.has(key)) this.remove(object, xr);
    if (cut === "beforeReferences") return;
    const applied = [...desired].map(([key, object]) => this.toApplied(xr, key, object, observed.get(key)));
    xr.references = applied.map((object) => ({ ...kindOf(object), ...nameOf(object) }));
    const own = applied.filter((object) => !this.#isOthers(object, xr));
    const count = cut === "beforeApply" ? 0 : cut === "afterOne" ? 1 : own.length;
    for (const object of own.slice(0, count)) this.put(object, xr);
  }

  /** The API server refuses a second controller; what has none, server-side apply takes over. */
  #isOthers(object: JsonObject, { uid }: X): boolean {
    const there = this.store.get(kindOf(object), nameOf(object));
    return there !== undefined && (controllerOf(there) ?? uid) !== uid;
  }

  /** The object as it will be: with the metadata that Crossplane and the API server fill in. */
  protected toApplied(xr: X, key: string, object: JsonObject, before: JsonObject | undefined): JsonObject {
    const { namespace } = nameOf(this.show(xr));
    const metadata = metadataOf(object);
    // A name that something has already: server-side apply keeps its uid.
    const named = before ?? this.store.get(kindOf(object), { name: String(metadata["name"]), namespace });
    const known = metadataOf(named ?? {});
    const { deletionTimestamp } = known;
    const made = String(++this.#made).padStart(9, "0");
    return {
      ...object,
      metadata: {
        ...metadata,
        name: known["name"] ?? metadata["name"] ?? `composed-${made}`,
        uid: known["uid"] ?? `uid-${made}`,
        creationTimestamp: known["creationTimestamp"] ?? made,
        ...(namespace !== undefined && { namespace }),
        annotations: { ...objectIn(metadata, "annotations"), [COMPOSED_AS]: key },
        labels: { ...objectIn(metadata, "labels"), ...this.labelsOf(xr) },
        ownerReferences: this.controlledBy(xr),
        ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      },
      ...(named?.["status"] !== undefined && { status: named["status"] }),
    };
  }

  protected controlledBy(xr: X): readonly JsonObject[] {
    const shown = this.show(xr);
    return [{ ...kindOf(shown), name: nameOf(shown).name, uid: xr.uid, controller: true }];
  }

  protected put(object: JsonObject, _xr: X): void {
    this.store.put(object);
  }

  /** Deletes what the XR has composed. */
  protected remove(object: JsonObject, _xr: X): void {
    this.store.delete(kindOf(object), nameOf(object));
  }

  /** The XR goes; Kubernetes collects what it controls, whether the XR refers to it or not. */
  deleteXr(xr: X): void {
    for (const object of this.store.everything) if (controllerOf(object) === xr.uid) this.remove(object, xr);
    Object.assign(xr, NEW_XR);
  }
}

/** The composed resources that a draft desires, with those of the steps before, as they will be applied: sorted by name. */
export function desiredBy({ resources }: Draft, before: Readonly<Record<string, JsonObject>> = {}): Objects {
  const desired = new Map(Object.entries(before));
  for (const [key, edit] of resources) {
    const object = edit.is === "set" ? (objectSetBy(edit) ?? desired.get(key)) : undefined;
    if (object === undefined) desired.delete(key);
    else desired.set(key, object);
  }
  return new Map([...desired].sort(compareEntries));
}

export const shownConditions = ({ conditions }: Draft): readonly JsonObject[] =>
  conditions.map(({ target: _, message = "", ...rest }) => ({ ...rest, message }));
