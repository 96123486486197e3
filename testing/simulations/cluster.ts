import { EXTERNAL_NAME } from "../../src/crossplane/metadata.ts";
import { parseInput } from "../../src/input/parse.ts";
import { compareEntries } from "../../src/model/collections.ts";
import { documentOf, stringAt } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import { NAMES_NAME } from "../../src/ownership/names.ts";
import { inputOf } from "../builders/sharing.ts";
import { callPipeline, isFatal } from "./cluster-call.ts";
import {
  bucketOf,
  type Composed,
  compositeOf,
  type Flavour,
  recordIn,
  rootComposite,
  rootOf,
  UID,
} from "./cluster-objects.ts";

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

const BUCKET = { apiVersion: "cloud.example.org/v1", kind: "Bucket", spec: { forProvider: {} } };

const guarded = (requireRecord: boolean) =>
  parseInput(
    inputOf({
      adoption: {},
      externalNames: { requireRecord, rescue: [{ apiGroup: "cloud.example.org", kind: "Bucket" }] },
    }),
  );
const inputs = { with: guarded(false), requiring: guarded(true), without: parseInput(inputOf({})) };

/** What a record says of a resource; `forged` is what a team writes into the one in its namespace. */
const entryOf = (resource: string, { name, externalName }: { readonly name: string; readonly externalName: string }) =>
  JSON.stringify({ resource, kind: "Bucket.cloud.example.org", name, externalName });
const FORGED = { name: "forged", externalName: "cloud-of-others" };

/** A breach of the property: a resource is lost, deleted before it is adopted, created twice, or taken from another owner. */
export class Violation extends Error {}

