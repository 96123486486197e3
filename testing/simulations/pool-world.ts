import { parseInput } from "../../src/input/parse.ts";
import { documentOf } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { RECORD_NAME, readBindings } from "../../src/records/record.ts";
import { withMetadata } from "../builders/composed.ts";
import { ALLOWED, inputOf } from "../builders/sharing.ts";
import { ControlPlane, desiredBy, NEW_XR, shownConditions, type Xr } from "./control-plane.ts";
import { settle } from "./moves.ts";
import { controllerOf, kindOf, lookUpIn, nameOf } from "./store.ts";

interface Database extends Xr {
  readonly kind: "XDatabase";
  readonly name: string;
  readonly namespace?: undefined;
  capacity: number;
  /** The most consumers that it may have: more than the capacity where that was reduced after it had admitted them. */
  most: number;
}

interface Shop extends Xr {
  readonly kind: "Shop";
  readonly name: string;
  readonly namespace: string;
  readonly prefer: "First" | "LeastUsed";
  /** The database that serves it. */
  served: string | undefined;
  /** Who says that a database serves it does not move on, where that one is full. */
  hasForged: boolean;
}

const NAMESPACES = ["team-0", "team-1", "team-2"];

/** A control plane with a pool of databases and XRs that use one of them. */
export class PoolWorld extends ControlPlane<Database | Shop> {
  readonly faults: string[] = [];
  readonly #databases = new Map<number, Database>();
  readonly #shops = new Map<number, Shop>();
  /** The objects as they were after each reconcile: a cache may be behind. */
  readonly #past: (readonly JsonObject[])[] = [];
  #uids = 0;

