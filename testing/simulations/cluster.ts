import { readAnnotation } from "../../src/crossplane/metadata.ts";
import { parseInput } from "../../src/input/parse.ts";
import { documentOf } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import { ADOPTION } from "../../src/ownership/annotations.ts";
import { NAMES_NAME } from "../../src/records/names-record.ts";
import { RECORD_NAME } from "../../src/records/record.ts";
import { inputOf } from "../builders/sharing.ts";
import {
  BUCKET,
  bucketOf,
  bucketReference,
  type Composed,
  compositeOf,
  type Flavour,
  labelsOf,
  readBucket,
  readExternalName,
  recordIn,
  recordReference,
  rootComposite,
  rootOf,
  UID,
} from "./cluster-objects.ts";
import {
  ControlPlane,
  type Cut,
  desiredBy,
  NEW_XR,
  type Objects,
  shownConditions,
  Violation,
  type Xr,
} from "./control-plane.ts";
import { controllerOf, type Kind, metadataOf, type Name, nameOf, objectIn } from "./store.ts";

/** Crossplane's treatment of an observed resource that is not desired and that nobody controls. */
export type Collector =
  | "deletes" // v1.15.5 to v2.3
  | "forgets"; // v1.16.0, v2.4

const rescue = [{ apiGroup: "cloud.example.org", kind: "Bucket" }];
const guarded = (requireRecord: boolean) =>
  parseInput(inputOf({ adoption: {}, externalNames: { requireRecord, rescue } }));
const inputs = { with: guarded(false), requiring: guarded(true), without: parseInput(inputOf({})) };

/** What a record says of a resource; `forged` is what a team writes into the one in its namespace. */
const entryOf = (resource: string, name: string, externalName: string) => {
  const kind = { kind: "Bucket.cloud.example.org", apiVersion: BUCKET.apiVersion };
  return [resource, JSON.stringify({ resource, ...kind, name, externalName })] as const;
};
const FORGED = { name: "forged", externalName: "cloud-of-others" };

/** What the Composition desires of each. */
const DESIRED = { ...BUCKET, spec: { forProvider: {} } };

const TIME = { lastTransitionTime: "2026-01-03T00:00:00Z" };

/** A resource that is desired only once another one's status is there, as by an `if` in a template. */
const CONDITIONS: ReadonlyMap<string, string> = new Map(Object.entries({ b: "a", c: "b" }));

/** Adds the resources on which these depend. */
export const withDependencies = (names: readonly string[]): readonly string[] => {
  const [b = "", a = ""] = ["c", "b"].map((name) => CONDITIONS.get(name));
  const needed = [...(names.includes("c") ? [b, a] : []), ...(names.includes("b") ? [a] : [])];
  return [...new Set([...names, ...needed])].sort();
};

interface Options {
  readonly collector: Collector;
  readonly flavour: Flavour;
  readonly composed: readonly string[];
  readonly desired: readonly string[];
  readonly isGuarded: boolean;
  /** True while only what has a record is created. */
  readonly isRequired: boolean;
  /** What no restore brings back: the backup was partial, or the cluster was built from Git. */
  readonly lost: readonly string[];
  /** The way of a status on which another resource depends: observed, or by the XR's own, a reconcile later. */
  readonly conditions: "none" | "observed" | "byStatus";
  /** True if the backup has no managed fields. */
  readonly lacksFields: boolean;
}

const isLookedAt = (object: JsonObject | undefined): boolean =>
  object !== undefined && readBucket(object).isLookedAt === true;

/** A cluster with one XR in it, whose resources are restored. */
export class Cluster extends ControlPlane<Xr> {
  readonly #options: Options;
  /** True while some resources are desired only once the status of others is there. */
  isConditional: boolean;
  /** The resources whose status is in the XR's own. */
  #reported: ReadonlySet<string> = new Set();
  /** True while the input has `requireRecord`. */
  isRequired: boolean;
  /** The cloud's resources: for what each was created. */
  readonly cloud = new Map<string, string>();
  readonly #backup: ReadonlyMap<string, Composed>;
  readonly #restored = new Set<string>();
  /** The composed resource names that the Composition desires. */
  desired: ReadonlySet<string>;
  /** The composed resource names that the function holds back. */
  #held: ReadonlySet<string> = new Set();
  /** True if the XR is nested and its own XR controls it. */
  isAdopted = false;
  readonly #xr: Xr = { ...NEW_XR, uid: UID };
  /** True once the XR is there. */
  #exists = false;
  #writer: "crossplane" | "velero" | undefined;
  #created = 0;

