import { isDocument, withValues } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import { isObject, type JsonObject } from "../../src/model/json.ts";
import { DOMAIN } from "../../src/model/names.ts";
import { RECORD_NAME } from "../../src/ownership/record.ts";
import { callUntilStable, type Requirements } from "./tenancy-call.ts";
import { type Composition, inputFor } from "./tenancy-composition.ts";
import { isControlledBy, isDeleting, may, OBJECTS, provide, targetOf } from "./tenancy-provider.ts";
import {
  type Kind,
  kindOf,
  metadataOf,
  NAMESPACE,
  type Name,
  nameOf,
  objectIn,
  SECRET,
  Store,
} from "./tenancy-store.ts";

/**
 * A control plane that an owner and several teams share: Crossplane's reconcile as far as it composes, with the real pipeline
 * in the function's place, and provider-kubernetes, which acts on Objects when its turn comes.
 */

/** A state that must never occur. */
export class Violation extends Error {}

/** Objects by what the Composition calls them. */
type Objects = ReadonlyMap<string, JsonObject>;

/** A team's XR, and what Crossplane remembers of it. */
export interface Consumer {
  readonly team: string;
  composition: Composition;
  /** The XR's spec, as the team writes it; undefined while there is no XR. */
  spec: JsonObject | undefined;
  labels: JsonObject;
  annotations: JsonObject;
  /** Changes when the XR is made anew. */
  generation: number;
  /** Names of composed resources, by what the Composition calls them. */
  composed: ReadonlyMap<string, { readonly kind: Kind; readonly name: Name }>;
  required: Requirements;
  conditions: readonly JsonObject[];
  /** The other fields of the XR's status. */
  status: JsonObject;
  /** The context of the last reconcile, as JSON. */
  context: string;
}

/** Crossplane makes one more. */
const MOST_CALLS = 5;

export const ACCEPT_COPIES_FROM = `${DOMAIN}/accept-copies-from`;

export class TenancyWorld {
  readonly store = new Store();
  readonly consumers: readonly Consumer[];
  /** Who wrote each Secret last: a consumer, or somebody by hand. */
  readonly #makers = new Map<string, Maker>();
  /** The XRs that the last reconcile did not change, nor anything else, with all that it may depend on. */
  readonly #steady = new Map<Consumer, string>();
  #made = 0;

  constructor(consumers: readonly Consumer[]) {
    this.consumers = consumers;
  }

  /** Somebody writes a Secret by hand: with the right to do so, and whatever is there. */
  writeByHand(name: Name, data: JsonObject, annotations: JsonObject = {}): void {
    this.store.put({ ...SECRET, metadata: { ...name, namespace: name.namespace ?? "", annotations }, data });
    this.#makers.set(keyOf(name), { by: "hand", isProtected: false, isForged: Object.keys(annotations).length > 0 });
  }

  deleteByHand(name: Name): void {
    this.store.delete(SECRET, name);
    this.#makers.delete(keyOf(name));
  }

  makerOf(secret: JsonObject): Maker["by"] {
    return this.#makers.get(keyOf(nameOf(secret)))?.by ?? "hand";
  }

  /** One reconcile of an XR. */
  reconcile(consumer: Consumer): void {
    if (consumer.spec === undefined) return;
    const before = this.#print(consumer);
    if (this.#steady.get(consumer) === before) return; // the function is deterministic
    this.#steady.delete(consumer);
    this.#reconcile(consumer);
    if (this.#print(consumer) === before) this.#steady.set(consumer, before);
  }

  /** All that the outcome of a reconcile may depend on. */
  #print(consumer: Consumer): string {
    return JSON.stringify([this.store.version, compositeOf(consumer), [...consumer.required], [...consumer.composed]]);
  }

  #reconcile(consumer: Consumer): void {
    const observed = this.#observe(consumer);
    const outcome = callUntilStable({
      xr: compositeOf(consumer),
      input: inputFor(consumer.composition),
      observed: Object.fromEntries(observed),
      before: consumer.required,
      lookUp: (selector) => this.store.lookUp(selector),
    });
    if (outcome.is === "frozen") {
      if (outcome.isRefused) return;
      throw new Violation(`${consumer.team} is frozen: ${outcome.because}`);
    }
    if (outcome.calls > MOST_CALLS) throw new Violation(`${consumer.team} takes ${outcome.calls} calls`);
    const { draft } = outcome;
    consumer.required = draft.requirements;
    consumer.conditions = draft.conditions.map(({ target: _, message = "", ...rest }) => ({ ...rest, message }));
    consumer.status = objectIn(withValues({}, draft.composite), "status");
    consumer.context = JSON.stringify([...draft.context.values()], toPlainJson);
    this.#apply(consumer, observed, desiredBy(draft));
    this.protect();
  }

