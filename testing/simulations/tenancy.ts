import type { JsonObject } from "../../src/model/json.ts";
import { OWNER } from "../../src/ownership/annotations.ts";
import { RECORD_KINDS, usesLabel } from "../../src/records/record.ts";
import { withMetadata } from "../builders/composed.ts";
import { ALLOWED } from "../builders/sharing.ts";
import { Violation } from "./control-plane.ts";
import { settle } from "./moves.ts";
import { kindOf, metadataOf, NAMESPACE, nameOf, objectIn } from "./store.ts";
import { type Composition, DATABASE_KINDS, HOSTILE, OWNERS_NAMESPACE } from "./tenancy-composition.ts";
import { DATABASES, type Database, Owner } from "./tenancy-owner.ts";
import { assertGranted, Watch } from "./tenancy-watch.ts";
import { ACCEPT_COPIES_FROM, type Consumer, NEW_CONSUMER, TenancyWorld } from "./tenancy-world.ts";

const EVERYBODY = ["team-a", "team-b", HOSTILE] as const;

/** The world with its people in it, and what is watched. */
export class Tenancy {
  readonly world: TenancyWorld;
  readonly owner: Owner;
  readonly hostile: Consumer;
  readonly #watch: Watch;
  #isTakenOver = false;
  /** True once an honest team has accepted copies of the hostile one. */
  #hasAccepted = false;
  /** True once the hostile team has edited references. */
  #hasEdited = false;
  /** True while the hostile team has paused its XR. */
  #isPaused = false;
  /** True if the hostile team has edited its XR's own record. */
  #isForging = false;

  /** @param isTwice true if the first team's XR names its namespace twice. */
  constructor(compositions: readonly Composition[], isTwice: boolean) {
    const consumers = EVERYBODY.map((team, index) => consumerOf(team, compositions[index] as Composition, isTwice));
    this.world = new TenancyWorld(consumers);
    this.hostile = consumers.at(-1) as Consumer;
    this.owner = new Owner(this.world);
    this.#watch = new Watch(this.world, this.owner);
    for (const name of [...EVERYBODY, "kube-system", "databases"]) this.accept(name, "");
    for (const name of DATABASES) this.owner.create(name);
    this.owner.grant("orders", [...EVERYBODY]);
    this.world.writeByHand({ namespace: "team-a", name: "app-config" }, { theirs: "" });
    this.world.writeByHand({ namespace: "kube-system", name: "admin" }, { theirs: "" });
    this.world.protect();
  }

  consumer(team: string): Consumer {
    return this.world.consumers.find((consumer) => consumer.team === team) ?? this.hostile;
  }

