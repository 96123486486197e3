import { isDocument, withValues } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { DOMAIN } from "../../src/model/names.ts";
import { RECORD_NAME } from "../../src/records/record.ts";
import { withMetadata } from "../builders/composed.ts";
import { ControlPlane, desiredBy, NEW_XR, shownConditions, Violation, type Xr } from "./control-plane.ts";
import { kindOf, may, metadataOf, NAMESPACE, type Name, nameOf, objectIn, SECRET } from "./store.ts";
import { type Composition, desiredFor, inputFor } from "./tenancy-composition.ts";
import { OBJECTS, provide, targetOf } from "./tenancy-provider.ts";

/** A team's XR. */
export interface Consumer extends Xr {
  readonly team: string;
  composition: Composition;
  /** The XR's spec, as the team writes it; undefined while there is no XR. */
  spec: JsonObject | undefined;
  labels: JsonObject;
  annotations: JsonObject;
  /** The other fields of the XR's status. */
  status: JsonObject;
  /** The context of the last reconcile, as JSON. */
  context: string;
}

export const NEW_CONSUMER = { ...NEW_XR, status: {}, context: "" } as const;

/** Crossplane makes one more. */
const MOST_CALLS = 5;

export const ACCEPT_COPIES_FROM = `${DOMAIN}/accept-copies-from`;

/** Who wrote a Secret last. */
interface Maker {
  readonly by: "hand" | Consumer;
  /** True if nobody else may write or delete it. */
  readonly isProtected: boolean;
  /** True if somebody wrote the marks of a copy by hand, and so accepts that the function treats it as one. */
  readonly isForged: boolean;
}

/** A control plane that an owner and several teams share, with provider-kubernetes, which acts on Objects when its turn comes. */
export class TenancyWorld extends ControlPlane<Consumer> {
  readonly consumers: readonly Consumer[];
  readonly #makers = new Map<string, Maker>();

  #uids = 0;
  #isCollecting = false;

  constructor(consumers: readonly Consumer[]) {
    super();
    this.consumers = consumers;
  }

  /** Somebody writes a Secret by hand: with the right to do so, and whatever is there. */
  writeByHand(name: Name, data: JsonObject, annotations: JsonObject = {}): void {
    const there = this.store.get(SECRET, name) ?? {};
    const uid = nameOf(there).uid || `uid-secret-${++this.#uids}`;
    const metadata = { ...name, namespace: name.namespace ?? "", uid, annotations };
    this.store.put({ ...SECRET, metadata, data });
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
    const observed = this.observe(consumer);
    const desired = desiredFor(consumer.composition, consumer.spec);
    const outcome = this.call(consumer, observed, { input: inputFor(consumer.composition), desired });
    if (outcome.is === "frozen") {
      if (outcome.isRefused) return;
      throw new Violation(`${consumer.team} is frozen: ${outcome.because}`);
    }
    if (outcome.calls > MOST_CALLS) throw new Violation(`${consumer.team} takes ${outcome.calls} calls`);
    const { draft } = outcome;
    consumer.conditions = shownConditions(draft);
    consumer.status = objectIn(withValues({}, draft.composite), "status");
    consumer.context = JSON.stringify([...draft.context.values()], toPlainJson);
    this.apply(consumer, observed, desiredBy(draft, desired));
    this.protect();
  }

  override deleteXr(consumer: Consumer): void {
    this.#isCollecting = true;
    super.deleteXr(consumer);
    this.#isCollecting = false;
    Object.assign(consumer, { ...NEW_CONSUMER, spec: undefined });
  }

  createXr(consumer: Consumer, spec: JsonObject): void {
    consumer.uid = `uid-${consumer.team}-${++this.#uids}`;
    consumer.spec = spec;
  }

  /** The record of an XR, as it is in the cluster. */
  recordOf(consumer: Consumer): JsonObject | undefined {
    return this.observe(consumer).get(RECORD_NAME);
  }