  /** Begins with an empty cluster, and a backup of the XR and of the resources that it had composed. */
  constructor(options: Options) {
    super();
    this.#options = options;
    this.isRequired = options.isRequired;
    this.isConditional = options.conditions !== "none";
    this.desired = new Set(options.desired);
    const root = rootOf(options.flavour);
    const composed = options.composed.map((name) => {
      const externalName = `cloud-${name}`;
      this.cloud.set(externalName, name);
      const { lacksFields } = options;
      return [`${root}-${name}`, { composedAs: name, root, controller: undefined, externalName, lacksFields }] as const;
    });
    this.#backup = new Map(composed);
    this.store.put(rootComposite);
  }

  /** The names of the resources that the XR refers to. */
  get references(): readonly string[] {
    return this.#xr.references.filter(({ kind }) => kind === BUCKET.kind).map(({ name }) => name);
  }

  get backedUp(): readonly string[] {
    return [...this.#backup.keys()];
  }

  /** The resources in the cluster, by name. */
  get resources(): ReadonlyMap<string, Composed> {
    return new Map(this.store.all(BUCKET).map((object) => [nameOf(object).name, readBucket(object)]));
  }

  restoreComposite(): void {
    if (this.#exists) return;
    this.#exists = true;
    this.#referToBackup([recordReference(this.#options.flavour)]);
  }

  #referToBackup(others: Xr["references"]): void {
    this.#xr.references = [...this.backedUp.map((name) => bucketReference(name, this.#options.flavour)), ...others];
  }

  /** Removes the references to what no restore brings back, by hand. */
  removeLostReferences(): void {
    const mayCome = ({ kind, name }: Kind & Name): boolean => kind === BUCKET.kind && !this.#isLost(name);
    this.#xr.references = this.#xr.references.filter(
      (reference) => mayCome(reference) || this.store.get(reference, reference) !== undefined,
    );
  }

  #isLost = (name: string): boolean => this.#options.lost.includes(this.#backup.get(name)?.composedAs ?? "");

  /** Tells whether the XR finds the name in its record, so that it may be made before the resource is restored. */
  #isKnown(name: string): boolean {
    const data = this.#readRecord(this.#options.flavour === "namespaced");
    return Object.hasOwn(data ?? {}, this.#backup.get(name)?.composedAs ?? "");
  }