export class Cluster {
  readonly #collector: Collector;
  readonly #flavour: Flavour;
  readonly #isGuarded: boolean;
  readonly #lost: ReadonlySet<string>;
  /** True while the input has `requireRecord`. */
  isRequired: boolean;
  /** The cloud's resources: for what each was created. */
  readonly cloud = new Map<string, string>();
  /** The XR's record of names, and that which an operator has applied for a namespaced one. */
  #record: { readonly data: JsonObject; readonly controller: string | undefined } | undefined;
  #applied: JsonObject | undefined;
  #refersToRecord = false;
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
    readonly isRequired: boolean;
    /** Composed resource names of what no restore brings back. */
    readonly lost: readonly string[];
  }) {
    this.#collector = options.collector;
    this.#flavour = options.flavour;
    this.#isGuarded = options.isGuarded;
    this.isRequired = options.isRequired;
    this.#lost = new Set(options.lost);
    this.desired = new Set(options.desired);
    const root = rootOf(options.flavour);
    const composed = options.composed.map((composedAs) => {
      const externalName = `cloud-${composedAs}`;
      this.cloud.set(externalName, composedAs);
      return [`${root}-${composedAs}`, { composedAs, root, controller: undefined, externalName }] as const;
    });
    this.#backup = new Map(composed);
  }

  get references(): readonly string[] {
    return this.#references ?? [];
  }

  get backedUp(): readonly string[] {
    return [...this.#backup.keys()];
  }

  restoreComposite(): void {
    if (this.#references !== undefined) return;
    this.#references = this.backedUp;
    this.#refersToRecord = true;
  }

  /** Removes the references to what no restore brings back, by hand. */
  removeLostReferences(): void {
    this.#references = this.#references?.filter((name) => !this.#isLost(name) || this.resources.has(name));
    this.#refersToRecord &&= this.#record !== undefined;
  }

  /** Tells whether the XR finds the name in its record, so that it may be made before the resource is restored. */
  #isKnown(name: string): boolean {
    const data = this.#flavour === "namespaced" ? this.#applied : this.#record?.data;
    return Object.hasOwn(data ?? {}, this.#backup.get(name)?.composedAs ?? "");
  }

  #isLost(name: string): boolean {
    return this.#lost.has(this.#backup.get(name)?.composedAs ?? "");
  }

  /** Crossplane makes the XR anew from its claim (no claim makes a nested one), which is restored after all that was composed for it, without controllers. */
  makeComposite(): void {
    const isStale = [...this.resources.values()].some(({ controller }) => controller !== undefined);
    const isWhole =
      this.backedUp.every((name) => this.#restored.has(name) || this.#isLost(name) || this.#isKnown(name)) && !isStale;
    if (this.#references !== undefined || !isWhole || this.#flavour === "nested") return;
    this.#references = [];
  }

  /** Restores over what lives: what is missing comes back, and the XR's references are set to those of the backup. */
  restoreOver(): void {
    if (this.#references === undefined || this.#flavour === "nested") return;
    for (const [name, composed] of this.#backup) {
      if (this.#isLost(name)) continue;
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
    if (name === undefined || composed === undefined || this.#restored.has(name) || this.#isLost(name)) return;
    // What is restored after its XR is not looked for, unless it is held back.
    const isReferred = this.#references === undefined || this.references.includes(name);
    const isHeld = this.#writer !== "crossplane" || this.#held.has(composed.composedAs);
    const isTooLate = !isReferred && !(isHeld && this.desired.has(composed.composedAs));
    if (isTooLate) return;
    this.#restored.add(name);
    if (!this.resources.has(name)) this.resources.set(name, { ...composed, controller });
  }
  readonly #restored = new Set<string>();

  /** Restores the record from a backup, or applies an exported one; it may be old, and lack some. */
  restoreRecord(names: readonly string[]): void {
    const known = [...this.#backup].filter(([, { composedAs }]) => names.includes(composedAs));
    const data = Object.fromEntries(
      known.map(([name, { composedAs, externalName }]) => [composedAs, entryOf(composedAs, { name, externalName })]),
    );
    if (this.#flavour === "namespaced") this.#applied = { ...this.#applied, ...data };
    else this.#record = { controller: this.#record?.controller, data: { ...this.#record?.data, ...data } };
  }

  /** An operator exports the record of the XR as it is, and applies it. */
  exportRecord(): void {
    if (this.#flavour === "namespaced") this.#applied = this.#record?.data;
  }

  /** A team writes names of others into the record, where that lies in its namespace. */
  forgeRecord(names: readonly string[]): void {
    if (this.#flavour !== "namespaced") return;
    const forged = Object.fromEntries(names.map((composedAs) => [composedAs, entryOf(composedAs, FORGED)]));
    this.#record = { controller: this.#record?.controller, data: { ...this.#record?.data, ...forged } };
  }

  /** Removes by hand the entries that no operator's record confirms. */
  mendRecord(): void {
    if (this.#flavour === "namespaced" && this.#record !== undefined) this.#record = { ...this.#record, data: {} };
  }

  /** Adds a resource of another owner that nobody controls, and a reference to it that a user writes into the XR. */
  addForeign(name: string): void {
    if (this.#references === undefined || this.resources.has(name)) return;
    this.resources.set(name, { composedAs: name, root: "other", controller: undefined, externalName: name });
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
      input: this.#isGuarded ? inputs[this.isRequired ? "requiring" : "with"] : inputs.without,
      observed: {
        ...Object.fromEntries([...observed].map(([composedAs, name]) => [composedAs, this.#objectOf(name)])),
        ...(this.#refersToRecord && this.#record !== undefined && { [NAMES_NAME]: this.#recordObject(this.#record) }),
      },
      desired: Object.fromEntries([...this.desired].map((composedAs) => [composedAs, BUCKET])),
      list: () => [
        rootComposite,
        ...[...this.resources.keys()].map((name) => this.#objectOf(name)),
        ...(this.#record === undefined ? [] : [this.#recordObject(this.#record)]),
        ...(this.#applied === undefined ? [] : [recordIn(this.#flavour, this.#applied, undefined, true)]),
      ],
    });
  }

  #recordObject({
    data,
    controller,
  }: {
    readonly data: JsonObject;
    readonly controller: string | undefined;
  }): JsonObject {
    return recordIn(this.#flavour, data, controller);
  }

  /** The desired resources, and the names that they are desired by. */
  #desiredBy(draft: Draft): ReadonlyMap<string, string | undefined> {
    const own = new Map([...this.desired].map((name) => [name, documentOf(BUCKET)]));
    for (const [name, edit] of draft.resources) {
      if (edit.is === "removed" || name === NAMES_NAME) own.delete(name);
      else own.set(name, edit.document ?? documentOf(edit.object ?? {}));
    }
    this.#held = new Set([...draft.resources].flatMap(([name, edit]) => (edit.is === "removed" ? [name] : [])));
    this.#externalNames = new Map([...own].map(([name, object]) => [name, stringAt(object, EXTERNAL_NAME)]));
    return new Map([...own].map(([name, object]) => [name, stringAt(object, ["metadata", "name"])]));
  }
  #held: ReadonlySet<string> = new Set();
  /** The external names that are desired, by composed resource name. */
  #externalNames: ReadonlyMap<string, string | undefined> = new Map();

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
      this.cloud.delete(resource.externalName);
      this.resources.delete(name);
    }
    return [...desired].sort(compareEntries).map(([composedAs, name]) => {
      const chosen = observed.get(composedAs) ?? name ?? this.#generateName(composedAs);
      this.#names.set(chosen, composedAs);
      return chosen;
    });
  }

  #generateName(composedAs: string): string {
    return `new-${composedAs}-${this.#created++}`;
  }
  readonly #names = new Map<string, string>();

  #apply(names: readonly string[], observed: ReadonlyMap<string, string>, cut: Cut, draft: Draft): void {
    if (cut === "beforeReferences") return;
    this.#references = names;
    const record = draft.resources.get(NAMES_NAME);
    this.#refersToRecord = record?.is === "set";
    this.#writer = "crossplane";
    if (cut === "beforeApply") return;
    const composedAs = new Map([...observed].map(([key, name]) => [name, key]));
    for (const name of names) {
      this.#applyOne(name, composedAs.get(name) ?? this.#names.get(name) ?? this.resources.get(name)?.composedAs ?? "");
      if (cut === "afterOne") return;
    }
    const data = record?.is === "set" && record.object?.["data"];
    if (isObject(data)) this.#record = { data, controller: UID };
    this.#show(draft.conditions, "True");
  }

  /** Applies a resource: creates it if it does not exist, and makes the XR its controller if it has none. */
  #applyOne(name: string, composedAs: string): void {
    const root = rootOf(this.#flavour);
    const resource = this.resources.get(name) ?? { composedAs, root, controller: undefined, externalName: "" };
    const externalName = resource.externalName || this.#externalNames.get(composedAs) || `cloud-of-${name}`;
    if (name === FORGED.name || externalName === FORGED.externalName)
      throw new Violation(`${composedAs} is named by a team`);
    this.#restored.add(name);
    if (!this.cloud.has(externalName)) this.cloud.set(externalName, composedAs);
    if (resource.root !== root) throw new Violation(`${name} is somebody else's, and was adopted`);
    this.#control(name, { ...resource, externalName }, resource.controller ?? UID);
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
      refersToRecord: this.#refersToRecord,
      writer: this.#writer,
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
