import fc from "fast-check";
import type { JsonObject } from "../../src/model/json.ts";
import { OWNER, SHARED_FROM } from "../../src/ownership/annotations.ts";
import { ALLOWED } from "../builders/sharing.ts";
import { type Composition, DATABASE_KINDS, OWNERS_NAMESPACE } from "./tenancy-composition.ts";
import {
  type Attack,
  type ByHand,
  EVERYBODY,
  type Event,
  HOSTILE,
  isOfHostile,
  type OfOwner,
  type Own,
  type Past,
  past,
} from "./tenancy-events.ts";
import { forgedRecord } from "./tenancy-forgery.ts";
import { OwnersList } from "./tenancy-list.ts";
import { DATABASES, Owner } from "./tenancy-owner.ts";
import { kindOf, metadataOf, NAMESPACE, nameOf } from "./tenancy-store.ts";
import { assertGranted, Watch } from "./tenancy-watch.ts";
import { ACCEPT_COPIES_FROM, type Consumer, TenancyWorld, Violation } from "./tenancy-world.ts";

/**
 * A property of sharing: whatever a hostile team writes where it may, and in whatever order owners grant, take back, rotate,
 * delete and create anew,
 *
 * - no byte of an owner's Secret is where no grant stands or the namespace does not accept it, and no field of an owner's is in a
 *   status or context, one reconcile and one turn of the provider after it was taken back,
 * - no Secret that somebody else made is written or deleted, and none is put where nobody accepts it,
 * - no honest team's copy or fields go, change their source or flap while their grant stands,
 * - a copy stays while its source is merely missing,
 * - every XR comes to rest, in six calls at most, and
 * - an owner's list says who uses its database with a grant, and only these protect it.
 */

/** @param isHostile whether the hostile team does anything; without it the model itself is put to the test */
export const nobodyGains = (isHostile = true) => fc.property(past, (history) => play(history, isHostile));

/** @throws {Violation} for what must never happen. */
export function play({ events, ...setting }: Past, isHostile = true): void {
  const tenancy = new Tenancy(setting);
  for (const each of events) tenancy.happen(each, isHostile);
  tenancy.end();
}

/** The world with its people in it, and what is watched. */
class Tenancy {
  readonly #world: TenancyWorld;
  readonly #owner: Owner;
  readonly #hostile: Consumer;
  readonly #watch: Watch;
  readonly #list: OwnersList;
  #isTakenOver = false;
  #hasAccepted = false;
  /** True if the hostile team has edited its XR's own record. */
  #isForging = false;

  constructor({ compositions, isTwice }: Omit<Past, "events">) {
    const consumers = EVERYBODY.map((team, index) => consumerOf(team, compositions[index] as Composition, isTwice));
    this.#world = new TenancyWorld(consumers);
    this.#hostile = consumers.at(-1) as Consumer;
    this.#owner = new Owner(this.#world);
    this.#watch = new Watch(this.#world, this.#owner);
    this.#list = new OwnersList(this.#world, this.#owner);
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
    this.#watch.look(this.#honest);
  }