  /** Crossplane makes the XR anew from its claim (no claim makes a nested one), which is restored after all that was composed for it, without controllers. */
  makeComposite(): void {
    const isStale = this.store.all(BUCKET).some((object) => controllerOf(object) !== undefined);
    const isWhole =
      this.backedUp.every((name) => this.#restored.has(name) || this.#isLost(name) || this.#isKnown(name)) && !isStale;
    this.#exists ||= isWhole && this.#options.flavour !== "nested";
  }

  /** Restores over what lives: what is missing comes back, and the XR's references are set to those of the backup. */
  restoreOver(): void {
    if (!this.#exists) return;
    for (const [name, composed] of this.#backup) if (!this.#isLost(name)) this.#restore(name, composed);
    this.#referToBackup(this.#xr.references.filter(({ kind }) => kind !== BUCKET.kind));
    this.#writer = "velero";
  }

  #restore(name: string, composed: Composed): void {
    this.#restored.add(name);
    if (!this.resources.has(name)) this.#put(name, composed);
  }

  #put = (name: string, composed: Composed): void => this.store.put(bucketOf(name, composed, this.#options.flavour));

  /** Does what the condition `Duplicated` asks for. */
  chooseOnes(): void {
    if (!this.#xr.conditions.some(({ reason }) => reason === "Duplicated")) return;
    const chosen = new Set<string>();
    for (const [name, composed] of [...this.resources].reverse()) {
      if (composed.root === rootOf(this.#options.flavour) && chosen.has(composed.composedAs)) this.deleteByHand(name);
      chosen.add(composed.composedAs);
    }
  }

  /** @param index the resource's index in the backup, if there is one; each is restored once. */
  restoreResource(index: number | undefined, controller?: string): void {
    const [name, composed] = [...this.#backup][index ?? -1] ?? [];
    if (name === undefined || composed === undefined || this.#restored.has(name) || this.#isLost(name)) return;
    // What is restored after its XR is not looked for, unless it is held back.
    const isReferred = !this.#exists || this.references.includes(name);
    const isHeld = this.#writer !== "crossplane" || this.#held.has(composed.composedAs);
    if (isReferred || (isHeld && this.desired.has(composed.composedAs)))
      this.#restore(name, { ...composed, controller });
  }

  #readRecord(isApplied: boolean): JsonObject | undefined {
    const reference = recordReference(this.#options.flavour, isApplied);
    const record = this.store.get(reference, reference);
    return record && objectIn(record, "data");
  }

  #writeRecord(data: JsonObject, isApplied = false): void {
    const reference = recordReference(this.#options.flavour);
    const controller = isApplied ? undefined : controllerOf(this.store.get(reference, reference) ?? {});
    this.store.put(recordIn(this.#options.flavour, data, controller, isApplied));
  }

  /** Restores the record from a backup, or applies an exported one; it may be old, and lack some. */
  restoreRecord(names: readonly string[]): void {
    const known = [...this.#backup].filter(([, composed]) => names.includes(composed.composedAs));
    const entries = known.map(([name, { composedAs, externalName }]) => entryOf(composedAs, name, externalName));
    const isApplied = this.#options.flavour === "namespaced";
    this.#writeRecord({ ...this.#readRecord(isApplied), ...Object.fromEntries(entries) }, isApplied);
  }

  /** An operator exports the record of the XR as it is, and applies it. */
  exportRecord(): void {
    const data = this.#readRecord(false);
    if (this.#options.flavour === "namespaced" && data !== undefined) this.#writeRecord(data, true);
  }

  /** A team writes names of others into the record, where that lies in its namespace. */
  forgeRecord(names: readonly string[]): void {
    if (this.#options.flavour !== "namespaced") return;
    const forged = Object.fromEntries(names.map((name) => entryOf(name, FORGED.name, FORGED.externalName)));
    this.#writeRecord({ ...this.#readRecord(false), ...forged });
  }

  /** Removes by hand the entries that no operator's record confirms. */
  mendRecord(): void {
    if (this.#options.flavour === "namespaced" && this.#readRecord(false) !== undefined) this.#writeRecord({});
  }

  /** Adds a resource of another owner that nobody controls, and a reference to it that a user writes into the XR. */
  addForeign(name: string): void {
    if (!this.#exists || this.resources.has(name)) return;
    this.#put(name, { composedAs: name, root: "other", controller: undefined, externalName: name });
    this.#xr.references = [...this.#xr.references, bucketReference(name, this.#options.flavour)];
  }

  removeReference(name: string): void {
    this.#xr.references = this.#xr.references.filter((reference) => reference.name !== name);
  }

  /** Removes by hand the owner references with which a resource was restored from the backup. */
  removeStaleController(name: string): void {
    const resource = this.resources.get(name);
    if (resource !== undefined && resource.controller !== UID) this.#put(name, { ...resource, controller: undefined });
  }

  /** Deletes a resource by hand, for Crossplane to create it again. */
  deleteByHand(name: string): void {
    this.store.delete(BUCKET, bucketReference(name, this.#options.flavour));
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
    if (this.#isIdle) return;
    if (cut === "stepFails") {
      this.#finish([], "False");
      return;
    }
    const observed = this.observe(this.#xr);
    meanwhile();
    const input = this.#options.isGuarded ? inputs[this.isRequired ? "requiring" : "with"] : inputs.without;
    const desired = Object.fromEntries(this.#desiredNow(observed).map((name) => [name, DESIRED]));
    const outcome = this.call(this.#xr, observed, { input, desired, capabilities: ["RequiredResources"] });
    if (outcome.draft === undefined) throw new Error("the function gives no answer");
    if (outcome.is === "frozen") this.#finish(shownConditions(outcome.draft), "False");
    else this.#compose(outcome.draft, observed, desiredBy(outcome.draft, desired), cut);
  }

  /** The resources that the Composition desires now. */
  #desiredNow(observed: Objects): readonly string[] {
    const isReported = (name: string): boolean =>
      this.#options.conditions === "byStatus" ? this.#reported.has(name) : isLookedAt(observed.get(name));
    return [...this.desired].filter((name) => {
      const needed = this.isConditional ? CONDITIONS.get(name) : undefined;
      return needed === undefined || isReported(needed);
    });
  }

  /** The provider looks at a resource, or at all. */
  look(name?: string): void {
    for (const [each, composed] of this.resources)
      if (name === undefined || name === composed.composedAs) this.#put(each, { ...composed, isLookedAt: true });
  }

  /** All that the outcome of a reconcile depends on. */
  print(): string {
    const { references, conditions, required } = this.#xr;
    return JSON.stringify([this.store.version, references, conditions, [...required], [...this.#reported]]);
  }

  /** True while there is no XR, or the restored resources are not looked for: a kind that no step desires (docs/restore.md). */
  get #isIdle(): boolean {
    const areLost = this.references.length === 0 || this.#writer === "velero";
    const areKnown = [...this.#restored].every((name) => !this.#backup.has(name) || this.#isKnown(name));
    return !this.#exists || (areLost && this.#restored.size > 0 && this.desired.size === 0 && !areKnown);
  }

  #compose(draft: Draft, observed: Objects, desired: Objects, cut: Cut): void {
    this.#held = new Set([...draft.resources].flatMap(([name, edit]) => (edit.is === "removed" ? [name] : [])));
    this.apply(this.#xr, observed, desired, cut);
    if (cut !== "beforeReferences") this.#writer = "crossplane";
    if (cut !== "none") return;
    this.#finish(shownConditions(draft), "True");
    this.#reported = new Set([...observed].flatMap(([name, object]) => (isLookedAt(object) ? [name] : [])));
  }

  #finish(conditions: readonly JsonObject[], synced: string): void {
    this.#xr.conditions = [...conditions, { type: "Synced", status: synced }].map((one) => ({ ...one, ...TIME }));
  }

  /** Deletes or forgets an observed resource that is not desired. The record is the function's own. */
  protected override remove(object: JsonObject, xr: Xr): void {
    if (object["kind"] !== BUCKET.kind) return;
    const { name } = nameOf(object);
    const { controller, externalName, composedAs } = readBucket(object);
    if (controller === undefined && this.#options.collector === "forgets") return;
    if (controller === undefined) throw new Violation(`${name} is deleted while nobody controls it`);
    if (this.isConditional && this.desired.has(composedAs) && this.#options.isGuarded)
      throw new Violation(`${name} is deleted, which is desired once another one's status is there`);
    this.cloud.delete(externalName);
    super.remove(object, xr);
  }

  /** A resource keeps what it has: server-side apply adds what it lacks. */
  protected override toApplied(xr: Xr, key: string, object: JsonObject, observed: JsonObject | undefined): JsonObject {
    const { flavour } = this.#options;
    const { data } = object;
    if (key === RECORD_NAME) return super.toApplied(xr, key, object, observed);
    if (key === NAMES_NAME) return recordIn(flavour, isObject(data) ? data : {}, UID);
    const { name = `new-${key}-${this.#created++}` } = metadataOf(observed ?? object);
    const reference = bucketReference(String(name), flavour);
    const there = this.store.get(reference, reference);
    const unknown = { composedAs: key, root: rootOf(flavour), controller: undefined, externalName: "" };
    const known = there === undefined ? unknown : readBucket(there);
    const externalName = known.externalName || readExternalName(object) || `cloud-of-${name}`;
    const adoption = readAnnotation(documentOf(object), ADOPTION);
    const controller = known.controller ?? UID;
    return bucketOf(String(name), { ...known, externalName, controller, adoption, lacksFields: false }, flavour);
  }

  protected override put(object: JsonObject, xr: Xr): void {
    super.put(object, xr);
    if (object["kind"] !== BUCKET.kind) return;
    const { name } = nameOf(object);
    const { composedAs, externalName, root } = readBucket(object);
    if (name === FORGED.name || externalName === FORGED.externalName)
      throw new Violation(`${composedAs} is named by a team`);
    if (root !== rootOf(this.#options.flavour)) throw new Violation(`${name} is somebody else's, and was adopted`);
    this.#restored.add(name);
    if (!this.cloud.has(externalName)) this.cloud.set(externalName, composedAs);
  }

  protected labelsOf(): JsonObject {
    return labelsOf(this.#options.flavour, rootOf(this.#options.flavour));
  }

  show({ references, conditions }: Xr): JsonObject {
    const { flavour } = this.#options;
    return compositeOf({ flavour, references, writer: this.#writer, isAdopted: this.isAdopted, conditions });
  }
}
