import type { Call } from "../../src/features/feature.ts";
import { parseInput } from "../../src/input/parse.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { inputOf } from "../builders/sharing.ts";
import { callPipeline, isFatal } from "./cluster-call.ts";
import { bucketOf, type Composed, compositeOf, type Flavour, rootOf, UID } from "./cluster-objects.ts";

/**
 * A small model of a cluster with one XR in it: as much of Crossplane's reconcile as decides what becomes of composed
 * resources (composition_functions.go: observe, call, collect garbage, write references, apply), with the real pipeline
 * in the function's place.
 */

/** What Crossplane does with an observed resource that is not desired and that nobody controls. */
export type Collector =
  | "deletes" // v1.15.5 to v2.3
  | "forgets"; // v1.16.0, v2.4

/** Where a reconcile is cut off: before it has written the references, before it applies, after it has applied one. */
export type Cut = "none" | "stepFails" | "beforeReferences" | "beforeApply" | "afterOne";

const inputs = {
  with: parseInput(inputOf({ adoption: {} })),
  without: parseInput(inputOf({})),
};

/** What must never happen. */
export class Violation extends Error {}

export class Cluster {
  readonly #collector: Collector;
  readonly #flavour: Flavour;
  readonly #input: Call["input"];
  readonly #backup: ReadonlyMap<string, Composed>;
  /** Resources by their names. */
  readonly resources = new Map<string, Composed>();
  /** Composed resource names that the Composition desires. */
  desired: ReadonlySet<string>;
  /** Whether the kind of the composed resources is installed. */
  hasProvider = true;
  /** Whether the XR, if it is nested, is adopted itself. */
  isAdopted = false;
  #references: readonly string[] | undefined;
  #hasWrittenReferences = false;
  #conditions: readonly JsonObject[] = [];
  #created = 0;

  /** Everything is lost; there is a backup of the XR and of these resources, which it had composed. */
  constructor(options: {
    readonly collector: Collector;
    readonly flavour: Flavour;
    readonly composed: readonly string[];
    readonly desired: readonly string[];
    readonly isGuarded: boolean;
  }) {
    this.#collector = options.collector;
    this.#flavour = options.flavour;
    this.#input = options.isGuarded ? inputs.with : inputs.without;
    this.desired = new Set(options.desired);
    const root = rootOf(options.flavour);
    const composed = options.composed.map(
      (composedAs) => [`${root}-${composedAs}`, { composedAs, root, controller: undefined }] as const,
    );
    this.#backup = new Map(composed);
  }

  get references(): readonly string[] {
    return this.#references ?? [];
  }