  createDatabase(id: number, capacity: number): void {
    if (this.#databases.has(id)) return;
    const kind = "XDatabase";
    this.#databases.set(id, { ...NEW_XR, kind, name: `db-${id}`, uid: this.#toUid(), capacity, most: capacity });
  }

  /** Deletes a database, unless a Usage protects it. */
  deleteDatabase(id: number): void {
    const database = this.#databases.get(id);
    if (database === undefined || this.#countComposed(database, "consumers/usage/") > 0) return;
    this.deleteXr(database);
    this.#databases.delete(id);
  }

  edit(id: number, capacity: number): void {
    const database = this.#databases.get(id);
    if (database !== undefined)
      Object.assign(database, { capacity, most: Math.max(capacity, this.#promisedBy(database)) });
  }

  createShop(id: number, prefer: Shop["prefer"]): void {
    if (this.#shops.has(id)) return;
    const named = { kind: "Shop", name: `shop-${id}`, namespace: NAMESPACES[id % NAMESPACES.length] ?? "" } as const;
    this.#shops.set(id, { ...NEW_XR, ...named, uid: this.#toUid(), prefer, served: undefined, hasForged: false });
  }

  /** Deletes an XR. What it has not adopted since a restore stays, and keeps its place, until somebody deletes it (docs/consumers.md). */
  deleteShop(id: number): void {
    const shop = this.#shops.get(id);
    if (shop === undefined) return;
    const left = [...this.observe(shop).values()].filter((object) => controllerOf(object) === undefined);
    this.deleteXr(shop);
    for (const object of left) this.store.delete(kindOf(object), nameOf(object));
    this.#shops.delete(id);
  }

  /** A team writes into its record that it is served. */
  forge(id: number): void {
    const shop = this.#shops.get(id);
    const record = shop && this.observe(shop).get(RECORD_NAME);
    const { db } = (record?.["data"] ?? {}) as { readonly db?: string };
    if (shop === undefined || record === undefined || db === undefined) return;
    this.store.put({ ...record, data: { db: db.replace("Requested", "Granted") } });
    shop.hasForged = true;
  }

  /** Restores a backup that was made just now: status, uids and controllers are gone, as with Velero. */
  restore(): void {
    for (const object of this.store.everything) this.store.put(withMetadata(object, { ownerReferences: [] }));
    for (const xr of this.#all) Object.assign(xr, { uid: this.#toUid(), conditions: [], required: new Map() });
    this.#past.length = 0;
  }

  /** @param age how many changes the cache is behind. @param isCut the reconcile ends before the status is written. */
  reconcileDatabase(id: number, age: number, isCut = false): void {
    const database = this.#databases.get(id);
    if (database !== undefined) this.#reconcile(database, { consumers: { capacity: database.capacity } }, age, isCut);
  }

  reconcileShop(id: number, age: number): void {
    const shop = this.#shops.get(id);
    if (shop === undefined) return;
    const share = {
      name: "db",
      apiVersion: "data.example.org/v1",
      kind: "XDatabase",
      select: { matchLabels: { pool: "db" }, prefer: shop.prefer },
      patches: [{ fromFieldPath: "metadata.name", toCompositeFieldPath: "status.db" }],
    };
    const draft = this.#reconcile(shop, { sharedResources: [share] }, age, false);
    const record = this.observe(shop).get(RECORD_NAME);
    const bindings = readBindings(record && documentOf(record)).get("db") ?? [];
    const delivered = draft?.composite.find(({ path }) => path.join(".") === "status.db")?.value;
    const isHeld = bindings.some(({ resource, access }) => resource.name === shop.served && access === "Granted");
    const served = typeof delivered === "string" ? delivered : isHeld ? shop.served : undefined;
    this.#notice(shop, served);
    shop.served = served;
    for (const database of this.#databases.values()) {
      const count = this.#servedBy(database);
      if (count > database.most) this.faults.push(`${database.name} serves ${count}, more than ${database.most}`);
      database.most = Math.max(database.capacity, Math.min(database.most, this.#promisedBy(database)));
    }
  }

  /** Reconciles all until nothing changes. */
  settle(): void {
    const round = () => {
      for (const id of this.#databases.keys()) this.reconcileDatabase(id, 0);
      for (const id of this.#shops.keys()) this.reconcileShop(id, 0);
    };
    if (settle(() => this.#print, round) === undefined) this.faults.push("does not settle");
  }

  /** The XRs that are served by none while there is room, and have not forged their records. */
  get starving(): readonly string[] {
    const hasRoom = [...this.#databases.values()].some((database) => this.#servedBy(database) < database.capacity);
    const waiting = [...this.#shops.values()].filter(({ served, hasForged }) => served === undefined && !hasForged);
    return hasRoom ? waiting.map(({ name }) => name) : [];
  }

  #notice({ name, served: before }: Shop, now: string | undefined): void {
    const isThere = [...this.#databases.values()].some((database) => database.name === before);
    if (isThere && before !== undefined && now !== before) this.faults.push(`${name} moves from ${before} to ${now}`);
  }

  #servedBy = ({ name }: Database): number => [...this.#shops.values()].filter(({ served }) => served === name).length;

  /** Counts the XRs that it serves, or has admitted. */
  #promisedBy = (database: Database): number =>
    Math.max(this.#servedBy(database), this.#countComposed(database, "consumers/admission/"));

  #countComposed = (xr: Database, prefix: string): number =>
    [...this.observe(xr).keys()].filter((key) => key.startsWith(prefix)).length;

  get #all(): readonly (Database | Shop)[] {
    return [...this.#databases.values(), ...this.#shops.values()];
  }

  get #objects(): readonly JsonObject[] {
    return [...this.#all.map((xr) => this.show(xr)), ...this.store.everything];
  }

  get #print(): string {
    return JSON.stringify([this.#objects, [...this.#shops.values()].map(({ served }) => served)]);
  }

  #toUid = (): string => `uid-${++this.#uids}`;

  #reconcile(xr: Database | Shop, spec: JsonObject, age: number, isCut: boolean): Draft | undefined {
    this.#past.push(this.#objects);
    const observed = this.observe(xr);
    const lookUp = lookUpIn(this.#past.at(-1 - age) ?? this.#past[0] ?? []);
    const outcome = this.call(xr, observed, { input: parseInput(inputOf(spec)), lookUp });
    if (outcome.is === "frozen") {
      this.faults.push(`${xr.name}: ${outcome.because}`);
      return undefined;
    }
    this.apply(xr, observed, desiredBy(outcome.draft));
    if (!isCut) xr.conditions = shownConditions(outcome.draft);
    return outcome.draft;
  }

  protected labelsOf({ name }: Database | Shop): JsonObject {
    return { "crossplane.io/composite": name };
  }

  show({ kind, name, namespace, uid, conditions }: Database | Shop): JsonObject {
    const marks = { labels: { pool: "db" }, annotations: { [ALLOWED]: "*" } };
    return {
      apiVersion: `${kind === "Shop" ? "apps" : "data"}.example.org/v1`,
      kind,
      metadata: { name, ...(namespace !== undefined && { namespace }), uid, ...marks },
      spec: { crossplane: {} },
      status: { conditions },
    };
  }
}