  /** Two XRs that write one Secret at once settle it later, so where a namespace accepts copies, the provider has its turn between them. */
  reconcile(consumer: Consumer): void {
    if (consumer === this.hostile && this.#isPaused) return;
    if (this.#hasAccepted) this.world.provideAll();
    this.world.reconcile(consumer);
  }

  deleteXr(consumer: Consumer): void {
    this.world.deleteXr(consumer);
    this.#watch.forget(consumer);
  }

  /** The XR of a team whose XR another one has taken over does not come again: the two would be one. */
  createXr(consumer: Consumer): void {
    if (consumer.spec === undefined && !this.#isTakenOver) this.world.createXr(consumer, specOf(consumer.team, false));
  }

  /** A namespace accepts copies of these namespaces' XRs; "" for none. */
  accept(name: string, accepted: string): void {
    this.#hasAccepted ||= accepted === HOSTILE;
    const annotations = accepted !== "" && { annotations: { [ACCEPT_COPIES_FROM]: accepted } };
    this.world.store.put({ ...NAMESPACE, metadata: { name, ...annotations } });
  }

  editSpec(more: JsonObject): void {
    this.hostile.spec = { ...this.hostile.spec, ...more };
  }

  /** A paused XR is not reconciled, and what it has composed goes on. What it has then is the owner's to know. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
  }

  /**
   * A team may write the references of its XR, in the name of Crossplane's field manager, too: here it leaves out all but some. The next
   * reconcile finds what was forgotten, and the one after it deletes it. A copy that is a plain Secret follows nothing, and is the team's
   * then.
   */
  editReferences(kept: readonly number[]): void {
    const { xrs, via, takes } = this.hostile.composition;
    if (xrs !== "namespaced" || (via === "Secret" && takes !== "fields")) return;
    this.hostile.references = this.hostile.references.filter((_, index) => kept.includes(index));
    this.#hasEdited = true;
  }

  recreate(): void {
    this.world.deleteXr(this.hostile);
    this.world.createXr(this.hostile, specOf(HOSTILE, false));
  }

  /** A team has a Secret of its own where a copy is, or is to be. */
  byHand(team: string, name: string, isWritten: boolean): void {
    const secret = { namespace: team, name };
    if (isWritten) this.world.writeByHand(secret, { theirs: "" });
    else this.world.deleteByHand(secret);
    this.world.protect();
    this.#watch.forgetCopy(this.consumer(team));
  }

  forgeRecord(database: Database, copy: string): void {
    this.world.store.put(forgedRecord(database, copy, this.#recordToForge()));
  }

  deleteRecord(): void {
    const record = this.#recordToForge();
    if (record !== undefined) this.world.store.delete(kindOf(record), nameOf(record));
  }

  /** A team can write its own XR's record if it lies in its namespace. */
  #recordToForge(): JsonObject | undefined {
    const record = this.world.recordOf(this.hostile);
    if (record?.["kind"] !== "ConfigMap") return undefined;
    this.#isForging = true;
    return record;
  }

  /** Only cluster-scoped XRs can have the name of one that is gone. */
  takeOver(other: Consumer): void {
    if (other.spec === undefined || other.composition.xrs === "namespaced") return;
    this.world.provideAll();
    this.world.takeOver(other, this.hostile, specOf(HOSTILE, false));
    this.world.reconcile(this.hostile);
    this.#isTakenOver = true;
    this.#watch.forget(other);
  }

  /**
   * Of the shared kind, with the shared labels, granted to all: in the team's own namespace, and a cluster-scoped one that was composed
   * for a claim and names the Secret of another.
   */
  createDecoy(): void {
    const labels = { team: "orders" };
    const metadata = { name: "decoy", labels, annotations: { [ALLOWED]: "*" } };
    this.world.store.put({
      ...DATABASE_KINDS.namespaced,
      metadata: { ...metadata, namespace: HOSTILE },
      spec: { writeConnectionSecretToRef: { name: "decoy-conn" } },
    });
    this.world.store.put({
      ...DATABASE_KINDS.clusterScoped,
      metadata: { ...metadata, labels: { ...labels, "crossplane.io/claim-namespace": HOSTILE } },
      spec: { writeConnectionSecretToRef: { namespace: OWNERS_NAMESPACE, name: "billing-conn" } },
    });
    this.world.writeByHand({ namespace: HOSTILE, name: "decoy-conn" }, { password: "ZGVjb3k=" });
  }

  deleteDecoy(): void {
    this.world.store.delete(DATABASE_KINDS.namespaced, { namespace: HOSTILE, name: "decoy" });
    this.world.store.delete(DATABASE_KINDS.clusterScoped, { name: "decoy" });
  }

  look(): void {
    this.#watch.look(this.world.consumers.filter((consumer) => consumer !== this.hostile));
  }

  /** Everybody is reconciled once, and the provider has its turn. Then nothing may be where it is not granted. */
  audit(): void {
    this.#isPaused = false;
    this.#settle();
    if (this.#hasEdited) this.#settle(); // what was forgotten is referred to first
    this.#hasEdited = false;
    assertGranted(this.world, this.owner, this.#isForging ? this.hostile : undefined);
  }

  /** The world comes to rest, and the owner's lists say who uses what. */
  end(): void {
    this.audit();
    this.#comeToRest();
    assertGranted(this.world, this.owner, this.#isForging ? this.hostile : undefined);
    this.#watch.auditLists();
  }

  #comeToRest(): void {
    const turns = settle(this.#print, () => this.#settle(), MOST_TURNS);
    if (turns === undefined) throw new Violation(`nothing comes to rest: ${this.#print()}`);
  }

  #settle(): void {
    for (const consumer of this.world.consumers) this.reconcile(consumer);
    this.world.provideAll();
    this.look();
  }

  /** Changes with whatever is written or shown. */
  #print = (): string => {
    const { store, consumers } = this.world;
    const shown = consumers.map(({ status, conditions, context }) => [status, conditions, context]);
    return JSON.stringify([store.version, shown]);
  };
}

/** The reconciles of each XR, and turns of the provider, after which nothing changes any more. */
const MOST_TURNS = 7;

const specOf = (team: string, isTwice: boolean): JsonObject => ({
  database: "orders",
  namespaces: isTwice ? [team, team] : [team],
  secretName: "orders-db",
});

const consumerOf = (team: string, composition: Composition, isTwice: boolean): Consumer => ({
  ...NEW_CONSUMER,
  team,
  uid: `uid-${team}-0`,
  composition,
  spec: specOf(team, isTwice && team === "team-a"),
  labels: { team: "orders" },
  annotations: {},
});

/** A record as a team may write it in its own namespace: over its XR's, or a new one with the marks of another team's. */
function forgedRecord(database: string, copy: string, own = NEW): JsonObject {
  const references = [
    { ...DATABASE_KINDS.namespaced, name: database, namespace: OWNERS_NAMESPACE },
    { ...DATABASE_KINDS.clusterScoped, name: database, namespace: undefined },
  ];
  const granted = { access: "Granted", credentialFor: "team-b", ...(copy !== "" && { secrets: [copy] }) };
  const bindings = references.map((reference) => ({ ...reference, ...granted }));
  const labels = Object.fromEntries(references.map((reference) => [usesLabel(reference), "true"]));
  const record = withMetadata(own, { labels: { ...objectIn(metadataOf(own), "labels"), ...labels } });
  return { ...record, data: { db: JSON.stringify(bindings), another: JSON.stringify(bindings) } };
}

const NEW: JsonObject = {
  ...RECORD_KINDS.ConfigMap,
  metadata: {
    namespace: HOSTILE,
    name: "forged",
    labels: { "crossplane.io/composite": "shop-team-b", "crossplane.io/claim-namespace": "team-b" },
    annotations: { [OWNER]: "Shop.apps.example.org/team-b/shop" },
    ownerReferences: [{ apiVersion: "apps.example.org/v1", kind: "Store", name: "x", uid: "x", controller: true }],
  },
};