  get backedUp(): readonly string[] {
    return [...this.#backup.keys()];
  }

  restoreComposite(): void {
    this.#references ??= [...this.#backup.keys()];
  }

  /** @param index of the resource in the backup; each comes back once. */
  restoreResource(index: number, controller?: string): void {
    const [name, composed] = [...this.#backup][index] ?? [];
    if (name === undefined || composed === undefined || this.#restored.has(name)) return;
    this.#restored.add(name);
    this.resources.set(name, { ...composed, controller });
  }
  readonly #restored = new Set<string>();

  /** Somebody else's resource, that nobody controls, and that a user makes the XR refer to. */
  addForeign(name: string): void {
    if (this.#references === undefined || this.resources.has(name)) return;
    this.resources.set(name, { composedAs: name, root: "other", controller: undefined });
    this.#references = [...this.#references, name];
  }

  removeReference(name: string): void {
    this.#references = this.#references?.filter((reference) => reference !== name);
  }

  /** The owner references of a resource that was restored with those of the backup are removed by hand. */
  removeStaleController(name: string): void {
    const resource = this.resources.get(name);
    if (resource !== undefined && resource.controller !== UID) this.#control(name, resource, undefined);
  }

  /** Somebody deletes a resource by hand, for Crossplane to make it anew. */
  deleteByHand(name: string): void {
    this.resources.delete(name);
  }

  isControlled(name: string): boolean {
    return this.resources.get(name)?.controller === UID;
  }

  /** One reconcile of the XR. @param meanwhile what happens after Crossplane has observed, and before it calls. */
  reconcile(cut: Cut = "none", meanwhile: () => void = () => {}): void {
    if (this.#references === undefined) return;
    const isKindMissing = !this.hasProvider && this.#references.length > 0; // "no matches for kind"
    if (cut === "stepFails" || isKindMissing) {
      this.#show([], "False");
      return;
    }
    const observed = this.#observe();
    meanwhile();
    const draft = this.#call(observed);
    if (isFatal(draft)) {
      this.#show(draft.conditions, "False");
      return;
    }
    this.#apply(this.#collect(observed, this.#desiredBy(draft)), observed, cut, draft);
  }

  /** What is referred to, and not somebody else's. */
  #observe(): ReadonlyMap<string, string> {
    const observed = new Map<string, string>();
    for (const name of this.references) {
      const resource = this.resources.get(name);
      const isForeign = resource?.controller !== undefined && resource.controller !== UID;
      if (resource !== undefined && !isForeign) observed.set(resource.composedAs, name);
    }
    return observed;
  }

  #call(observed: ReadonlyMap<string, string>): Draft {
    return callPipeline({
      xr: this.#composite(),
      input: this.#input,
      observed: Object.fromEntries([...observed].map(([composedAs, name]) => [composedAs, this.#objectOf(name)])),
      desired: Object.fromEntries([...this.desired].map((composedAs) => [composedAs, {}])),
      find: (name) => (this.resources.has(name) ? this.#objectOf(name) : undefined),
    });
  }

  #desiredBy(draft: Draft): ReadonlySet<string> {
    const put = [...draft.resources].filter(([, edit]) => edit.is === "set").map(([name]) => name);
    return new Set([...this.desired, ...put]);
  }

  /** @returns the names of what is desired: the observed ones', and new ones. */
  #collect(observed: ReadonlyMap<string, string>, desired: ReadonlySet<string>): readonly string[] {
    for (const [composedAs, name] of observed) {
      if (desired.has(composedAs)) continue;
      const resource = this.resources.get(name);
      if (resource?.controller === undefined && this.#collector === "forgets") continue;
      if (resource?.controller === undefined) throw new Violation(`${name} is deleted while nobody controls it`);
      this.resources.delete(name);
    }
    return [...desired].sort().map((composedAs) => observed.get(composedAs) ?? this.#generateName(composedAs));
  }

  #generateName(composedAs: string): string {
    const name = `new-${composedAs}-${this.#created++}`;
    this.#names.set(name, composedAs);
    return name;
  }
  readonly #names = new Map<string, string>();

  #apply(names: readonly string[], observed: ReadonlyMap<string, string>, cut: Cut, draft: Draft): void {
    if (cut === "beforeReferences") return;
    this.#references = names;
    this.#hasWrittenReferences = true;
    if (cut === "beforeApply") return;
    const composedAs = new Map([...observed].map(([key, name]) => [name, key]));
    for (const name of names) {
      this.#applyOne(name, composedAs.get(name) ?? this.#names.get(name) ?? "");
      if (cut === "afterOne") return;
    }
    this.#show(draft.conditions, "True");
  }

  /** Server-side apply creates what is not there, and makes the XR the controller of what has none. */
  #applyOne(name: string, composedAs: string): void {
    const root = rootOf(this.#flavour);
    const resource = this.resources.get(name) ?? { composedAs, root, controller: undefined };
    if (resource.root !== root) throw new Violation(`${name} is somebody else's, and was adopted`);
    this.#control(name, resource, resource.controller ?? UID);
  }

  #control(name: string, resource: Composed, controller: string | undefined): void {
    this.resources.set(name, { ...resource, controller });
  }

  #show(conditions: Draft["conditions"], synced: string): void {
    const time = { lastTransitionTime: "2026-01-03T00:00:00Z" };
    const shown = conditions.map(({ type, status, reason, message = "" }) => ({
      type,
      status,
      reason,
      message,
      ...time,
    }));
    this.#conditions = [...shown, { type: "Synced", status: synced, ...time }];
  }

  #composite(): JsonObject {
    return compositeOf({
      flavour: this.#flavour,
      references: this.references,
      hasWrittenReferences: this.#hasWrittenReferences,
      isAdopted: this.isAdopted,
      conditions: this.#conditions,
    });
  }

  #objectOf(name: string): JsonObject {
    const resource = this.resources.get(name);
    if (resource === undefined) throw new Error(`there is no ${name}`);
    return bucketOf(name, resource, this.#flavour);
  }
}
