import fc from "fast-check";
import type { JsonObject } from "../../src/model/json.ts";
import { OWNER, SHARED_FROM } from "../../src/ownership/annotations.ts";
import { ALLOWED } from "../builders/sharing.ts";
import { type Composition, DATABASE } from "./tenancy-composition.ts";
import {
  type Attack,
  type ByHand,
  EVERYBODY,
  type Event,
  HOSTILE,
  isOfHostile,
  type OfOwner,
  type Past,
  past,
} from "./tenancy-events.ts";
import { askingNamespace, copiesIn, DATABASES, databasesIn, Owner } from "./tenancy-owner.ts";
import { isDeleting, targetOf } from "./tenancy-provider.ts";
import { metadataOf, NAMESPACE, type Name, nameOf, SECRET } from "./tenancy-store.ts";
import { ACCEPT_COPIES_FROM, type Consumer, keyOf, TenancyWorld, Violation } from "./tenancy-world.ts";

/**
 * A property of sharing: whatever a hostile team writes where it may, and in whatever order owners grant, take back, rotate,
 * delete and create anew,
 *
 * - no byte of an owner's Secret is where no grant stands, one reconcile and one turn of the provider after it was taken back,
 * - no Secret that somebody else made is written or deleted, and none is put where nobody accepts it,
 * - no honest team's copy goes, changes its source or flaps while its grant stands, and
 * - a copy stays while its source is merely missing.
 */

/** @param isHostile whether the hostile team does anything; without it the model itself is put to the test */
export const nobodyGains = (isHostile = true) => fc.property(past, (history) => play(history, isHostile));

/** @throws {Violation} for what must never happen. */
export function play({ events, ...setting }: Past, isHostile = true): void {
  const tenancy = new Tenancy(setting);
  for (const each of events) tenancy.happen(each, isHostile);
  tenancy.audit();
}

/** The world with its people in it, and what is watched. */
class Tenancy {
  readonly #world: TenancyWorld;
  readonly #owner: Owner;
  readonly #hostile: Consumer;
  /** Honest teams that have a copy which they may count on. */
  readonly #served = new Set<Consumer>();

  constructor({ compositions, isTwice }: Omit<Past, "events">) {
    const consumers = EVERYBODY.map((team, index) => consumerOf(team, compositions[index] as Composition, isTwice));
    this.#world = new TenancyWorld(consumers);
    this.#hostile = consumers.at(-1) as Consumer;
    this.#owner = new Owner(this.#world);
    for (const name of [...EVERYBODY, "kube-system", "databases"])
      this.#world.store.put({ ...NAMESPACE, metadata: { name } });
    for (const name of DATABASES) this.#owner.create(name);
    this.#owner.grant("orders", [...EVERYBODY]);
    this.#world.writeByHand({ namespace: "team-a", name: "app-config" }, { theirs: "" });
    this.#world.writeByHand({ namespace: "kube-system", name: "admin" }, { theirs: "" });
    this.#world.protect();
  }

  happen(happening: Event, isHostile: boolean): void {
    if (isHostile || !isOfHostile(happening)) this.#do(happening);
    this.#watch();
  }