  /**
   * An XR goes and leaves what it composed, as with a restore that drops controllers; then the XR of another claim has its name, and so
   * all of it.
   */
  takeOver(from: Consumer, to: Consumer, spec: JsonObject): void {
    const left = [...this.observe(from).values()];
    this.deleteXr(to);
    this.createXr(to, spec);
    to.composition = from.composition;
    to.references = from.references;
    for (const object of left) {
      const labels = { ...objectIn(metadataOf(object), "labels"), ...this.labelsOf(to) };
      this.store.put(withMetadata(object, { labels, ownerReferences: this.controlledBy(to) }));
    }
    for (const [key, maker] of this.#makers) if (maker.by === from) this.#makers.set(key, { ...maker, by: to });
    from.references = [];
    this.deleteXr(from);
  }

  /** The provider sees to all Objects. */
  provideAll(): void {
    for (const object of this.objects) this.#provide(object);
  }

  #provide(object: JsonObject): void {
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

  protected override put(object: JsonObject, consumer: Consumer): void {
    const isSecret = object["kind"] === "Secret";
    const target = isSecret ? nameOf(object) : targetOf(object);
    if (target !== undefined && !isObserving(object)) this.assertAccepted(target, consumer);
    if (isSecret) this.#write(object, consumer);
    else this.store.put(object["kind"] === "ConfigMap" ? this.#withOthersData(object) : object);
  }

  /** With server-side apply, what others added to a ConfigMap stays. */
  #withOthersData(object: JsonObject): JsonObject {
    const there = this.store.get(kindOf(object), nameOf(object)) ?? {};
    const labels = { ...objectIn(metadataOf(there), "labels"), ...objectIn(metadataOf(object), "labels") };
    const data = { ...objectIn(there, "data"), ...objectIn(object, "data") };
    return { ...withMetadata(object, { labels }), data };
  }

  /**
   * An Object has a finalizer, so that its provider sees it go; others have none. Kubernetes minds the finalizer that keeps what an Object owns
   * when it collects, and not when Crossplane deletes.
   */
  protected override remove(object: JsonObject, consumer: Consumer): void {
    if (object["kind"] === "Secret") this.#remove(nameOf(object), consumer);
    else if (object["kind"] !== "Object") super.remove(object, consumer);
    else {
      const foreground = this.#isCollecting ? {} : { finalizers: [] };
      this.store.put(withMetadata(object, { deletionTimestamp: "2026-01-01T00:00:00Z", ...foreground }));
    }
  }

  #write(secret: JsonObject, consumer: Consumer): void {
    const name = nameOf(secret);
    this.#assertNobodyElses(name, consumer, "written");
    const there = this.store.get(SECRET, name);
    const uid = there === undefined ? `uid-secret-${++this.#uids}` : nameOf(there).uid;
    this.store.put(withMetadata(secret, { uid }));
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
    const writers = this.objects.filter((object) => may(object, "Create") || may(object, "Delete"));
    const written = new Set(writers.flatMap((object) => targetOf(object) ?? []).map(keyOf));
    for (const [key, maker] of this.#makers) {
      if (!written.has(key) && !maker.isForged) this.#makers.set(key, { ...maker, isProtected: true });
    }
  }

  #consumerOf(object: JsonObject): Consumer {
    const root = objectIn(metadataOf(object), "labels")["crossplane.io/composite"];
    const found = this.consumers.find((consumer) => `shop-${consumer.team}` === root);
    if (found === undefined) throw new Error("cannot find the XR of an Object");
    return found;
  }

  /** The labels that Crossplane sets on the XR of a claim, and on all that is composed. */
  protected labelsOf({ team, composition }: Consumer): JsonObject {
    const claim = { "crossplane.io/claim-namespace": team, "crossplane.io/claim-name": "shop" };
    return { "crossplane.io/composite": `shop-${team}`, ...(composition.xrs !== "namespaced" && claim) };
  }

  /** An XR as the API server shows it. What a claim's team writes cannot change which claim the XR is bound to. */
  show(consumer: Consumer): JsonObject {
    const { team, uid, composition, spec = {}, annotations, conditions } = consumer;
    const apiVersion = "apps.example.org/v1";
    const labels = { ...consumer.labels, ...(composition.xrs !== "namespaced" && this.labelsOf(consumer)) };
    const metadata = { name: `shop-${team}`, uid, labels, annotations };
    const status = { ...consumer.status, conditions };
    const claimRef = { apiVersion, kind: "Shop", namespace: team, name: "shop" };
    const resourceRefs = consumer.references.map(({ apiVersion, kind, name }) => ({ apiVersion, kind, name }));
    const inTeam = { ...metadata, namespace: team };
    const shown = {
      namespaced: { kind: "Store", metadata: inTeam, spec: { crossplane: { resourceRefs }, ...spec } },
      claimed: { kind: "XShop", metadata, spec: { ...spec, resourceRefs, claimRef } },
      nested: { kind: "XShop", metadata, spec: { ...spec, resourceRefs } },
    };
    return { apiVersion, ...shown[composition.xrs], status };
  }
}

const isObserving = (object: JsonObject): boolean =>
  !may(object, "Create") && objectIn(object, "spec")["writeConnectionSecretToRef"] === undefined;

export const keyOf = ({ namespace = "", name }: Name): string => `${namespace}/${name}`;

const toPlainJson = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && isDocument(value) ? value.toObject() : value;