  #do(happening: Event): void {
    if ("name" in happening) this.#byHand(happening);
    else if ("owns" in happening) this.#doOwn(happening);
    else if ("team" in happening) this.#reconcile(this.#consumer(happening.team));
    else if (happening.is === "relabel") this.#owner.label("billing", happening.label);
    else if ("database" in happening && happening.is !== "forgeRecord") this.#own(happening);
    else if (happening.is === "provide") this.#world.provideAll();
    else if (happening.is === "audit") this.audit();
    else this.#attack(happening);
  }

  /** An honest team's XR goes or comes, and its namespace accepts copies of the hostile team or not. */
  #doOwn({ is, owns }: Own): void {
    const consumer = this.#consumer(owns);
    this.#hasAccepted ||= is === "accept";
    const annotations = is === "accept" && { annotations: { [ACCEPT_COPIES_FROM]: HOSTILE } };
    if (is === "accept" || is === "acceptNoMore")
      this.#world.store.put({ ...NAMESPACE, metadata: { name: owns, ...annotations } });
    else if (is === "createXr") this.#create(consumer);
    else {
      this.#world.deleteXr(consumer);
      this.#watch.forget(consumer);
    }
  }

  /** The XR of a team whose XR another one has taken over does not come again: the two would be one. */
  #create(consumer: Consumer): void {
    if (consumer.spec !== undefined || this.#isTakenOver) return;
    consumer.generation += 1;
    consumer.spec = specOf(consumer.team, false);
  }

  #own(happening: Exclude<OfOwner, { readonly is: "relabel" }>): void {
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
    else if ("copy" in happening) this.#forge(happening);
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
        deleteDecoy: () => {
          this.#world.store.delete(DATABASE_KINDS.namespaced, { namespace: HOSTILE, name: "decoy" });
          this.#world.store.delete(DATABASE_KINDS.clusterScoped, { name: "decoy" });
        },
        deleteRecord: () => {
          const record = this.#world.recordOf(hostile);
          this.#isForging ||= record?.["kind"] === "ConfigMap";
          if (record?.["kind"] === "ConfigMap") this.#world.store.delete(kindOf(record), nameOf(record));
        },
        takeOver: () => this.#takeOver(this.#consumer("team-b")),
        toggleAcceptance: () => this.#toggleAcceptance(),
      };
      attacks[happening.is]();
    }
  }

  #forge(forgery: Extract<Attack, { readonly is: "forgeRecord" }>): void {
    const own = this.#world.recordOf(this.#hostile);
    this.#isForging ||= own?.["kind"] === "ConfigMap";
    this.#world.store.put(forgedRecord(forgery, own));
  }

  /** Only cluster-scoped XRs can have the name of one that is gone. */
  #takeOver(other: Consumer): void {
    if (other.spec === undefined || other.composition.xrs === "namespaced") return;
    this.#world.provideAll();
    this.#world.takeOver(other, this.#hostile);
    this.#hostile.spec = specOf(HOSTILE, false);
    this.#world.reconcile(this.#hostile);
    this.#isTakenOver = true;
    this.#watch.forget(other);
  }

  /**
   * Of the shared kind, with the shared labels, granted to all: in the team's own namespace, and a cluster-scoped one that was composed
   * for a claim and names the Secret of another.
   */
  #createDecoy(): void {
    const shared = { labels: { team: "orders" }, annotations: { [ALLOWED]: "*" } };
    const spec = { writeConnectionSecretToRef: { name: "decoy-conn" } };
    this.#world.store.put({
      ...DATABASE_KINDS.namespaced,
      metadata: { name: "decoy", namespace: HOSTILE, ...shared },
      spec,
    });
    const labels = { ...shared.labels, "crossplane.io/claim-namespace": HOSTILE };
    const stolen = { writeConnectionSecretToRef: { namespace: OWNERS_NAMESPACE, name: "billing-conn" } };
    this.#world.store.put({
      ...DATABASE_KINDS.clusterScoped,
      metadata: { name: "decoy", ...shared, labels },
      spec: stolen,
    });
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
    this.#watch.forgetCopy(this.#consumer(team));
  }

  /** Everybody is reconciled once, and the provider has its turn. Then nothing may be where it is not granted. */
  audit(): void {
    this.#settle();
    assertGranted(this.#world, this.#owner, this.#isForging ? this.#hostile : undefined);
  }

  /** The world comes to rest, and the owner's lists say who uses what. */
  end(): void {
    this.audit();
    this.#comeToRest();
    assertGranted(this.#world, this.#owner, this.#isForging ? this.#hostile : undefined);
    this.#list.audit();
  }

  #comeToRest(): void {
    let before = "";
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const now = this.#print();
      if (now === before) return;
      before = now;
      this.#settle();
    }
    throw new Violation(`nothing comes to rest: ${before} and ${this.#print()}`);
  }

  #settle(): void {
    for (const consumer of this.#world.consumers) this.#reconcile(consumer);
    this.#world.provideAll();
    this.#watch.look(this.#honest);
  }

  /** Two XRs that write one Secret at once settle it later, so where a namespace accepts copies, the provider has its turn between them. */
  #reconcile(consumer: Consumer): void {
    if (this.#hasAccepted) this.#world.provideAll();
    this.#world.reconcile(consumer);
  }

  get #honest(): readonly Consumer[] {
    return this.#world.consumers.filter((consumer) => consumer !== this.#hostile);
  }

  /** Changes with whatever is written or shown. */
  #print(): string {
    const { store, consumers } = this.#world;
    return JSON.stringify([
      store.version,
      consumers.map(({ status, conditions, context }) => [status, conditions, context]),
    ]);
  }

  #consumer(team: string): Consumer {
    return this.#world.consumers.find((consumer) => consumer.team === team) ?? this.#hostile;
  }
}

/** The reconciles of each XR, and turns of the provider, after which nothing changes any more. */
const MOST_TURNS = 7;

/** The annotations of an XR's copies, as somebody may write them by hand. */
const MARKS: JsonObject = { [OWNER]: "Shop.apps.example.org/team-a/shop", [SHARED_FROM]: "databases/orders-conn" };

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
  status: {},
  context: "",
});