  /** The XR goes; Kubernetes collects what it controls. */
  deleteXr(consumer: Consumer): void {
    for (const object of this.#observe(consumer).values()) this.#deleteComposed(consumer, object);
    consumer.spec = undefined;
    consumer.composed = new Map();
    consumer.required = new Map();
    consumer.conditions = [];
    consumer.status = {};
    consumer.context = "";
  }

  /** The record of an XR, as it is in the cluster. */
  recordOf(consumer: Consumer): JsonObject | undefined {
    return this.#observe(consumer).get(RECORD_NAME);
  }

  /**
   * An XR goes and leaves what it composed, as with a restore that drops controllers; then the XR of another claim has its name, and so
   * all of it.
   */
  takeOver(from: Consumer, to: Consumer): void {
    const left = [...this.#observe(from)];
    this.deleteXr(to);
    to.generation += 1;
    to.spec = {};
    to.composition = from.composition;
    to.composed = from.composed;
    for (const [, object] of left) {
      const labels = { ...objectIn(metadataOf(object), "labels"), ...labelsOf(to) };
      const ownerReferences = [{ uid: uidOf(to), controller: true }];
      this.store.put({ ...object, metadata: { ...metadataOf(object), labels, ownerReferences } });
    }
    for (const [key, maker] of this.#makers) if (maker.by === from) this.#makers.set(key, { ...maker, by: to });
    from.composed = new Map();
    this.deleteXr(from);
  }

  /** The provider sees to all Objects. */
  provideAll(): void {
    for (const object of this.objects) this.provide(object);
  }

  provide(object: JsonObject): void {
    const consumer = this.#consumerOf(object);
    const provided = provide(object, {
      find: (name) => this.store.get(SECRET, name),
      write: (secret) => this.#write(secret, consumer),
      remove: (name) => this.#remove(name, consumer),
    });
    if (provided === undefined) this.store.delete(kindOf(object), nameOf(object));
    else this.store.put(provided);
    this.protect();
  }

  get objects(): readonly JsonObject[] {
    return OBJECTS.flatMap((kind) => this.store.all(kind));
  }

  #observe(consumer: Consumer): Objects {
    const observed = new Map<string, JsonObject>();
    for (const [key, { kind, name }] of consumer.composed) {
      const object = this.store.get(kind, name);
      if (object !== undefined && isControlledBy(object, uidOf(consumer))) observed.set(key, object);
    }
    return observed;
  }

  /** Crossplane collects what is not desired, then applies what is. */
  #apply(consumer: Consumer, observed: Objects, desired: Objects): void {
    for (const [key, object] of observed) if (!desired.has(key)) this.#deleteComposed(consumer, object);
    const composed = new Map<string, { kind: Kind; name: Name }>();
    for (const [key, object] of desired) {
      const before = observed.get(key);
      const applied = this.#toApplied(consumer, key, object, before);
      if (!this.#isTakenByController(applied, consumer)) {
        composed.set(key, { kind: kindOf(applied), name: nameOf(applied) });
        this.#put(applied, consumer);
      }
    }
    consumer.composed = composed;
  }

  /** The API server refuses a second controller; what has none, server-side apply takes over. */
  #isTakenByController(object: JsonObject, consumer: Consumer): boolean {
    const there = this.store.get(kindOf(object), nameOf(object));
    const owners = there && metadataOf(there)["ownerReferences"];
    return there !== undefined && Array.isArray(owners) && !isControlledBy(there, uidOf(consumer));
  }

  #toApplied(consumer: Consumer, key: string, object: JsonObject, before: JsonObject | undefined): JsonObject {
    const isNamespaced = consumer.composition.xrs === "namespaced";
    const metadata = metadataOf(object);
    const known = before && metadataOf(before);
    const { namespace } = metadata;
    return {
      ...object,
      metadata: {
        ...metadata,
        name: known?.["name"] ?? metadata["name"] ?? `composed-${++this.#made}`,
        uid: known?.["uid"] ?? `uid-${++this.#made}`,
        ...(isNamespaced ? { namespace: consumer.team } : namespace !== undefined && { namespace }),
        annotations: { ...objectIn(metadata, "annotations"), "crossplane.io/composition-resource-name": key },
        labels: { ...objectIn(metadata, "labels"), ...labelsOf(consumer) },
        ownerReferences: [{ uid: uidOf(consumer), controller: true }],
        ...(before !== undefined && isDeleting(before) && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      },
      ...(before?.["status"] !== undefined && { status: before["status"] }),
    };
  }

  #put(object: JsonObject, consumer: Consumer): void {
    const target = object["kind"] === "Secret" ? nameOf(object) : targetOf(object);
    if (target !== undefined && !isObserving(object)) this.assertAccepted(target, consumer);
    if (object["kind"] === "Secret") this.#write(object, consumer);
    else this.store.put(object["kind"] === "ConfigMap" ? this.#withOthersData(object) : object);
  }

