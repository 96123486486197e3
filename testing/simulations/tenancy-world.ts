import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { DOMAIN } from "../../src/model/names.ts";
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
  readonly composition: Composition;
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
}

export const ACCEPT_COPIES_FROM = `${DOMAIN}/accept-copies-from`;

export class TenancyWorld {
  readonly store = new Store();
  readonly consumers: readonly Consumer[];
  /** Who wrote each Secret last: a consumer, or somebody by hand. */
  readonly #makers = new Map<string, Maker>();
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
    const observed = this.#observe(consumer);
    const outcome = callUntilStable({
      xr: compositeOf(consumer),
      input: inputFor(consumer.composition),
      observed: Object.fromEntries(observed),
      before: consumer.required,
      lookUp: (selector) => this.store.lookUp(selector),
    });
    if (outcome.is === "frozen") return;
    consumer.required = outcome.draft.requirements;
    consumer.conditions = outcome.draft.conditions.map(({ target: _, message = "", ...rest }) => ({
      ...rest,
      message,
    }));
    this.#apply(consumer, observed, desiredBy(outcome.draft));
    this.protect();
  }

  /** The XR goes; Kubernetes collects what it controls. */
  deleteXr(consumer: Consumer): void {
    for (const object of this.#observe(consumer).values()) this.#deleteComposed(consumer, object);
    consumer.spec = undefined;
    consumer.composed = new Map();
    consumer.required = new Map();
    consumer.conditions = [];
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
    const { isNamespaced } = consumer.composition;
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
        labels: { ...objectIn(metadata, "labels"), "crossplane.io/composite": nameOf(compositeOf(consumer)).name },
        ownerReferences: [{ uid: uidOf(consumer), controller: true }],
        ...(before !== undefined && isDeleting(before) && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      },
      ...(before?.["status"] !== undefined && { status: before["status"] }),
    };
  }

  #put(object: JsonObject, consumer: Consumer): void {
    if (object["kind"] === "Secret") this.#write(object, consumer);
    else this.store.put(object);
  }

  /** An Object has a finalizer, so that its provider sees it go; a Secret has none. */
  #deleteComposed(consumer: Consumer, object: JsonObject): void {
    if (object["kind"] === "Secret") this.#remove(nameOf(object), consumer);
    else this.store.put({ ...object, metadata: { ...metadataOf(object), deletionTimestamp: "2026-01-01T00:00:00Z" } });
  }

  #write(secret: JsonObject, consumer: Consumer): void {
    const name = nameOf(secret);
    this.#assertNobodyElses(name, consumer, "written");
    if (!this.#accepts(name.namespace ?? "", consumer.team)) {
      throw new Violation(`${consumer.team} puts Secret ${keyOf(name)} into a namespace that does not accept it`);
    }
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

  #accepts(namespace: string, team: string): boolean {
    if (namespace === team) return true;
    const found = this.store.get(NAMESPACE, { name: namespace });
    const accepted = String((found && objectIn(metadataOf(found), "annotations")[ACCEPT_COPIES_FROM]) ?? "");
    return accepted.split(",").some((name) => name === "*" || name === team);
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

export const keyOf = ({ namespace = "", name }: Name): string => `${namespace}/${name}`;

const uidOf = ({ team, generation }: Consumer): string => `uid-${team}-${generation}`;

const desiredBy = ({ resources }: Draft): Objects =>
  new Map([...resources].flatMap(([key, edit]) => (edit.is === "set" && edit.object ? [[key, edit.object]] : [])));

/** An XR as the API server shows it. What a claim's team writes cannot change which claim the XR is bound to. */
function compositeOf(consumer: Consumer): JsonObject {
  const { team, composition, spec = {}, labels, annotations, conditions } = consumer;
  const metadata = { name: `shop-${team}`, uid: uidOf(consumer), labels, annotations };
  const status = { conditions };
  if (composition.isNamespaced) {
    const own = { metadata: { ...metadata, namespace: team }, spec: { crossplane: {}, ...spec } };
    return { apiVersion: "apps.example.org/v1", kind: "Store", ...own, status };
  }
  const claimRef = { apiVersion: "apps.example.org/v1", kind: "Shop", namespace: team, name: "shop" };
  return { apiVersion: "apps.example.org/v1", kind: "XShop", metadata, spec: { ...spec, claimRef }, status };
}
