import type { Call } from "../../src/features/feature.ts";
import { parseInput } from "../../src/input/parse.ts";
import { compareEntries } from "../../src/model/collections.ts";
import { documentOf, stringAt } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { inputOf } from "../builders/sharing.ts";
import { callPipeline, isFatal } from "./cluster-call.ts";
import { bucketOf, type Composed, compositeOf, type Flavour, rootComposite, rootOf, UID } from "./cluster-objects.ts";

/**
 * A small model of a cluster with one XR in it: the part of Crossplane's reconcile that creates, adopts and deletes composed
 * resources (composition_functions.go: observe, call, collect garbage, write references, apply), with the real pipeline
 * in the function's place.
 */

/** Crossplane's treatment of an observed resource that is not desired and that nobody controls. */
export type Collector =
  | "deletes" // v1.15.5 to v2.3
  | "forgets"; // v1.16.0, v2.4

/** The point at which a reconcile is cut off: before it writes the references, before it applies, after it has applied one. */
export type Cut = "none" | "stepFails" | "beforeReferences" | "beforeApply" | "afterOne";

const BUCKET = { apiVersion: "cloud.example.org/v1", kind: "Bucket" };

const inputs = { with: parseInput(inputOf({ adoption: {} })), without: parseInput(inputOf({})) };

/** A breach of the property: a resource is lost, deleted before it is adopted, created twice, or taken from another owner. */
export class Violation extends Error {}

export class Cluster {
  readonly #collector: Collector;
  readonly #flavour: Flavour;
  readonly #input: Call["input"];
  readonly #backup: ReadonlyMap<string, Composed>;
  /** The resources in the cluster, by name. */
  readonly resources = new Map<string, Composed>();
  /** The composed resource names that the Composition desires. */
  desired: ReadonlySet<string>;
  /** True if the kind of the composed resources is installed. */
  hasProvider = true;
  /** True if the XR is nested and its own XR controls it. */
  isAdopted = false;
  #references: readonly string[] | undefined;
  #writer: "crossplane" | "velero" | undefined;
  #conditions: readonly JsonObject[] = [];
  #created = 0;

  /** Begins with an empty cluster, and a backup of the XR and of the resources that it had composed. */
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