  #do(happening: Event): void {
    if ("name" in happening) this.#byHand(happening);
    else if ("team" in happening) this.#world.reconcile(this.#consumer(happening.team));
    else if ("database" in happening) this.#own(happening);
    else if (happening.is === "provide") this.#world.provideAll();
    else if (happening.is === "audit") this.audit();
    else this.#attack(happening);
  }

  #own(happening: OfOwner): void {
    const { database } = happening;
    if ("teams" in happening) this.#owner.grant(database, happening.teams);
    else {
      const happenings: Record<typeof happening.is, () => void> = {
        rotate: () => this.#owner.rotate(database),
        deleteDatabase: () => this.#owner.delete(database),
        createDatabase: () => this.#owner.create(database),
        deleteSecret: () => this.#owner.deleteSecret(database),
      };
      happenings[happening.is]();
    }
  }

  #attack(happening: Attack): void {
    const hostile = this.#hostile;
    if ("field" in happening) hostile.spec = { ...hostile.spec, [happening.field]: happening.value };
    else if ("value" in happening) hostile.labels = { team: happening.value };
    else {
      const attacks: Record<typeof happening.is, () => void> = {
        forgeClaim: () => {
          hostile.spec = { ...hostile.spec, claimRef: { kind: "Shop", namespace: "team-a", name: "shop" } };
          hostile.annotations = MARKS;
        },
        forgeCopy: () => this.#world.writeByHand({ namespace: HOSTILE, name: "orders-db" }, { theirs: "" }, MARKS),
        recreate: () => {
          this.#world.deleteXr(hostile);
          hostile.generation += 1;
          hostile.spec = specOf(HOSTILE, false);
        },
        createDecoy: () => this.#createDecoy(),
        deleteDecoy: () => this.#world.store.delete(DATABASE, { namespace: HOSTILE, name: "decoy" }),
        toggleAcceptance: () => this.#toggleAcceptance(),
      };
      attacks[happening.is]();
    }
  }

  /** Of the shared kind, with the shared labels, granted to all, in the team's own namespace. */
  #createDecoy(): void {
    const metadata = { name: "decoy", namespace: HOSTILE, labels: { team: "orders" }, annotations: { [ALLOWED]: "*" } };
    const spec = { writeConnectionSecretToRef: { name: "decoy-conn" } };
    this.#world.store.put({ ...DATABASE, metadata, spec });
    this.#world.writeByHand({ namespace: HOSTILE, name: "decoy-conn" }, { password: "ZGVjb3k=" });
  }

  #toggleAcceptance(): void {
    const metadata = metadataOf(this.#world.store.get(NAMESPACE, { name: HOSTILE }) ?? {});
    const annotations = metadata["annotations"] === undefined ? { [ACCEPT_COPIES_FROM]: "*" } : undefined;
    this.#world.store.put({ ...NAMESPACE, metadata: { name: HOSTILE, ...(annotations && { annotations }) } });
  }

  /** A team has a Secret of its own where a copy is, or is to be. */
  #byHand({ is, team, name }: ByHand): void {
    const secret = { namespace: team, name };
    if (is === "deleteSecretByHand") this.#world.deleteByHand(secret);
    else this.#world.writeByHand(secret, { theirs: "" });
    this.#world.protect();
    this.#served.delete(this.#consumer(team));
  }

  /** Everybody is reconciled once, and the provider has its turn. Then nothing may be where it is not granted. */
  audit(): void {
    this.#settle();
    for (const copy of copiesIn(this.#world)) this.#assertGranted(copy);
    this.#settle();
    const before = this.#print();
    this.#settle();
    if (this.#print() !== before) throw new Violation(`copies flap: ${before} and ${this.#print()}`);
  }

  #settle(): void {
    for (const consumer of this.#world.consumers) this.#world.reconcile(consumer);
    this.#world.provideAll();
    this.#watch();
  }

  #assertGranted(copy: JsonObject): void {
    const maker = this.#world.makerOf(copy);
    if (maker === "hand") return;
    const team = askingNamespace(copy, maker);
    for (const found of databasesIn(copy)) {
      if (!this.#owner.exists(found) || this.#owner.grants(found, team)) continue;
      throw new Violation(`${keyOf(nameOf(copy))} holds bytes of ${found}, which is not granted to ${team}`);
    }
  }

  get #honest(): readonly Consumer[] {
    return this.#world.consumers.filter((consumer) => consumer !== this.#hostile);
  }

  /** Prints the copies of honest teams. */
  #print(): string {
    const composed = this.#honest.flatMap((consumer) => [...consumer.composed.values()]);
    return JSON.stringify(
      composed.map(({ kind, name }) => {
        const { status: _, metadata: __, ...object } = this.#world.store.get(kind, name) ?? {};
        return [keyOf(name), object];
      }),
    );
  }

  /** A copy that an honest team has stays, and what is in it comes from the same source. */
  #watch(): void {
    for (const consumer of this.#honest) {
      const isMissing = !this.#owner.exists("orders");
      if (isMissing || this.#owner.grants("orders", consumer.team)) this.#watchGranted(consumer);
      else this.#served.delete(consumer);
    }
  }

  #watchGranted(consumer: Consumer): void {
    const copy = this.#world.store.get(SECRET, targetNameOf(consumer));
    if (copy !== undefined && databasesIn(copy).includes("orders")) {
      if (this.#owner.exists("orders") && this.#isKept(consumer, copy)) this.#served.add(consumer);
    } else if (this.#served.has(consumer)) {
      throw new Violation(`${consumer.team} has lost its copy`);
    }
  }

  /** Tells whether the XR made the copy and no resource composed for it is being deleted. */
  #isKept(consumer: Consumer, copy: JsonObject): boolean {
    const isOwn = this.#world.makerOf(copy) === consumer;
    const key = keyOf(nameOf(copy));
    const objects = this.#world.objects.filter((object) => keyOf(targetOf(object) ?? { name: "" }) === key);
    return isOwn && objects.every((object) => !isDeleting(object)) && consumer.composed.size > 0;
  }

  #consumer(team: string): Consumer {
    return this.#world.consumers.find((consumer) => consumer.team === team) ?? this.#hostile;
  }
}

/** The annotations of an XR's copies, as somebody may write them by hand. */
const MARKS: JsonObject = { [OWNER]: "Shop.apps.example.org/team-a/shop", [SHARED_FROM]: "databases/orders-conn" };

const targetNameOf = ({ team }: Consumer): Name => ({ namespace: team, name: "orders-db" });

const specOf = (team: string, isTwice: boolean): JsonObject => ({
  database: "orders",
  namespaces: isTwice ? [team, team] : [team],
  secretName: "orders-db",
});

const consumerOf = (team: string, composed: Composition, isTwice: boolean): Consumer => ({
  team,
  composition: composed,
  spec: specOf(team, isTwice && team === "team-a"),
  labels: { team: "orders" },
  annotations: {},
  generation: 0,
  composed: new Map(),
  required: new Map(),
  conditions: [],
});