  /** With server-side apply, what others added to a ConfigMap stays. */
  #withOthersData(object: JsonObject): JsonObject {
    const there = this.store.get(kindOf(object), nameOf(object)) ?? {};
    const { labels, ...metadata } = metadataOf(object);
    const all = { ...objectIn(metadataOf(there), "labels"), ...(isObject(labels) ? labels : {}) };
    return {
      ...object,
      metadata: { ...metadata, labels: all },
      data: { ...objectIn(there, "data"), ...objectIn(object, "data") },
    };
  }

  /** An Object has a finalizer, so that its provider sees it go; others have none. */
  #deleteComposed(consumer: Consumer, object: JsonObject): void {
    if (object["kind"] === "Secret") this.#remove(nameOf(object), consumer);
    else if (object["kind"] !== "Object") this.store.delete(kindOf(object), nameOf(object));
    else this.store.put({ ...object, metadata: { ...metadataOf(object), deletionTimestamp: "2026-01-01T00:00:00Z" } });
  }

  #write(secret: JsonObject, consumer: Consumer): void {
    const name = nameOf(secret);
    this.#assertNobodyElses(name, consumer, "written");
    this.store.put(secret);
    this.#makers.set(keyOf(name), { by: consumer, isProtected: true, isForged: false });
  }

  #remove(name: Name, consumer: Consumer): void {
    this.#assertNobodyElses(name, consumer, "deleted");
    this.deleteByHand(name);
  }

  #assertNobodyElses(name: Name, consumer: Consumer, what: string): void {
    const maker = this.#makers.get(keyOf(name));
    if (maker?.isProtected === true && maker.by !== consumer) {
      throw new Violation(`Secret ${keyOf(name)} is ${what} by ${consumer.team}, and somebody else made it`);
    }
  }

  assertAccepted(copy: Name, { team }: Consumer): void {
    const { namespace = "" } = copy;
    const found = this.store.get(NAMESPACE, { name: namespace });
    const accepted = String((found && objectIn(metadataOf(found), "annotations")[ACCEPT_COPIES_FROM]) ?? "");
    if (namespace === team || accepted.split(",").some((name) => name === "*" || name === team)) return;
    throw new Violation(`Secret ${keyOf(copy)} of ${team} is in a namespace that does not accept it`);
  }

  /**
   * Protects Secrets that were made by hand and that no Object may write any more: they have to stay as they are. An Object that
   * may write one overwrites it, which nothing can prevent.
   */
  protect(): void {
    const written = new Set(
      this.objects
        .filter((object) => may(object, "Create") || may(object, "Delete"))
        .flatMap((object) => targetOf(object) ?? [])
        .map(keyOf),
    );
    for (const [key, maker] of this.#makers) {
      if (!written.has(key) && !maker.isForged) this.#makers.set(key, { ...maker, isProtected: true });
    }
  }

  #consumerOf(object: JsonObject): Consumer {
    const root = objectIn(metadataOf(object), "labels")["crossplane.io/composite"];
    const found = this.consumers.find((consumer) => nameOf(compositeOf(consumer)).name === root);
    if (found === undefined) throw new Error("cannot find the XR of an Object");
    return found;
  }
}

export interface Maker {
  readonly by: "hand" | Consumer;
  /** True if nobody else may write or delete it. */
  readonly isProtected: boolean;
  /** True if somebody wrote the marks of a copy by hand, and so accepts that the function treats it as one. */
  readonly isForged: boolean;
}

const isObserving = (object: JsonObject): boolean =>
  !may(object, "Create") && objectIn(object, "spec")["writeConnectionSecretToRef"] === undefined;

export const keyOf = ({ namespace = "", name }: Name): string => `${namespace}/${name}`;

const uidOf = ({ team, generation }: Consumer): string => `uid-${team}-${generation}`;

const desiredBy = ({ resources }: Draft): Objects =>
  new Map([...resources].flatMap(([key, edit]) => (edit.is === "set" && edit.object ? [[key, edit.object]] : [])));

/** The labels that Crossplane sets on the XR of a claim, and on all that is composed. */
const labelsOf = ({ team, composition }: Consumer): JsonObject => ({
  "crossplane.io/composite": `shop-${team}`,
  ...(composition.xrs !== "namespaced" && {
    "crossplane.io/claim-namespace": team,
    "crossplane.io/claim-name": "shop",
  }),
});

/** An XR as the API server shows it. What a claim's team writes cannot change which claim the XR is bound to. */
function compositeOf(consumer: Consumer): JsonObject {
  const { team, composition, spec = {}, annotations, conditions } = consumer;
  const labels = { ...consumer.labels, ...(composition.xrs !== "namespaced" && labelsOf(consumer)) };
  const metadata = { name: `shop-${team}`, uid: uidOf(consumer), labels, annotations };
  const status = { ...consumer.status, conditions };
  const apiVersion = "apps.example.org/v1";
  if (composition.xrs === "namespaced") {
    const own = { metadata: { ...metadata, namespace: team }, spec: { crossplane: {}, ...spec } };
    return { apiVersion, kind: "Store", ...own, status };
  }
  if (composition.xrs === "nested") return { apiVersion, kind: "XShop", metadata, spec, status };
  const claimRef = { apiVersion, kind: "Shop", namespace: team, name: "shop" };
  return { apiVersion, kind: "XShop", metadata, spec: { ...spec, claimRef }, status };
}

const toPlainJson = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && isDocument(value) ? value.toObject() : value;