  /** Crossplane makes the XR anew from its claim (no claim makes a nested one), which is restored after all that was composed for it, without controllers. */
  makeComposite(): void {
    const isStale = [...this.resources.values()].some(({ controller }) => controller !== undefined);
    const isWhole = this.#restored.size === this.#backup.size && !isStale;
    if (this.#references !== undefined || !isWhole || this.#flavour === "nested") return;
    this.#references = [];
  }

  /** Restores over what lives: what is missing comes back, and the XR's references are set to those of the backup. */
  restoreOver(): void {
    if (this.#references === undefined || this.#flavour === "nested") return;
    for (const [name, composed] of this.#backup) {
      this.#restored.add(name);
      if (!this.resources.has(name)) this.resources.set(name, composed);
    }
    this.#references = this.backedUp;
    this.#writer = "velero";
  }

  /** Does what the condition `Duplicated` asks for. */
  chooseOnes(): void {
    if (!this.#conditions.some(({ reason }) => reason === "Duplicated")) return;
    const chosen = new Set<string>();
    for (const [name, { composedAs, root }] of [...this.resources].reverse()) {
      if (root === rootOf(this.#flavour) && chosen.has(composedAs)) this.deleteByHand(name);
      chosen.add(composedAs);
    }
  }

  /** @param index the resource's index in the backup, if there is one; each is restored once. */
  restoreResource(index: number | undefined, controller?: string): void {
    const [name, composed] = [...this.#backup][index ?? -1] ?? [];
    if (name === undefined || composed === undefined || this.#restored.has(name)) return;
    this.#restored.add(name);
    this.resources.set(name, { ...composed, controller });
  }
  readonly #restored = new Set<string>();

  /** Adds a resource of another owner that nobody controls, and a reference to it that a user writes into the XR. */
  addForeign(name: string): void {
    if (this.#references === undefined || this.resources.has(name)) return;
    this.resources.set(name, { composedAs: name, root: "other", controller: undefined });
    this.#references = [...this.#references, name];
  }

  removeReference(name: string): void {
    this.#references = this.#references?.filter((reference) => reference !== name);
  }

  /** Removes by hand the owner references with which a resource was restored from the backup. */
  removeStaleController(name: string): void {
    const resource = this.resources.get(name);
    if (resource !== undefined && resource.controller !== UID) this.#control(name, resource, undefined);
  }

  /** Deletes a resource by hand, for Crossplane to create it again. */
  deleteByHand(name: string): void {
    this.resources.delete(name);
  }

  isControlled(name: string): boolean {
    return this.resources.get(name)?.controller === UID;
  }

  /**
   * Reconciles the XR once.
   *
   * @param meanwhile runs after Crossplane has observed and before it calls the function.
   */
  reconcile(cut: Cut = "none", meanwhile: () => void = () => {}): void {
    if (this.#references === undefined) return;
    // A kind that no step desires is not looked for (docs/restore.md).
    const areLost = this.#references.length === 0 || this.#writer === "velero";
    if (areLost && this.#restored.size > 0 && this.desired.size === 0) return;
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

  /** The names of the resources that the XR refers to and that nobody else controls, by composed resource name. */
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
      desired: Object.fromEntries([...this.desired].map((composedAs) => [composedAs, BUCKET])),
      find: (name) => this.#find(name),
      list: () => [...this.resources.keys()].map((name) => this.#objectOf(name)),
    });
  }

  /** The desired resources, and the names that they are desired by. */
  #desiredBy(draft: Draft): ReadonlyMap<string, string | undefined> {
    const put = [...draft.resources].flatMap(([name, edit]): (readonly [string, string | undefined])[] => {
      if (edit.is !== "set") return [];
      const object = edit.document ?? documentOf(edit.object ?? {});
      return [[name, stringAt(object, ["metadata", "name"])]];
    });
    return new Map([...[...this.desired].map((name) => [name, undefined] as const), ...put]);
  }

  /**
   * Deletes or forgets the observed resources that are not desired.
   *
   * @returns the names of the desired resources: those of observed ones, and new ones.
   */
  #collect(observed: ReadonlyMap<string, string>, desired: ReadonlyMap<string, string | undefined>): readonly string[] {
    for (const [composedAs, name] of observed) {
      if (desired.has(composedAs)) continue;
      const resource = this.resources.get(name);
      if (resource?.controller === undefined && this.#collector === "forgets") continue;
      if (resource?.controller === undefined) throw new Violation(`${name} is deleted while nobody controls it`);
      this.resources.delete(name);
    }
    return [...desired]
      .sort(compareEntries)
      .map(([composedAs, name]) => observed.get(composedAs) ?? name ?? this.#generateName(composedAs));
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
    this.#writer = "crossplane";
    if (cut === "beforeApply") return;
    const composedAs = new Map([...observed].map(([key, name]) => [name, key]));
    for (const name of names) {
      this.#applyOne(name, composedAs.get(name) ?? this.#names.get(name) ?? this.resources.get(name)?.composedAs ?? "");
      if (cut === "afterOne") return;
    }
    this.#show(draft.conditions, "True");
  }

  /** Applies a resource: creates it if it does not exist, and makes the XR its controller if it has none. */
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
    const shown = conditions.map(({ target: _, message = "", ...rest }) => ({ ...rest, message, ...time }));
    this.#conditions = [...shown, { type: "Synced", status: synced, ...time }];
  }

  #composite(): JsonObject {
    return compositeOf({
      flavour: this.#flavour,
      references: this.references,
      writer: this.#writer,
      isAdopted: this.isAdopted,
      conditions: this.#conditions,
    });
  }

  #find(name: string): JsonObject | undefined {
    if (name === rootOf("nested")) return rootComposite;
    return this.resources.has(name) ? this.#objectOf(name) : undefined;
  }

  #objectOf(name: string): JsonObject {
    const resource = this.resources.get(name);
    if (resource === undefined) throw new Error(`there is no ${name}`);
    return bucketOf(name, resource, this.#flavour);
  }
}
